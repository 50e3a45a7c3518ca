#!/usr/bin/env bats
# run and compare on a real repository, with real builds and runs of a program whose cost is known.

load lib
setup() {
	setup_culprit
}

digest() { find "$1" -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum; }

@test 'compare: a planted change is slower, with its interval' {
	make_history 6
	plant 4 +10%
	cd project
	culprit_run compare c3 c4 --build 'sh build.sh' --bench ./program --json
	expect_status 1
	[ "$(jq -r '.metrics[0].verdict' <<<"$output")" = slower ]
	[ "$(jq -r '.metrics[0].metric' <<<"$output")" = time ]
	jq -e '.schema == 1 and .metrics[0].low > 0.08 and .metrics[0].high < 0.12 and .metrics[0].primary' <<<"$output"
	jq -e '.metrics[0].n[0] >= 5 and .metrics[0].builds == [1, 1] and .metrics[0].evidence == "measured"' <<<"$output"
}

@test 'compare: the same program is on par, and a higher-is-better metric turns the verdict' {
	make_history 3
	plant 3 +10%
	cd project
	culprit_run compare c1 c2 --build 'sh build.sh' --bench ./program --margin 2% --json
	expect_status 0
	jq -e '.identical_artefacts or .metrics[0].verdict == "on-par"' <<<"$output"
	culprit_run compare c2 c3 --build 'sh build.sh' --bench './program | sed s/time/throughput/ | sed s/ns/ops/' --json
	expect_status 0
	[ "$(jq -r '.metrics[0].verdict' <<<"$output")" = faster ]
}

@test 'compare: the answer is stored, and the user repository is untouched to the byte' {
	make_history 4
	plant 3 +20%
	cd project
	echo dirty >>program.sh
	before=$(digest .git)
	culprit_run compare c2 c3 --build 'sh build.sh' --bench ./program
	expect_status 1
	expect_out slower
	[ "$before" = "$(digest .git)" ]
	[ "$(git status --porcelain)" = ' M program.sh' ]
	first=$output
	culprit_run compare c2 c3 --build 'sh build.sh' --bench ./program
	expect_status 1
	expect_err 'stored answer'
	[ "$output" = "$first" ]
	culprit_run verify
	expect_status 0
	expect_out verified
}

@test 'compare: three variants, an environment change and a revert' {
	make_history 5
	plant 4 +15%
	cd project
	culprit_run compare c3 c5 c5:revert=c4 --build 'sh build.sh' --bench ./program --json
	expect_status 1
	jq -e '[.metrics[] | select(.primary) | .verdict] == ["slower", "on-par"] or
		[.metrics[] | select(.primary) | .verdict] == ["slower", "identical"]' <<<"$output"
	culprit_run compare c1 c1:env.FAST=1 --build 'sh build.sh' \
		--bench 'if [ -n "$FAST" ]; then echo time: 501 ns; else echo time: 1003 ns; fi' --json
	expect_status 0
	[ "$(jq -r '.metrics[0].verdict' <<<"$output")" = faster ]
}

