#!/bin/sh
# The figures that culprit promises about itself, each as a ratio against a rival or a limit of the same run: `make bench`.
# Not part of the tests: a busy machine must not fail a build. With --record FILE it also writes the page of docs/results.
#
#	BUILD=build bench/run.sh [--record FILE]
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
record=
case $# in
0) ;;
2) [ "$1" = --record ] && record=$2 ;;
*) echo "usage: run.sh [--record FILE]" >&2 && exit 2 ;;
esac
culprit=$build/culprit
peak=$build/bench_peak
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1

# row WHAT VALUE UNIT LIMIT AGAINST [least]: one figure, at most (or at least) the limit; AGAINST says what the limit is
row() {
	awk -v what="$1" -v v="$2" -v unit="$3" -v limit="$4" -v against="$5" -v least="${6:-}" 'BEGIN {
		ok = v != "" && (least ? v + 0 >= limit + 0 : v + 0 <= limit + 0)
		printf "%s\t%.3g %s\t%s %.3g %s, %s\t%.2f\t%s\n", what, v, unit, least ? "at least" : "at most", limit, unit,
			against, v / limit, ok ? "met" : "MISSED"
	}' >>"$work/rows"
	tail -n 1 "$work/rows" | awk -F'\t' '{ printf "%-52s %14s   %-46s ratio %5s  %s\n", $1, $2, $3, $4, $5 }'
}
seconds() { "$peak" "$@" | cut -d' ' -f1; }
median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

load=$(cut -d' ' -f1 /proc/loadavg)
machine="$(nproc) CPUs ($(uname -m))"
echo "$machine; load $load"
awk -v l="$load" 'BEGIN { exit !(l > 0.5) }' && echo "this machine is busy: figures against a limit in seconds say little"

cost=$("$build/bench_run_cost" | sed -n 's/.*cost  .*: cost \(-\{0,1\}[0-9.]*\) ms.*/\1/p' | head -n 1)
row "own cost of a local run, over fork + exec + wait" "$cost" ms 2 "the promise"
if command -v hyperfine >/dev/null 2>&1; then
	git init -q "$work/r"
	git -C "$work/r" -c user.name=b -c user.email=b@example.org commit -q --allow-empty -m b
	bare_runs() { "$peak" hyperfine -N --runs "$1" --warmup 1 --style none true; }
	rival_runs() { "$peak" hyperfine --runs "$1" --warmup 1 --style none true; }
	own_runs() { "$peak" "$culprit" -C "$work/r" run HEAD -n "$1" --bench true -q --new; }
	# what 1,200 further runs take, on the clock and of the CPU: neither's start, calibration or checkout is in it
	for turn in 1 2 3 4 5; do
		for who in rival own bare; do
			echo "$(${who}_runs 1300) $(${who}_runs 100)" | awk '{ print $1 - $5, $4 - $8 }' >>"$work/$who"
		done
	done
	for k in 1 2; do
		what=$(echo 'on the clock,of the CPU' | cut -d, -f$k)
		row "1,200 further runs of true, $what (median of $turn)" "$(cut -d' ' -f$k "$work/own" | median)" s \
			"$(cut -d' ' -f$k "$work/rival" | median)" "hyperfine's own time"
	done
	without="$(cut -d' ' -f1 "$work/bare" | median) s on the clock and $(cut -d' ' -f2 "$work/bare" | median) s of the CPU"
	echo "hyperfine -N, without a shell, for information: $without"
else
	echo "hyperfine is not installed ('tools/deps.sh bench'): no comparison with it"
fi

BUILD=$build bench/range.sh >"$work/range"
sed -n 's/^\([0-9]*\) commits.*parents \([0-9.]*\) ms, range_load \([0-9.]*\) ms.*memory \([0-9]*\) MB/\1 \2 \3 \4/p' "$work/range" >"$work/loads"
while read -r commits theirs own memory; do
	row "loading a range of $commits commits with merges" "$own" ms "$(awk -v t="$theirs" 'BEGIN { print 2 * t }')" \
		"twice git rev-list --parents"
	[ "$commits" -lt 50000 ] || row "memory of it" "$memory" MB 200 "the promise"
done <"$work/loads"

for s in g3s_N100k dag_100k; do
	"$culprit" simulate $s --histories 3 --jobs 1 -v >/dev/null 2>"$work/said"
	ms=$(sed -n 's/.*slowest decision \([0-9.]*\) ms.*/\1/p' "$work/said" | head -n 1)
	row "slowest choice of the next action, $s" "$ms" ms 50 "the promise"
	row "memory of such a hunt, $s" "$("$peak" "$culprit" simulate $s --histories 1 --jobs 1 | cut -d' ' -f2)" MB 200 "the promise"
