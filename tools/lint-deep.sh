#!/bin/sh
# The slow checks: every test under ASan and UBSan with clang, the unit tests with gcc's, gcc's analyzer, clang-tidy, cppcheck, the unit tests under
# valgrind, a few seconds of each fuzz entry. Says what each found; exit 1 if any found something.
# Usage: lint-deep.sh [asan|gcc-asan|analyzer|tidy|cppcheck|valgrind|fuzz ...]   (default: all)
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- asan gcc-asan analyzer tidy cppcheck valgrind fuzz
status=0
fuzz_seconds=${FUZZ_SECONDS:-20}

setup() { # folder, then meson's arguments
	folder=$1
	shift
	[ -e "$folder/build.ninja" ] || meson setup "$folder" "$@" >"$folder.log" 2>&1 || {
		cat "$folder.log"
		exit 1
	}
	rm -f "$folder.log"
}
verdict() { # name status
	if [ "$2" -eq 0 ]; then
		echo "$1: ok"
	else
		echo "$1: FAILED"
		status=1
	fi
}

for what; do
	found=0
	case $what in
	asan)
		CC=clang setup build-asan -Dwerror=true -Db_sanitize=address,undefined -Db_lundef=false
		ninja -C build-asan >build-asan/log 2>&1 || { cat build-asan/log; found=1; }
		# Leaks are errors too; a crash of the tested program is a failed test.
		[ "$found" -ne 0 ] || BUILD=build-asan UBSAN_OPTIONS=halt_on_error=1 tools/check.sh || found=1
		;;
	gcc-asan)
		# No -Werror: gcc's own warnings are not meant for instrumented code.
		CC=gcc setup build-gcc-asan -Db_sanitize=address,undefined -Db_lundef=false
		ninja -C build-gcc-asan >build-gcc-asan/log 2>&1 || { grep -A5 'error:\|FAILED' build-gcc-asan/log; found=1; }
		[ "$found" -ne 0 ] || UBSAN_OPTIONS=halt_on_error=1 meson test -C build-gcc-asan --print-errorlogs || found=1
		;;
	analyzer)
		# Left out: what follows a value through "return err_set()", whose sign the analyzer cannot know across files.
		CC=gcc setup build-analyzer -Dtests=disabled "-Dc_args=['-fanalyzer', '-Wno-analyzer-null-dereference',
			'-Wno-analyzer-null-argument', '-Wno-analyzer-use-of-uninitialized-value']"
		ninja -C build-analyzer -t clean >/dev/null
		ninja -C build-analyzer >build-analyzer/log 2>&1 || found=1
		! grep -E 'warning: .*\[-Wanalyzer' build-analyzer/log || found=1
		;;
	tidy)
		setup build
		find src -name '*.c' | LC_ALL=C sort |
			xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p build >build/tidy.log 2>/dev/null || true
		! grep -E ' (warning|error): ' build/tidy.log || found=1
		;;
	cppcheck)
		cppcheck --quiet --std=c11 --enable=warning,performance --inline-suppr -I src -I build \
			--suppressions-list=tools/cppcheck.txt --error-exitcode=1 -j "$(nproc)" src || found=1
		;;
	valgrind)
		setup build
		ninja -C build >/dev/null
		for test in build/test_*; do
			if [ ! -x "$test" ] || [ ! -f "$test" ]; then continue; fi
			CULPRIT_SRCDIR=$PWD valgrind --quiet --error-exitcode=99 --leak-check=full \
				--trace-children=no "$test" >build/valgrind.log 2>&1 && continue
			# before 3.21 it lacks pidfd_open, by which programs are watched: the sanitizers see these tests
			if grep -q 'unhandled .*syscall: 434' build/valgrind.log; then
				echo "valgrind: cannot run $test, which starts programs"
				continue
			fi
			echo "$test:"
			grep -E '^==|FAILED|ERROR' build/valgrind.log | head -20
			found=1
		done
		;;
	fuzz)
		CC=clang setup build-fuzz -Dtests=disabled -Db_lundef=false -Db_sanitize=address,undefined \
			-Dc_args=-fsanitize=fuzzer-no-link
		ninja -C build-fuzz libculprit.a libculprit_fast.a >build-fuzz/log 2>&1 || { cat build-fuzz/log; found=1; }
		libs=$(pkg-config --cflags --libs sqlite3 jansson yaml-0.1 libRmath libzstd)
		for entry in fuzz/fuzz_*.c; do
			[ "$found" -eq 0 ] || break
			name=$(basename "$entry" .c)
			mkdir -p build-fuzz/corpus
			# shellcheck disable=SC2086 # a list of words
			clang -g -O1 -std=gnu17 -D_GNU_SOURCE -fsanitize=fuzzer,address,undefined -I src -I build-fuzz "$entry" \
				build-fuzz/libculprit.a build-fuzz/libculprit_fast.a $libs -lm -lpthread -o "build-fuzz/$name"
			"build-fuzz/$name" -max_total_time="$fuzz_seconds" -timeout=10 -artifact_prefix="build-fuzz/$name-" \
				build-fuzz/corpus "fuzz/corpus/${name#fuzz_}" >"build-fuzz/$name.log" 2>&1 ||
				{ tail -n 25 "build-fuzz/$name.log"; found=1; }
			rm -rf build-fuzz/corpus
		done
		;;
	*)
		echo "usage: lint-deep.sh [asan|gcc-asan|analyzer|tidy|cppcheck|valgrind|fuzz ...]" >&2
		exit 2
		;;
	esac
	verdict "$what" "$found"
done
exit $status
