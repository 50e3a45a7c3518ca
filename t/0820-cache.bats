#!/usr/bin/env bats
# The cache of builds: its ceiling is kept without being asked, what a running hunt uses stays, and disk use is shown first.

load lib
setup() {
	setup_culprit
	system_path
	make_history 12
	plant 3 +10%
	plant 9 +10%
	cd project || return 1
	build='sh build.sh; head -c 1000000 /dev/urandom >big' # a megabyte a tree, and no two alike
}
search() { culprit_run bisect "$@" --build "$build" --bench ./program --no-head-to-head --json; }
trees() { find .culprit/trees -mindepth 1 -maxdepth 1 -type d | wc -l; }
of_hunt() { culprit log "$1" --json | jq '[.. | objects | select(.kind? == "build") | .build] | unique | length'; }

@test 'beyond project.cache the trees of older hunts go, never those of the running one' {
	search c1 c5
	expect_status 0
	first=$(trees)
	[ "$first" -ge 2 ]
	search c7 c12 -c project.cache=2M
	expect_status 0
	[ "$(jq -r .culprit <<<"$output")" = "$(git rev-parse c9)" ]
	expect_err 'the builds of this hunt take'
	expect_err 'above the ceiling of 2.00 MiB (project.cache)'
	[ "$(trees)" -eq "$(jq .builds <<<"$output")" ] || complain 'not just those of the second hunt'
	[ "$(find .culprit/trees -name '*.size' | wc -l)" -eq "$(trees)" ] || complain 'a size without a tree'
	culprit_run show b1
	expect_err 'no tree kept'
	for hunt in 1 2; do
		culprit_run verify $hunt
		expect_status 0
	done
	# what went is built again where it is needed, and under the ceiling nothing goes
	search c1 c5 --new
	expect_status 0
	[ "$(jq -r .culprit <<<"$output")" = "$(git rev-parse c3)" ]
	[ "$(trees)" -ge 5 ] || complain 'something went below the ceiling'
}

@test 'an open hunt gives way last, and goes on' {
	search c7 c12 --budget 1ms
	expect_status 3
	open=$(trees)
	search c1 c5
	expect_status 0
	search c1 c4 --new -c "project.cache=$((open + 1))M"
	expect_status 0
	[ "$(trees)" -ge "$open" ]
	search c7 c12
	expect_status 0
	[ "$(jq -r .culprit <<<"$output")" = "$(git rev-parse c9)" ]
}

@test 'the disk that a hunt may take is shown before anything is built' {
	culprit_run bisect c1 c12 --build "$build" --bench ./program --dry-run
	expect_status 0
	expect_out ' or more a build, up to '
	expect_out '; kept builds take 0 B of 10.0 GiB (project.cache), '
	[ ! -e .culprit/trees ]
	search c1 c5
	culprit_run compare c1 c12 --build "$build" --bench ./program --dry-run --json
	expect_status 0
	jq -e '.tree_bytes > 1000000 and .cache_bytes > 2000000 and .cache_max == 10737418240 and .disk_free > 0' <<<"$output"
}

@test 'clean takes the benchmark files of finished hunts' {
	echo './program' >bench.sh
	culprit_run run c1 -n 1 --build 'sh build.sh' --bench 'sh bench.sh'
	expect_status 0
	[ -n "$(find .culprit/data -name bench.sh)" ]
	culprit_run bisect c1 c12 --build 'sh build.sh' --bench 'sh bench.sh; :' --budget 1ms
	expect_status 3
	culprit_run clean
	expect_status 0
	[ -n "$(find .culprit/data -name bench.sh)" ] || complain 'the open hunt needs them'
	culprit_run bisect c1 c12 --build 'sh build.sh' --bench 'sh bench.sh; :'
	expect_status 0
	culprit_run clean
	expect_out 'benchmark files of finished hunts'
	[ -z "$(ls -A .culprit/data)" ] || complain "$(ls .culprit/data)"
}

