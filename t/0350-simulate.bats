#!/usr/bin/env bats
# culprit simulate: the command; what it counts is tests/unit/test_simulate.c.

load lib
setup() { setup_culprit; }

# The first number of that name in the JSON on stdout.
number() { sed -n "s/^ *\"$1\": \([^,]*\),*\$/\1/p" <<<"$output" | head -1; }

history() {
	cat >history.txt <<'END'
%sd 0.004
v1     -        level 12.41
a1     v1       level 12.41
b1     v1       broken
m1     a1,b1    level 12.41
c2     m1       level 12.80
v2     c2       values 12.79 12.83 12.81 12.95
END
}

@test 'a table of policies on the same histories' {
	culprit_run simulate huge50s det --policy P0,P1,P4 --histories 20
	expect_status 0
	expect_out 'scenario  policy'
	[ "$(grep -c '^huge50s' <<<"$output")" -eq 3 ]
	[ "$(grep -c '^det' <<<"$output")" -eq 3 ]
	[ -z "$stderr" ]
}

@test 'the same seed gives the same table, whatever the jobs' {
	culprit_run simulate g3s_N128 messy --histories 12 --seed 5 --calibration
	expect_status 0
	one=$output
	culprit_run simulate g3s_N128 messy --histories 12 --seed 5 --calibration -j 3
	[ "$output" = "$one" ] || complain "three jobs differ"
	culprit_run simulate g3s_N128 messy --histories 12 --seed 6 --calibration
	[ "$output" != "$one" ] || complain "another seed gives the same"
}

@test 'JSON: the rates of one, an array of several' {
	culprit_run simulate --json --histories 10 det
	expect_status 0
	expect_out '"schema": 1,'
	expect_out '"scenario": "det",'
	expect_out '"policy": "P4",'
	[ "$(number right)" = 1 ]
	[ "$(number actual)" = 1 ]
	# The shares of the answers sum to 1.
	awk -F'[:,]' '/^  "(right|false|no_change|multiple|set|undecided)":/ { n++; sum += $2 }
		END { exit !(n == 6 && sum == 1) }' <<<"$output"
	culprit_run simulate --json --histories 5 det huge50s --policy P0,P4
	expect_status 0
	[ "$(grep -c '"policy":' <<<"$output")" -eq 4 ]
	expect_out '"results": ['
}

@test 'a history from a file is answered by name' {
	history
	culprit_run simulate --file history.txt --histories 30
	expect_status 0
	expect_out 'named c2'
	[ "$(head -1 <<<"$output" | cut -d' ' -f3)" -ge 27 ]
	culprit_run simulate --file - --histories 1 <history.txt
	expect_status 0
}

@test 'targets: each with its verdict, and exit status 1 if one is missed' {
	printf 'huge50s P1 10 right>=99%% runs<=60/60\n' >good.txt
	culprit_run simulate --targets good.txt
	expect_status 0
	[ "$(grep -c ' ok$' <<<"$output")" -eq 2 ]
	printf 'huge50s P1 10 runs<=59\n' >missed.txt
	culprit_run simulate --targets missed.txt
	expect_status 1
	expect_out 'WORSE'
}

@test 'parameters change the scenario' {
	culprit_run simulate det -N 16 --policy P0 --histories 3 --json
	expect_status 0
	[ "$(number mean)" = 6 ]
	culprit_run simulate -d 0 -N 64 --histories 5 --json
	expect_status 0
	[ "$(number no_change)" = 1 ]
}

@test 'comparisons: tables by name, with a fault that is refused' {
	culprit_run simulate --ab builds --histories 400 --seed 3
	expect_status 0
	expect_out 'builds a side'
	expect_out 'runs as units'
	[ "$(grep -c ' refused$' <<<"$output")" -eq 1 ]
	[ "$(grep -c ' ok$' <<<"$output")" -eq 6 ]
	one=$output
	culprit_run simulate --ab builds --histories 400 --seed 3 -j 3
	[ "$output" = "$one" ] || complain "three jobs differ"
	culprit_run simulate --ab --ci coverage --histories 100 --json
	[ "$(grep -c '"kind": "coverage"' <<<"$output")" -eq 51 ]
	# So few repetitions cannot see the fault, and the command says that.
	expect_status 1
	culprit_run simulate --ab covrage
	expect_status 2 && expect_one_line "'covrage'"
}

@test 'mistakes' {
	culprit_run simulate g4s
	expect_status 2 && expect_one_line "no scenario 'g4s', did you mean 'g3s'?"
	culprit_run simulate nosuchthing
	expect_status 2 && expect_one_line 'culprit simulate --list prints them'
	culprit_run simulate --policy P0,P7
	expect_status 2 && expect_one_line "'P7'"
	culprit_run simulate --policy ,
	expect_status 2 && expect_one_line 'at least one policy'
	culprit_run simulate --noise loud
	expect_status 2 && expect_one_line "--noise wants"
	culprit_run simulate --histories 0
	expect_status 2 && expect_one_line 'histories'
	culprit_run simulate dag3s --policy P1
	expect_status 2 && expect_one_line 'a line only'
	culprit_run simulate -N 3 --changes 4
	expect_status 2 && expect_one_line '4 changes do not fit into 3 commits'
	culprit_run simulate --file nowhere.txt
	expect_status 2 || [ "$status" -eq 4 ]
	expect_one_line 'nowhere.txt'
	printf 'a - level 1\nb x level 1\n' >bad.txt
	culprit_run simulate --file bad.txt
	expect_status 2 && expect_one_line "bad.txt:2: parent 'x'"
	culprit_run simulate --list g3s
	expect_status 2 && expect_one_line 'take no scenario'
}
