#!/usr/bin/env bats
# culprit history: levels of a series of numbers that exist already.

load lib
setup() { setup_culprit; }

# 40 releases: 7 % more from v15, 3 % less from v30, a spike at v8, and a last point far off. Three repeats a point.
nights() {
	awk 'BEGIN {
		seed = 7
		for (i = 0; i < 40; i++) {
			level = i < 15 ? 12.4 : i < 30 ? 13.3 : 12.9
			if (i == 8 || i == 39) level *= 1.3
			printf "v%d:", i
			for (k = 0; k < 3; k++) {
				seed = (seed * 16807) % 2147483647
				printf " %.2f", level * (1 + 0.02 * (seed / 2147483647 - 0.5))
			}
			print " ms"
		}
	}'
}

@test 'levels, with a line across the table at each change' {
	nights >nights.txt
	culprit_run history nights.txt
	expect_status 0
	[ "$(grep -c '^ ---- ' <<<"$output")" -ge 2 ]
	grep -Eq '^ ---- v15: \+7\.[0-9] % \[\+6\.[0-9], \+[78]\.[0-9]\] slower' <<<"$output" || complain 'no v15'
	grep -Eq '^ ---- v30: -[23]\.[0-9] % \[.*\] faster' <<<"$output" || complain 'no v30'
	expect_out 'the last point lies off that level'
	expect_out 'too early to say'
	[ -z "$stderr" ]
	culprit_run history nights.txt --points
	[ "$(grep -c '^   v[0-9]' <<<"$output")" -eq 40 ]
}

@test 'JSON, standard input, and the direction' {
	nights >nights.txt
	run --separate-stderr sh -c 'culprit history - --json <nights.txt'
	expect_status 0
	jq -e '.schema == 1 and .command == "history" and .points == 40 and .unit == "ms" and .better == "lower"' <<<"$output"
	jq -e '[.changes[].at] == ["v15", "v30"] and [.changes[].verdict] == ["slower", "faster"]' <<<"$output"
	jq -e '.changes[0] | .point == 16 and .after == "v14" and .low < .change and .change < .high' <<<"$output"
	jq -e '[.levels[].points] == [15, 15, 10] and .pending == 1 and .pending_change > 0.2' <<<"$output"
	culprit_run history nights.txt --better higher --json
	jq -e '.changes[0].verdict == "faster"' <<<"$output"
}

@test 'a column without changes, and too few points' {
	for i in 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4; do echo "100.$i"; done >quiet.txt
	culprit_run history quiet.txt
	expect_status 0
	expect_out 'no change of the level'
	printf '1\n1\n9\n9\n9\n' >few.txt
	culprit_run history few.txt
	expect_status 3
	expect_out 'fewer than 6 points'
}

@test 'mistakes are one line' {
	printf '2020 12\n2021 13\n' >years.txt
	culprit_run history years.txt
	expect_status 2 && expect_one_line 'years.txt:1: several numbers without a label (--labels'
	culprit_run history years.txt --labels
	expect_status 3
	printf 'a 1\nb nan\n' >nan.txt
	culprit_run history nan.txt
	expect_status 2 && expect_one_line 'nan.txt:2: not a finite number'
	culprit_run history
	expect_status 2 && expect_one_line 'history wants one file'
	culprit_run history nowhere.txt
	[ "$status" -ge 2 ] && expect_one_line 'nowhere.txt'
}