@test 'compare: files of numbers, stdin, and what cannot be decided' {
	printf '322.29\n319.42\n317.64\n326.27\n' >before.txt
	printf '320.50\n323.26\n324.27\n315.38\n' >after.txt
	culprit_run compare before.txt after.txt --better higher
	expect_status 3
	expect_out '-0.1 % [-3.3, +2.1]'
	expect_out 'undecided: about 40 more runs of each'
	run --separate-stderr sh -c 'culprit compare before.txt - --better higher --json <after.txt'
	expect_status 3
	[ "$(jq -r '.metrics[0].verdict' <<<"$output")" = undecided ]
	printf '%s\n' 84.75 84.56 83.33 86.89 >before.txt
	printf '%s\n' 84.03 86.13 86.27 84.46 >after.txt
	culprit_run compare before.txt after.txt --better higher
	expect_status 3
	expect_out '+0.4 % [-3.3, +3.5]'
	expect_out 'undecided: about 123 more runs of each'
	for v in 16.394 15.465 16.461; do echo "throughput: $v Gbit/s" >"v$v"; done
	culprit_run compare v16.394 v15.465 v16.461
	expect_status 3
	[ "$(grep -c 'undecided: no interval from so few: at least 4 more runs of each' <<<"$output")" -eq 2 ] ||
		complain 'single values have no interval, and it says so'
	expect_out '-5.7 %'
	expect_out '+0.4 %'
	grep -q '\[' <<<"$output" && complain 'an interval of single values'
	printf '12\n12\n12\n12\n12\n' >coarse.txt
	culprit_run compare coarse.txt coarse.txt --better lower
	expect_status 3
	expect_out 'undecided: not resolvable at the printed resolution'
	printf '709\n710\n' >b2
	printf '672\n683\n' >a2
	culprit_run compare b2 a2
	expect_status 3
	expect_out '-4.5 %'
	expect_out 'no interval from so few: at least 3 more runs of each'
	printf '1\nnan\n' >bad
	culprit_run compare b2 bad
	expect_status 2
	expect_one_line 'bad:2'
}

@test 'compare: a ratio of two counters is a metric, and a run without its parts fails' {
	make_history 3
	cd project
	rate() { # misses and references that both scatter, their ratio hardly
		echo 'r=$(od -An -N2 -tu2 /dev/urandom); echo references: $((1000000 + r)); echo misses: $(((1000000 + r) * '"$1"' / 1000 + r % 100))'
	}
	culprit_run compare c1 c1:env.BAD=1 --build true --bench "if [ -n \"\$BAD\" ]; then $(rate 65); else $(rate 5); fi" \
		-c 'metrics.miss_rate.formula=misses / references' -c metrics.miss_rate.better=lower \
		-c metrics.miss_rate.primary=yes --json
	expect_status 1
	jq -e '.metrics[0] | .metric == "miss_rate" and .primary and .verdict == "slower" and .low > 11 and .high < 13' <<<"$output"
	jq -e '[.metrics[] | select(.primary)] | length == 1' <<<"$output"
	jq -e '[.metrics[] | select(.metric == "misses") | .listed | type] == ["boolean"]' <<<"$output"
	jq -e '[.metrics[] | select(.primary) | has("listed")] == [false]' <<<"$output"
	culprit_run compare c1 c2 --build true --bench 'echo misses: 5' -c 'metrics.m.formula=misses / references' \
		-c metrics.m.better=lower -c benchmarks.default.primary=m
	expect_status 4
	expect_err "metric 'm' needs 'references', which the run did not give"
	culprit_run compare c1 c2 --build true --bench true -c 'metrics.m.formula=misses /'
	expect_status 2
	expect_one_line "a name, a number or a bracket is missing at 'its end' in the formula 'misses /'"
}

@test 'run: medians and the store; a failing build and a failing benchmark say so in one line' {
	make_history 3
	break_build 2
	cd project
	culprit_run run c1 c3 -n 3 --build 'sh build.sh' --bench ./program --json
	expect_status 0
	jq -e '.command == "run" and ([.measured[] | select(.metric == "time") | .n] == [3, 3])' <<<"$output"
	culprit_run run c2 --build 'sh build.sh' --bench ./program
	expect_status 4
	expect_one_line 'c2 does not build (failed)'
	expect_err 'this commit does not build'
	culprit_run run c1 --build 'sh build.sh' --bench 'exit 3'
	expect_status 4
	expect_one_line 'the benchmark fails on c1'
	expect_err 'exit status 3'
	culprit_run run c1 --build 'sh build.sh' --bench ./nothere
	expect_status 4
	expect_err 'nothere'
}

@test 'exit status for git bisect run' {
	make_history 3
	plant 3 +20%
	cd project
	culprit_run compare c1 c3 --build 'sh build.sh' --bench ./program --exit-code bisect
	expect_status 1
	culprit_run compare c1 c2 --build 'sh build.sh' --bench ./program --exit-code bisect
	expect_status 0
	culprit_run compare c1 nosuch --build 'sh build.sh' --bench ./program --exit-code bisect
	[ "$status" -ge 128 ]
	culprit_run compare c1 c2 --exit-code=bisect --bnch ./program
	[ "$status" -ge 128 ]
}