done

awk 'BEGIN { srand(1); for (i = 0; i < 1000000; i++) printf "%.6f\n", 100 + rand() * 10 }' >"$work/a"
awk 'BEGIN { srand(2); for (i = 0; i < 1000000; i++) printf "%.6f\n", 101 + rand() * 10 }' >"$work/b"
for turn in 1 2 3; do seconds "$culprit" compare "$work/a" "$work/b" -q >>"$work/compare"; done
row "compare of two files of 1,000,000 values" "$(median <"$work/compare")" s 1 "the promise"
# Go bench text: 200 benchmarks, 10 lines of each in turn, as -count=10 gives, until it is 100 MB
awk 'BEGIN { srand(1); print "goos: linux\npkg: example.org/x"; while (n < 100e6) for (b = 0; b < 200; b++) for (c = 0; c < 10; c++) {
	s = sprintf("BenchmarkEncode/format=%d/size=%d-8         \t%8d\t%10.1f ns/op\t%8d B/op\t%8d allocs/op", b, b * 64,
		500000 + int(rand() * 200000), 1000 + 10 * b + rand() * 100, 192 + b, 4 + b % 7)
	print s; n += length(s) + 1 } print "PASS" }' >"$work/go"
row "reading 100 MB of go test -bench text" "$("$build/bench_read_rate" "$work/go" 5 | cut -d' ' -f1)" MB/s 200 "the promise" least
"$build/bench_read_json" t/fixtures/fio/plus.json >"$work/json"
sed -n 's/^\([a-z]*\): \([0-9.]*\) MB; jansson \([0-9.]*\) ms, reader \([0-9.]*\) ms.*/\1 \2 \3 \4/p' "$work/json" >"$work/reads"
while read -r what size theirs own; do
	row "reading $size MB of JSON ($what) as results" "$own" ms "$(awk -v t="$theirs" 'BEGIN { print 1.5 * t }')" "1.5 times jansson alone"
done <"$work/reads"
row "simulated hunts on one core, g3s, 1,024 commits" \
	"$(awk -v s="$(seconds "$culprit" simulate g3s --histories 300 --jobs 1)" 'BEGIN { print 300 / s }')" hunts/s 100 "the promise" least

[ -n "$record" ] || exit 0
{
	cat <<'PAGE'
# culprit's own cost

Written by `make bench-record`, which runs `bench/run.sh`: every figure stands beside its rival or its limit, measured in the same run. A ratio
of at most 1 is good, but for rates (hunts or MB a second), where it is at least 1. Not part of the tests.

PAGE
	echo "Measured on $(date -u +%Y-%m-%d) with $("$culprit" --version): $machine; load at the start $load."
	echo
	echo "| figure | measured | against | ratio | |"
	echo "|---|---|---|---|---|"
	awk -F'\t' '{ printf "| %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5 }' "$work/rows"
	[ -z "${without:-}" ] || printf '\nThe same 1,200 runs by `hyperfine -N`, without a shell: %s.\n' "$without"
	cat <<'PAGE'

- The own cost is the median of 200 interleaved pairs, some milliseconds apart: `true` as a benchmark is run, with pipes, limits,
  accounting and reading, minus a bare `fork`, `execl`, `waitpid` of `true` (`bench/run_cost.c`).
- hyperfine and culprit in turn: the time of 1,300 runs of the same command minus that of 100, so that neither's start counts. Both are as a user
  starts them, `hyperfine true` and `culprit run --bench true`. hyperfine runs it by `sh -c`; culprit leaves the shell out where it would only start a program (`src/bench/direct.c`). hyperfine throws the output away and keeps the times in
  memory; culprit keeps the output, has a session and a mount namespace for each run, a small process that runs them and ends what they leave, and writes each
  run down before the next one starts (`docs/design/015-journal.md`). The CPU time is that of all processes, culprit's helpers too. `hyperfine -N` starts no shell either; it is beside it for information, no promise.
- The ranges are made histories with merges (`bench/range.sh`); git and culprit in turn, medians of 7.
- Reading is timed by the clock of the process' CPU time, the best of five turns (`bench/read_rate.c`): the text is in memory, and every value kept.
- JSON (`bench/read_json.c`): results of fio, of which a few numbers count, and a million times of hyperfine, all of which are kept; jansson and the reader in
  turn, medians of 7.
- A choice of the next action is one `search_next()` of a hunt in the simulator, the slowest of three hunts.
PAGE
} >"$record"
echo "wrote $record"
