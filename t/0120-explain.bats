#!/usr/bin/env bats
# explain, from end to end: a C program counted by callgrind, whose changes are known to the function.

load lib

setup() {
	setup_culprit
	system_path
	command -v valgrind >/dev/null || skip 'valgrind is not installed'
	git init -q project
	cd project || return 1
	printf 'project:\n  build: make\n  artefacts: [program]\nbenchmarks:\n  work: {command: ./program, measure: callgrind}\n' >culprit.yaml
	printf 'program: program.c\n\t$(CC) -O1 -g -o $@ $<\n' >Makefile
	program 1000 '__attribute__((noinline))'
	git add . && git commit -qm base && git tag base
}

# $1: rounds of crunch(); $2: how helper() is declared. steady() is what never changes.
program() {
	cat >program.c <<-END
		static volatile int sink;
		static $2 int helper(int x) { for (int k = 0; k < 9; k++) sink += k; return x * 3 + sink; }
		__attribute__((noinline)) int crunch(int n) { int s = 0; for (int i = 0; i < n; i++) s += sink ^ i; return s; }
		__attribute__((noinline)) int caller(int n) { int s = 0; for (int i = 0; i < n; i++) s += helper(i); return s; }
		__attribute__((noinline)) int steady(void) { int s = 0; for (int i = 0; i < 5000; i++) s += sink; return s; }
		int main(void) { sink = 1; int s = crunch($1) + caller(2000) + steady(); sink = s; return 0; }
	END
}

@test 'the function that was changed is on top, and what repeats is told' {
	program 3000 '__attribute__((noinline))'
	git commit -qam more
	culprit_run explain base main --json
	expect_status 0
	jq -e '.schema == 1 and .command == "explain" and (.variants | length) == 2' <<<"$output"
	jq -e '.functions.rows[0] | .function == "program:crunch" and .difference > 5000 and .status == "repeats" and .spread == 0' <<<"$output"
	jq -e '[.functions.rows[].function] | index("program:steady") | not' <<<"$output"
	jq -e '.functions.shifts == [] and .functions.lost == 0 and .functions.runs == [2, 2]' <<<"$output"
	jq -e '.functions.rows[0].difference as $d | .metrics[] | select(.metric == "instructions") | .median - .baseline_median | . == $d' <<<"$output"
	culprit_run show 1
	expect_out 'program:crunch'
	expect_out 'the compilers are the same'
	culprit_run verify 1
	expect_status 0
	expect_out 'explain): verified'
}

@test 'a function that was inlined is a cost shift' {
	program 1000 'inline __attribute__((always_inline))'
	git commit -qam inlined
	culprit_run explain base main
	expect_status 0
	expect_out 'cost shift: program:helper -'
	expect_out 'as if code had moved'
	culprit_run explain base main --json
	jq -e '.functions.shifts | length == 1' <<<"$output"
	jq -e '.functions.shifts[0] | .gone == ["program:helper"] and .come == ["program:caller"] and .gained < .lost' <<<"$output"
}

@test 'the same command again gives the stored answer, and --new measures' {
	program 3000 '__attribute__((noinline))'
	git commit -qam more
	culprit_run explain base main --json
	first=$output
	culprit_run explain base main --json
	[ "$output" = "$first" ] || complain 'another answer'
	culprit_run explain base main --new -n 3 --json
	jq -e '.hunt == 2 and .functions.runs == [3, 3]' <<<"$output"
}

@test 'counts that vary are measured more often, and nothing is claimed of what varies' {
	# some rounds more, by the clock
	vary() { sed -i 's/int s = crunch/struct timespec t; clock_gettime(CLOCK_MONOTONIC, \&t); int s = crunch(t.tv_nsec % 1000) + crunch/; 1i #include <time.h>' program.c; }
	vary
	git commit -qam varying
	program 30000 '__attribute__((noinline))'
	vary
	git commit -qam more
	culprit_run explain main~1 main --json
	expect_status 0
	jq -e '.functions.runs == [5, 5]' <<<"$output"
	jq -e '.functions.rows[] | select(.function == "program:crunch") | .status == "varies" and .spread > 0' <<<"$output"
	culprit_run verify 1
	expect_status 0
}

@test 'kill -9 in a run, and the same command goes on to the same answer' {
	program 3000 '__attribute__((noinline))'
	git commit -qam more
	culprit explain base main --json >whole 2>/dev/null
	culprit explain base main --new --json >out 2>&1 3>&- &
	pid=$!
	n=0
	until culprit log 2 2>/dev/null | grep -q '#0'; do
		kill -0 $pid 2>/dev/null || break
		n=$((n + 1))
		[ $n -lt 3000 ] || complain 'no run ended'
		read -rt 0.1 <> <(:) || true
	done
	kill -9 $pid 2>/dev/null || true
	wait $pid || true
	culprit explain base main --json >again 2>/dev/null
	for f in whole again; do jq -S 'del(.hunt, .seconds, .builds_made, .runs)' $f >$f.json; done
	diff whole.json again.json
	culprit_run verify 2
	expect_status 0
}

@test 'a culprit that a search named is explained against its parent, with what the search measured' {
	for i in 1 2 3 4; do
		program $((i < 3 ? 1000 : 3000)) '__attribute__((noinline))'
		echo "/* $i */" >>program.c
		git commit -qam "change $i"
	done
	culprit_run bisect base main --json -c benchmarks.work.runs=1
	expect_status 0
	culprit=$(jq -r .culprit <<<"$output")
	[ "$culprit" = "$(git rev-parse main~1)" ] || complain 'another culprit'
	culprit_run explain --json
	expect_status 0
	jq -e --arg c "$culprit" --arg p "$(git rev-parse main~2)" '.variants == [$p, $c]' <<<"$output"
	jq -e '.functions.rows[0].function == "program:crunch"' <<<"$output"
	culprit_run explain 1
	expect_err 'was measured before'
	expect_out "${culprit:0:12}"
}

@test 'where functions cannot be counted it says what would count them' {
	program 3000 '__attribute__((noinline))'
	git commit -qam more
	culprit_run explain base main --measure wall -n 2
	expect_status 0
	expect_out 'No functions: --measure callgrind'
	expect_out 'wall'
}

@test 'bad input is one line' {
	culprit_run explain base main third
	expect_status 2
	expect_one_line 'two variants'
	culprit_run explain
	[ "$status" -eq 4 ] || [ "$status" -eq 2 ] || complain 'no hunt here'
	expect_one_line 'no hunt yet'
	culprit_run explain base
	expect_one_line 'number of a hunt'
	culprit run base -n 1 >/dev/null 2>&1
	culprit_run explain
	expect_status 2
	expect_one_line 'no search here has named a culprit yet'
	culprit_run explain 1
	expect_status 2
	expect_one_line 'leaves no two sides'
	culprit_run explain 99
	expect_one_line '99'
}