@test 'one store, two culprits: the second names the first' {
	make_history 2
	cd project
	go=$BATS_TEST_TMPDIR/go began=$BATS_TEST_TMPDIR/began
	culprit run c1 -n 1 --build 'sh build.sh' \
		--bench "touch $began; while [ ! -e $go ]; do sleep 0.05; done; ./program" >first 2>&1 3>&- &
	first=$!
	for ((i = 0; i < 400; i++)); do [ -e "$began" ] && break; sleep 0.05; done
	run --separate-stderr timeout 1 culprit run c2 -n 1 --build 'sh build.sh' --bench ./program
	expect_err 'this store is in use, waiting for'
	expect_err 'culprit run'
	touch "$go"
	wait "$first"
	culprit_run run c2 -n 1 --build 'sh build.sh' --bench ./program
	expect_status 0
}

@test 'run -j builds side by side, and the results are those of one by one' {
	make_history 4
	break_build 3
	cd project
	culprit_run run c1 c2 c4 -j 4 -n 2 --build 'echo began >>'"$BATS_TEST_TMPDIR"'/began; for i in 1 2 3 4 5 6 7 8 9 10; do [ "$(wc -l <'"$BATS_TEST_TMPDIR"'/began)" -ge 3 ] && break; sleep 0.2; done; [ "$(wc -l <'"$BATS_TEST_TMPDIR"'/began)" -ge 3 ] && sh build.sh' --bench ./program --json
	expect_status 0
	jq -e '[.measured[] | select(.metric == "time") | .n] == [2, 2, 2]' <<<"$output"
	culprit_run run c1 c3 -j 4 -n 1 --build 'sh build.sh' --bench ./program
	expect_status 4
	expect_one_line 'c3 does not build'
}

@test 'counters that this machine has not are said to be missing, and are no zero' {
	make_history 1
	cd project
	culprit_run run c1 -n 2 --build 'sh build.sh' --bench ./program --measure perf --json
	expect_status 0
	for name in task-clock cycles instructions branches branch-misses cache-references cache-misses page-faults context-switches cpu-migrations; do
		jq -e --arg n $name '[.measured[] | select(.metric == $n)] | length == 1' <<<"$output" >/dev/null || expect_err "$name"
	done
	jq -e '[.measured[] | select(.metric == "cycles" or .metric == "instructions" or .metric == "task-clock") | .values[]] | all(. > 0)' <<<"$output"
	[[ "$stderr" != *cycles* ]] || expect_err 'not supported: '
}

@test 'run: one program with its arguments is started without a shell, and what needs one gets it' {
	make_history 2
	cd project
	cat >asks <<-'EOF'
		#!/bin/sh
		printf 'parent: %s s\n' "$(tr '\0' ' ' </proc/$PPID/cmdline | grep -c "sh -c -- ./asks")"
		printf 'words: %d s\n' $#
		printf 'length: %d s\n' ${#2}
		[ "$PWD" = "$(pwd)" ] && printf 'folder: 1 s\n'
	EOF
	sed 1d asks >plain
	chmod +x asks plain
	git add asks plain && git commit -qm asks
	show() { culprit_run run HEAD --new -n 1 --bench "$1" --json && expect_status 0 && jq -c '[.measured[] | select(.metric | test("parent|words|length|folder")) | .median]' <<<"$output"; }
	[ "$(show "./asks a 'b c'")" = '[0,2,3,1]' ]
	[ "$(show "./asks a 'b c'; exit 0")" = '[1,2,3,1]' ]
	[ "$(show "./plain a b")" = '[0,2,1,1]' ]
	culprit_run run HEAD --new -n 1 --bench './absent x'
	expect_status 4
	expect_err './absent: not found'
}
