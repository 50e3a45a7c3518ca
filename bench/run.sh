#!/bin/sh
# The figures that culprit promises about itself, as ratios against a rival or a limit of the same run: `make bench`.
# Not part of the tests: a busy machine must not fail a build.
#
#	BUILD=build bench/run.sh
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
culprit=$build/culprit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

now() { date +%s.%N; }
since() { awk -v a="$1" -v b="$(now)" 'BEGIN { print b - a }'; }
# row WHAT VALUE UNIT LIMIT: aligned, with the share of the limit that is used
row() {
	awk -v what="$1" -v v="$2" -v unit="$3" -v limit="$4" -v least="${5:-}" 'BEGIN {
		ok = least ? v >= limit : v <= limit
		printf "%-58s %10.3f %-9s %s %8g   %5.2f of it   %s\n", what, v, unit, least ? "at least" : "at most ", limit, v / limit, ok ? "met" : "MISSED"
	}'
}

echo "culprit's own cost of a local run, over a bare fork + exec + wait:"
"$build/bench_run_cost"
if command -v hyperfine >/dev/null 2>&1; then
	n=200
	(cd "$work" && git init -q r && cd r && git -c user.name=b -c user.email=b@example.org commit -q --allow-empty -m b)
	t=$(now)
	hyperfine --runs $n --warmup 1 --style none true >/dev/null 2>&1
	rival=$(since "$t")
	t=$(now)
	(cd "$work/r" && "$culprit" run HEAD -n $n --bench true -q >/dev/null)
	row "run, $n runs of 'true' (limit: hyperfine's time)" "$(since "$t")" s "$rival"
else
	echo "hyperfine is not installed: no comparison with it"
fi

echo
echo "loading a range, against git rev-list --parents (at most 2x):"
BUILD=$build bench/range.sh

echo
awk 'BEGIN { srand(1); for (i = 0; i < 1000000; i++) printf "%.6f\n", 100 + rand() * 10 }' >"$work/a"
awk 'BEGIN { srand(2); for (i = 0; i < 1000000; i++) printf "%.6f\n", 101 + rand() * 10 }' >"$work/b"
t=$(now)
"$culprit" compare "$work/a" "$work/b" -q >/dev/null || true
row "compare of two files of 1,000,000 values" "$(since "$t")" s 1
t=$(now)
"$culprit" simulate g3s --histories 300 --jobs 1 >/dev/null
row "simulated hunts on one core (g3s, 1,024 commits)" "$(awk -v s="$(since "$t")" 'BEGIN { print 300 / s }')" hunts/s 100 least
for s in g3s_N100k:5 dag_100k:50; do
	ms=$("$culprit" simulate "${s%:*}" --histories 3 --jobs 1 -v 2>&1 >/dev/null | sed -n 's/.*slowest decision \([0-9.]*\) ms.*/\1/p' | head -1)
	row "slowest choice of the next action, ${s%:*}" "$ms" ms "${s#*:}"
done