# Two kernels of packages as a guest's, of a megabyte each, one used long ago; a package that no kernel is made of; two initramfs images.
kept_kernels() {
	local store=$PWD/.culprit k
	for k in old new; do
		mkdir -p "$store/kernels/$k" "$store/debs/linux-$k/boot"
		head -c 1000000 /dev/urandom >"$store/debs/linux-$k/boot/vmlinuz"
		printf 'image %s\npackage linux %s\n' "$store/debs/linux-$k/boot/vmlinuz" "$k" >"$store/kernels/$k/kernel"
		mkdir -p "$store/initramfs"
		head -c 1000000 /dev/urandom >"$store/initramfs/$k.cpio"
	done
	mkdir -p "$store/debs/.tmp-999999"
	touch -d '50 days ago' "$store/kernels/old/kernel" "$store/initramfs/old.cpio"
}
kept_list() { (cd .culprit && echo debs/* kernels/* initramfs/*); }

@test 'clean takes what a kill left half written, and only that' {
	culprit_run run c1 -n 1 --build 'sh build.sh' --bench ./program
	expect_status 0
	mkdir -p .culprit/layout/2
	left='culprit.yaml.tmp17 repo.git/packed-refs.tmp5 repo.git/objects/info/alternates.tmp8 layout/2/g++-12.tmp29977'
	# a file of that name in a built tree is the user's
	tree=$(cd .culprit && echo trees/*/program)
	stays="layout/2/g++-12 repo.git/HEAD layout/2/a.tmpfile ${tree%/*}/mine.tmp12"
	for f in $left layout/2/g++-12 layout/2/a.tmpfile "${tree%/*}/mine.tmp12"; do : >".culprit/$f"; done
	culprit_run clean
	expect_status 0
	for f in $left; do [ ! -e ".culprit/$f" ] || complain "$f stayed"; done
	for f in $stays; do [ -e ".culprit/$f" ] || complain "$f went"; done
}

@test 'clean takes kernels with their packages and initramfs images, by age and by the ceiling' {
	culprit_run run c1 -n 1 --build 'sh build.sh' --bench ./program
	kept_kernels
	before=$(kept_list)
	culprit_run clean --older 30d --dry-run --json
	expect_status 0
	jq -e '[.removed[].path | select(test("^(debs|kernels|initramfs)"))] | sort == ["debs/.tmp-999999", "debs/linux-old", "initramfs/old.cpio", "kernels/old"]' <<<"$output"
	jq -e '.bytes > 2000000 and .bytes < 2200000 and .kept_bytes > 2000000 and .kept_trees == 1' <<<"$output"
	[ "$(kept_list)" = "$before" ]
	culprit_run clean
	expect_status 0
	expect_out 'no kernel is made of it'
	[ "$(kept_list)" = "$before" ] || complain 'they are below the ceiling and no age was given'
	[ ! -e .culprit/debs/.tmp-999999 ]
	culprit_run clean --max 2100K
	expect_status 0
	expect_out 'belongs to a kernel that goes'
	[ "$(kept_list)" = 'debs/linux-new kernels/new initramfs/new.cpio' ] || complain "$(kept_list)"
	culprit_run clean --max 0
	expect_status 0
	[ "$(kept_list)" = 'debs/* kernels/* initramfs/*' ] || complain "$(kept_list)"
}

@test 'kernels and initramfs images of other hunts go below project.cache, too' {
	culprit_run run c1 -n 1 --build 'sh build.sh' --bench ./program
	kept_kernels
	culprit_run run c2 -n 1 --build "$build" --bench ./program --dry-run --json
	jq -e '.cache_bytes > 4000000' <<<"$output"
	culprit_run run c2 -n 1 --build "$build" --bench ./program -c project.cache=3200K
	expect_status 0
	[ "$(kept_list)" = 'debs/linux-new kernels/new kernels/new.size initramfs/new.cpio' ] || complain "$(kept_list)"
	culprit_run clean --max 0
	[ "$(kept_list)" = 'debs/* kernels/* initramfs/*' ] || complain "$(kept_list)"
}
