#!/bin/sh
# Does the statistics keep what STATISTICS section 3 asks? Prints each target with what was measured and a verdict.
#
#	bench-stats.sh [--ci] [--jobs N] [--scale X] [--seeds LIST] PROGRAM
#
# The whole: seeds 777 and 2024 and ten fresh ones, pooled; then the A/B table. --ci: a reduced table on the first two.
# The fresh seeds are printed, so that a run can be repeated: --seeds LIST. Ends with 1 if a target is missed.
set -eu
here=$(dirname "$0")
ci='' jobs=1 scale=1 seeds=''
while [ $# -gt 1 ]; do
	case "$1" in
	--ci) ci=--ci ;;
	--jobs) jobs=$2 && shift ;;
	--scale) scale=$2 && shift ;;
	--seeds) seeds=$2 && shift ;;
	*) break ;;
	esac
	shift
done
[ $# -eq 1 ] || { echo "usage: bench-stats.sh [--ci] [--jobs N] [--scale X] [--seeds LIST] PROGRAM" >&2; exit 2; }
program=$1
targets=$here/stats-targets.txt
if [ -n "$ci" ]; then
	targets=$here/stats-targets-ci.txt
	: "${seeds:=777,2024}"
fi
if [ -z "$seeds" ]; then
	seeds=777,2024,$(od -An -N40 -tu4 /dev/urandom | tr -s ' \n' ',,' | sed 's/^,//; s/,$//')
fi
status=0
echo "culprit simulate --targets $targets --seeds $seeds --scale $scale"
"$program" simulate --targets "$targets" --seeds "$seeds" --scale "$scale" --jobs "$jobs" || status=$?
echo
echo "culprit simulate --ab $ci --seed ${seeds%%,*}"
# shellcheck disable=SC2086
"$program" simulate --ab $ci --seed "${seeds%%,*}" --jobs "$jobs" || status=$?
exit "$status"
