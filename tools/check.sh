#!/bin/sh
# Runs every test: the unit tests by meson, then the files of t/ (two at a time on two CPUs). Ends by the plain line
# "total: N passed, M failed", where N counts the functions of the unit tests and the tests of t/; exit 1 if any failed.
# Usage: check.sh [unit|t]   BUILD=build
set -eu
cd "$(dirname "$0")/.."
root=$PWD
build=${BUILD:-build}
case $build in /*) ;; *) build=$root/$build ;; esac
part=${1:-all}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
passed=0 failed=0 skipped=0

if [ "$part" != t ]; then
	status=0
	meson test -C "$build" --suite unit --no-stdsplit >"$out/unit" 2>&1 || status=$?
	log=$build/meson-logs/testlog.txt
	# What cmocka says of itself, function by function; a test program that died says nothing and counts as one failure.
	p=$(awk '/^\[  PASSED  \] [0-9]+ test/ { n += $4 } END { print n + 0 }' "$log")
	f=$(awk '/^\[  FAILED  \] [0-9]+ test/ { n += $4 } END { print n + 0 }' "$log")
	bad=$(awk '$1 == "Fail:" || $1 == "Timeout:" { n += $2 } END { print n + 0 }' "$out/unit")
	if [ "$status" -ne 0 ] || [ "$bad" -gt 0 ]; then
		grep -aE '^\[  (ERROR|FAILED)|^\[   LINE|runtime error|ERROR: ' "$log" || cat "$out/unit"
		[ "$f" -ge "$bad" ] || f=$bad
		[ "$f" -gt 0 ] || f=1
	fi
	if [ "$p" -eq 0 ] && [ "$f" -eq 0 ]; then
		echo "no unit test ran (is cmocka installed? 'make deps')"
		f=1
	fi
	echo "unit tests: $p passed, $f failed"
	passed=$((passed + p)) failed=$((failed + f))

	# The fuzz entries over their corpora: one test each.
	meson test -C "$build" --suite fuzz --logbase fuzzlog >"$out/fuzz" 2>&1 || true
	p=$(awk '$1 == "Ok:" { print $2 }' "$out/fuzz")
	f=$(awk '$1 == "Fail:" || $1 == "Timeout:" { n += $2 } END { print n + 0 }' "$out/fuzz")
	[ -n "$p" ] || { p=0 f=$((f + 1)); }
	[ "$f" -eq 0 ] || cat "$out/fuzz"
	echo "fuzz corpora: $p passed, $f failed"
	passed=$((passed + p)) failed=$((failed + f))
fi

if [ "$part" != unit ]; then
	export CULPRIT="${CULPRIT:-$build/culprit}"
	command -v bats >/dev/null || { echo "bats is missing: 'make deps' installs it" >&2; exit 1; }
	find t -name '*.bats' | LC_ALL=C sort |
		xargs -P "$(nproc)" -I{} sh -c 'bats --tap "$1" >"$2/$(basename "$1").tap" 2>&1 ||
			echo "$?" >"$2/$(basename "$1").status"' sh {} "$out"
	for tap in "$out"/*.tap; do
		p=$(grep -c '^ok ' "$tap" || true)
		s=$(grep -ci '^ok .*# skip' "$tap" || true)
		f=$(grep -c '^not ok ' "$tap" || true)
		planned=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$tap" | head -1)
		if [ "$((p + f))" -ne "${planned:--1}" ] || { [ -e "${tap%.tap}.status" ] && [ "$f" -eq 0 ]; }; then
			f=$((f + 1)) # it ended early, or failed outside a test
			cat "$tap"
		elif [ "$f" -gt 0 ]; then
			awk '/^(ok|not ok) / { bad = /^not/ } bad' "$tap"
		fi
		grep -i '^ok .*# skip' "$tap" | sed 's/^ok [0-9]* /skipped: /' || true
		printf '%s: %d passed, %d failed\n' "t/$(basename "$tap" .tap)" "$((p - s))" "$f"
		passed=$((passed + p - s)) failed=$((failed + f)) skipped=$((skipped + s))
	done
fi

[ "$skipped" -eq 0 ] || echo "skipped: $skipped"
echo "total: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
