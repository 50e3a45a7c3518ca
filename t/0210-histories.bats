#!/usr/bin/env bats
# The search on histories that projects have: submodules, line ends, merges of long branches, generated files; and on benchmarks
# with habits: a slow first run, a coarse clock, memory for a metric.

load lib
setup() {
	setup_culprit
}

verdict() { jq -r .verdict <<<"$output"; }
named() { jq -r .culprit <<<"$output"; }
# A script that prints V microseconds with noise of half a percent, as ./$1.
timed() {
	# shellcheck disable=SC2016 # the script's own variables
	printf 'V=%s\nnoise=$(od -An -N2 -tu2 /dev/urandom)\necho "time: $((V * (100000 + noise %% 1000) / 100000)) us"\n' "$2" >"$1"
}
commit() {
	git add -A
	git commit -q --allow-empty -m "$1"
	git tag "$1"
}
search() { culprit_run bisect "$@" --no-head-to-head --json; }

@test 'a submodule that moves matters if the benchmark reads it; an empty one is said' {
	printf '[protocol "file"]\n\tallow = always\n' >>"$HOME/.gitconfig"
	git init -q library && cd library
	for k in 1 2 3 4; do
		echo "level=$((k < 3 ? 1000 : 1060))" >level
		commit "l$k"
	done
	cd .. && git init -q project && cd project
	git submodule -q add ../library lib
	timed bench.sh '$level'
	sed -i '1i . ./lib/level' bench.sh
	for k in 1 2 3 4; do
		git -C lib checkout -q "l$k"
		commit "c$k"
	done
	for k in 5 6; do
		echo "$k" >README
		commit "c$k"
	done
	search c1 c6 --build 'cp bench.sh b' --bench 'sh b'
	expect_status 0
	[ "$(named)" = "$(git rev-parse c3)" ]
	jq -e '.cannot_matter == 1 or .cannot_matter == 2' <<<"$output"
	git clone -q . ../without && cd ../without
	search c1 c6 --build 'cp bench.sh b' --bench 'sh b'
	expect_status 4
	expect_err 'submodule lib stays empty: it is not initialised in your checkout (git submodule update --init)'
	[ "$(grep -c 'stays empty' <<<"$stderr")" -eq 1 ]
}

@test 'files get the line ends that the attributes ask for' {
	git init -q project && cd project
	printf '*.c text eol=crlf\n*.sh text eol=lf\n' >.gitattributes
	printf 'int x;\r\n' >a.c
	for k in 1 2 3 4 5; do
		timed bench.sh $((k < 4 ? 1000 : 1060))
		commit "c$k"
	done
	search c1 c5 --build 'test "$(wc -c <a.c)" = 8 && cp bench.sh b' --bench 'sh b'
	[ "$(named)" = "$(git rev-parse c4)" ]
	[ -z "$(git status --porcelain)" ]
}

@test 'inside a merge of 3,000 commits; --first-parent names the merge' {
	git init -q project && cd project
	timed bench.sh 1000
	{
		printf 'commit refs/heads/main\nmark :1\ncommitter A <a@example.org> 1700000000 +0000\ndata 4\nbase\n'
		printf 'M 644 inline bench.sh\ndata %d\n%s\n\n' "$(wc -c <bench.sh)" "$(cat bench.sh)"
		timed bench.sh 1060
		for ((k = 2; k <= 3001; k++)); do
			printf 'commit refs/heads/side\nmark :%d\ncommitter A <a@example.org> %d +0000\ndata 5\ns%04d\n' $k $((1700000000 + k)) $k
			[ $k -gt 2 ] || echo 'from :1'
			[ $k != 1777 ] || printf 'M 644 inline bench.sh\ndata %d\n%s\n\n' "$(wc -c <bench.sh)" "$(cat bench.sh)"
			printf 'M 644 inline notes/%d\ndata 4\n%04d\n' $((k % 7)) $k
		done
		printf 'commit refs/heads/main\nmark :4000\ncommitter A <a@example.org> 1700009000 +0000\ndata 5\nmerge\nmerge :3001\n'
		printf 'M 644 inline bench.sh\ndata %d\n%s\n\n' "$(wc -c <bench.sh)" "$(cat bench.sh)"
	} | git fast-import --quiet
	git reset -q --hard main
	git tag base "$(git rev-list --max-parents=0 HEAD)"
	search base main --build 'cp bench.sh b' --bench 'sh b'
	[ "$(named)" = "$(git log -1 --format=%H --all --grep=s1777)" ]
	jq -e '.candidates == 3001 and .builds < 30' <<<"$output"
	search base main --build 'cp bench.sh b' --bench 'sh b' --first-parent
	[ "$(named)" = "$(git rev-parse main)" ]
}

@test 'a build may take a file from another branch' {
	git init -q project && cd project
	timed bench.sh 1000
	commit c1
	git checkout -q -b generated
	echo made=1 >made.conf
	commit made
	git checkout -q main
	for k in 2 3 4 5; do
		timed bench.sh $((k < 4 ? 1000 : 1060))
		commit "c$k"
	done
	search c1 c5 --build 'git show generated:made.conf >conf && git checkout -q generated -- made.conf && cp bench.sh b' --bench '. ./conf; [ $made = 1 ] && sh b'
	expect_status 0
	[ "$(named)" = "$(git rev-parse c4)" ]
	[ -z "$(git status --porcelain)" ]
}

@test 'a first run that is always slow is not counted; a coarse clock still tells; memory is a metric' {
	git init -q project && cd project
	printf '#include <stdlib.h>\nint main(void)\n{\n\tvolatile char *p = malloc(SIZE);\n\tfor (long i = 0; i < SIZE; i += 512)\n\t\tp[i] = 1;\n\treturn 0;\n}\n' >memory.c
	for k in 1 2 3 4 5 6; do
		timed bench.sh $((k < 4 ? 1000 : 1060))
		# shellcheck disable=SC2016 # the script's own variables
		printf '[ -e warm ] || V=$((V * 5))\n: >warm\n' | sed -i '1r /dev/stdin' bench.sh
		# shellcheck disable=SC2016 # the script's own variables
		printf 'noise=$(od -An -N2 -tu2 /dev/urandom)\necho "time: $(((%d + noise %% 9) / 10 * 10)) ms"\n' $((k < 3 ? 120 : 137)) >coarse.sh
		echo "cc -O1 -DSIZE=$((k < 5 ? 8000000 : 8900000)) -o memory memory.c && cp bench.sh b && cp coarse.sh c" >build.sh
		commit "c$k"
	done
	search c1 c6 --build 'sh build.sh' --bench 'sh b'
	[ "$(named)" = "$(git rev-parse c4)" ]
	search c1 c6 --build 'sh build.sh' --bench 'sh c'
	[ "$(named)" = "$(git rev-parse c3)" ]
	search c1 c6 --build 'sh build.sh' --bench ./memory --metric max-rss
	[ "$(named)" = "$(git rev-parse c5)" ]
	jq -e '.unit == "B" and .change > 0.05 and .change < 0.15' <<<"$output"
	search c1 c3 --build 'sh build.sh' --bench ./memory --metric max-rss
	[ "$(verdict)" = no-change ]
	jq -e ".warnings | length == 0" <<<"$output" || complain "$(jq .warnings <<<"$output")"
}
