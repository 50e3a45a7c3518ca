#!/bin/sh
# Does the statistics keep what STATISTICS section 3 asks? Prints each target with what was measured and a verdict.
#
#	BUILD=build bench/stats.sh [--ci] [--jobs N] [--scale X] [--seeds LIST]
#
# The whole: seeds 777 and 2024 and ten fresh ones, pooled; then the A/B table. --ci: a reduced table on the first two.
# The seeds are printed, so that a run can be repeated: --seeds LIST. Ends with 1 if a target is missed.
set -eu
cd "$(dirname "$0")/.."
program=${BUILD:-build}/culprit
ci='' jobs=1 scale=1 seeds='' targets=bench/stats-targets.txt
while [ $# -gt 0 ]; do
	case "$1" in
	--ci) ci=--ci targets=bench/stats-targets-ci.txt && shift && continue ;;
	--jobs | --scale | --seeds) [ $# -gt 1 ] || { echo "stats.sh: $1 wants a value" >&2; exit 2; } ;;
	*) echo "usage: stats.sh [--ci] [--jobs N] [--scale X] [--seeds LIST]" >&2; exit 2 ;;
	esac
	case "$1" in
	--jobs) jobs=$2 ;;
	--scale) scale=$2 ;;
	--seeds) seeds=$2 ;;
	esac
	shift 2
done
if [ -z "$seeds" ]; then
	seeds=777,2024
	[ -n "$ci" ] || seeds=$seeds,$(od -An -N40 -tu4 /dev/urandom | tr -s ' \n' ',,' | sed 's/^,//; s/,$//')
fi
status=0
echo "culprit simulate --targets $targets --seeds $seeds --scale $scale"
"$program" simulate --targets "$targets" --seeds "$seeds" --scale "$scale" --jobs "$jobs" || status=$?
echo
echo "culprit simulate --ab $ci --seed ${seeds%%,*}"
# shellcheck disable=SC2086
"$program" simulate --ab $ci --seed "${seeds%%,*}" --jobs "$jobs" || status=$?
exit "$status"
