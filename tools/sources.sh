#!/bin/sh
# Lists the sources of one part of the program, sorted, for meson.build: src | fast | unit.
# Files named *_fast.c are compiled with -ffast-math.
set -eu
cd "$(dirname "$0")/.."
case "$1" in
src) find src -name '*.c' ! -name '*_fast.c' ! -path src/cli/main.c ;;
fast) find src -name '*_fast.c' ;;
unit) find tests/unit -name 'test_*.c' ;;
*) echo "usage: sources.sh src|fast|unit" >&2; exit 2 ;;
esac | LC_ALL=C sort
