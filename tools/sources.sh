#!/bin/sh
# Lists the sources of one part of the program, sorted, for meson.build: src | guest | fast | sim | unit | tool | fuzz | man | bench, or the corpus of a
# fuzz entry: corpus NAME.
# Files named *_fast.c are compiled for vector registers (meson.build).
set -eu
cd "$(dirname "$0")/.."
case "$1" in
src) find src -name '*.c' ! -name '*_fast.c' ! -path src/cli/main.c ! -path 'src/guest/*' ;;
guest) find src/guest src/base/err.c src/base/mem.c src/base/num.c src/base/str.c -name '*.c' ! -path src/guest/main.c ;;
fast) find src -name '*_fast.c' ;;
sim) find tests/sim -name '*.c' ;;
tool) find tests/tool -name '*.c' ;;
unit) find tests/unit -name 'test_*.c' ;;
fuzz) find fuzz -name 'fuzz_*.c' ;;
bench) find bench -name '*.c' ;;
man) find man -name '*.[157]' ;;
corpus) find "fuzz/corpus/$2" -type f ;;
*) echo "usage: sources.sh src|guest|fast|sim|unit|tool|fuzz|bench|man|corpus NAME" >&2; exit 2 ;;
esac | LC_ALL=C sort
