#!/usr/bin/env bats
# try: patches beside GOOD and BAD in one comparison. The program that is built costs what the files of cost/ say, with half a percent of noise.

load lib
setup() {
	setup_culprit
	system_path
	build=(--build 'sh build.sh' --bench ./program)
	git init -q project
	cd project || return
	cat >build.sh <<-'END'
		[ ! -e broken ] || { echo 'error: broken' >&2; exit 1; }
		sum=1000000
		for f in cost/*; do sum=$((sum + $(cat "$f"))); done
		cat >program <<-PROGRAM
			#!/bin/sh
			noise=\$(od -An -N2 -tu2 /dev/urandom)
			echo "time: \$(($sum + $sum * (noise % 1000 - 500) / 100000)) ns"
		PROGRAM
		chmod +x program
	END
	mkdir cost ../patches
	echo 0 >cost/a
	git add -A && git commit -qm base && git tag good
	echo 80000 >cost/a
	git commit -qam 'a: do it twice' && git tag bad
}
# Writes ../patches/NAME: the mail of a commit on BAD that the function after it makes.
patch() { # NAME SUBJECT CMD...
	local name=$1 subject=$2
	shift 2
	git checkout -q --detach bad
	"$@"
	git add -A && git commit -qm "$subject"
	git format-patch -1 --stdout >"../patches/$name"
	git checkout -q main
}
all() { echo 0 >cost/a; }
half() { echo 40000 >cost/a; }
none() { echo 80000 >cost/a && echo 10 >cost/c; }
worse() { echo 160000 >cost/a; }
broken() { : >broken; }
verdicts() { jq -c '[.patches[].verdict]' <<<"$output"; }

@test 'one repairs it, one a part, one does not help, one is worse: one comparison, stored and verified' {
	patch all.patch 'a: once again' all
	patch half.patch 'a: a little less' half
	patch none.patch 'a: nothing of the kind' none
	patch worse.patch 'a: and twice again' worse
	culprit_run try ../patches/{all,half,none,worse}.patch --on bad --good good "${build[@]}" --json
	expect_status 0
	[ "$(verdicts)" = '["repairs","partly","no-help","no-help"]' ]
	[ "$(jq -r .verdict <<<"$output")" = repairs ]
	jq -e '.patches[0].title == "a: once again" and .patches[0].findings[0].recovered.low > 0.8' <<<"$output"
	jq -e '.patches[1].findings[0].recovered | .low > 0.25 and .high < 0.75' <<<"$output"
	jq -e '.patches[3].findings[0].recovered.high < 0' <<<"$output"
	culprit_run try ../patches/{all,half,none,worse}.patch --on bad --good good "${build[@]}"
	expect_status 0
	expect_err 'stored answer'
	expect_out 'all.patch  a: once again'
	[[ "$output" == *'repairs it'*'repairs a part of it'*'does not help'* ]]
	culprit_run verify
	expect_status 0
	expect_out verified
	[ -z "$(git status --porcelain)" ]
}

@test 'what does not apply, is there already, does not build, or is no patch is said of that patch alone' {
	patch all.patch 'a: once again' all
	patch broken.patch 'a: broken' broken
	git format-patch -1 --stdout bad >../patches/again.patch
	git diff good bad | sed 's/^-0$/-1/; s/^+80000$/+7/' >../patches/other.patch
	culprit_run try ../patches/{other,again,broken,all}.patch --on bad --good good "${build[@]}" --json
	expect_status 0
	[ "$(verdicts)" = '["does-not-apply","changes-nothing","broken","repairs"]' ]
	jq -e '.patches[0].why | test("cost/a:1")' <<<"$output"
	culprit_run try ../patches/{other,again,broken,all}.patch --on bad --good good "${build[@]}"
	expect_out 'other.patch does not apply: patch failed: cost/a:1'
	expect_out 'again.patch changes nothing'
	expect_out 'does not build: '
	expect_out 'culprit show b'
	culprit_run try ../patches/other.patch --on bad --good good "${build[@]}"
	expect_status 4
	culprit_run verify
	expect_status 0
}

@test 'after a search nothing need be said again; equal ends are said to be equal' {
	patch all.patch 'a: once again' all
	culprit_run bisect good bad "${build[@]}" --no-relayout
	expect_status 0
	culprit_run try ../patches/all.patch
	expect_status 0
	expect_err 'was named by hunt 1'
	expect_out 'repairs it'
	git commit -q --allow-empty -m same && git tag same
	culprit_run try ../patches/all.patch --on same --good bad "${build[@]}"
	expect_status 1
	expect_out 'nothing to repair'
}

@test 'try: mistakes are one line each' {
	patch all.patch 'a: once again' all
	culprit_run try
	expect_status 2
	expect_one_line 'try wants patches'
	culprit_run try ../patches/all.patch "${build[@]}"
	expect_status 2
	expect_one_line 'try wants --on BAD and --good REV'
	culprit_run try ../patches/absent.patch --on bad --good good "${build[@]}"
	expect_status 2
	expect_one_line 'there is no such file'
	culprit_run try ../patches/all.patch ../patches/all.patch --on bad --good good "${build[@]}"
	expect_status 2
	expect_one_line 'is the same patch as one before it'
	culprit_run try '../patches/a:b.patch' --on bad --good good "${build[@]}"
	expect_status 2
	expect_one_line "cannot hold ':'"
	printf '<!DOCTYPE html>\n<html><body>patch</body></html>\n' >../patches/page.patch
	culprit_run try ../patches/page.patch --on bad --good good "${build[@]}"
	expect_status 2
	expect_one_line 'is an HTML page'
	echo hello >../patches/text.patch
	culprit_run try ../patches/text.patch --on bad --good good "${build[@]}"
	expect_status 2
	expect_one_line 'no patch'
	: >../patches/empty.patch
	culprit_run try ../patches/empty.patch --on bad --good good "${build[@]}"
	expect_status 2
	expect_one_line 'is empty'
}

@test 'a patch with which the benchmark fails, and one that does not build in time, are left out; the others go on' {
	patch all.patch 'a: once again' all
	patch crash.patch 'a: crash' eval 'echo crash >cost/crash'
	patch slow.patch 'a: build for ever' eval 'echo slow >slow'
	culprit_run try ../patches/{crash,slow,all}.patch --on bad --good good -c project.build_timeout=3s --json \
		--build '[ ! -e slow ] || sleep 60; if [ -e cost/crash ]; then rm cost/crash; sh build.sh; echo "kill -11 \$\$" >>program; else sh build.sh; fi' --bench ./program
	expect_status 0
	[ "$(verdicts)" = '["fails","broken","repairs"]' ]
	jq -e '.patches[0].why | test("signal 11.*culprit show r[0-9]+")' <<<"$output"
	culprit_run log
	expect_out 'crash.patch'
	culprit_run verify
	expect_status 0
}
