#!/bin/sh
# The demo: makes a git repository of some 300 commits, one of which is about 4 % slower, and searches that one for real, by
# building and running. Checks that the answer is right. BUILD=build
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
demo=$build/demo

rm -rf "$demo"
mkdir -p "$demo"
echo "Making a repository with a slow commit in it: $demo/tally"
planted=$(tools/demo-repo.sh "$demo/tally")
cd "$demo/tally"

echo
echo "$ cd $demo/tally"
echo "$ culprit bisect good bad --build 'make -s' --bench ./tally --metric cpu"
echo
status=0
"$build/culprit" bisect good bad --build 'make -s' --bench ./tally --metric cpu >"$demo/answer" || status=$?
cat "$demo/answer"
echo
if [ "$status" -ne 0 ]; then
	echo "The search ended with status $status; what it measured is in $demo/tally/.culprit" >&2
	exit "$status"
fi
if ! grep -q "$(printf '%.12s' "$planted")" "$demo/answer"; then
	echo "That is not the commit that was planted, $planted." >&2
	exit 1
fi
echo "Right: $(printf '%.12s' "$planted") is the commit that was planted."
echo "Every sample behind this is in $demo/tally/.culprit/culprit.db; from that folder:"
echo "  culprit log 1       what was done, in order"
echo "  culprit verify 1    every number computed again from the raw samples"
