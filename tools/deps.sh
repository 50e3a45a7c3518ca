#!/bin/sh
# Installs what building, testing and the demo need, on systems with apt; says what before it does. Elsewhere it
# says what is missing. Usage: deps.sh [build|check|bench|kernel|deep] (default check: build and check; bench: the rival of `make bench`; kernel: of `make check-kernel`; deep: all of `make lint-deep`).
set -eu
level=${1:-check}

# Debian package, then how to see that it is there without dpkg: a pkg-config module, a program or a header.
build='gcc:program:gcc make:program:make meson:program:meson ninja-build:program:ninja pkg-config:program:pkg-config
git:program:git libc6-dev:header:stdio.h libsqlite3-dev:module:sqlite3 libjansson-dev:module:jansson
libyaml-dev:module:yaml-0.1 libexpat1-dev:module:expat r-mathlib:module:libRmath libzstd-dev:module:libzstd
libelf-dev:module:libelf liblzma-dev:module:liblzma zlib1g-dev:module:zlib'
# netperf, for the workloads of that name, is not among these: Debian has it in non-free, which is the user's to allow. The tests do without.
check='libcmocka-dev:module:cmocka bats:program:bats valgrind:program:valgrind pmccabe:program:pmccabe
shellcheck:program:shellcheck mandoc:program:mandoc codespell:program:codespell
jq:program:jq sqlite3:program:sqlite3 procps:program:pgrep qemu-system-x86:program:qemu-system-x86_64
stress-ng:program:stress-ng rt-tests:program:hackbench'
bench='hyperfine:program:hyperfine'
kernel='flex:program:flex bison:program:bison bc:program:bc ccache:program:ccache xz-utils:program:xz'
deep='clang:program:clang clang-format:program:clang-format clang-tidy:program:clang-tidy cppcheck:program:cppcheck'
case $level in
build) wanted=$build ;;
check) wanted="$build $check" ;;
bench) wanted="$build $bench" ;;
kernel) wanted="$build $check $kernel" ;;
deep) wanted="$build $check $bench $deep" ;;
*)
	echo "usage: deps.sh [build|check|bench|kernel|deep]" >&2
	exit 2
	;;
esac

# Without dpkg: is the thing itself there?
present() { # kind name
	case $1 in
	program) command -v "$2" >/dev/null 2>&1 ;;
	module) pkg-config --exists "$2" 2>/dev/null ;;
	header) printf '#include <%s>\n' "$2" | ${CC:-cc} -E - >/dev/null 2>&1 ;;
	esac
}

missing=
for entry in $wanted; do
	package=${entry%%:*}
	rest=${entry#*:}
	present "${rest%%:*}" "${rest#*:}" || missing="$missing $package"
done
if [ -z "$missing" ]; then
	echo "deps: nothing to do"
	exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
	echo "deps: this system has no apt; please install what these Debian packages hold, then go on with 'make':" >&2
	for package in $missing; do echo "  $package" >&2; done
	exit 1
fi
as_root=
if [ "$(id -u)" -ne 0 ]; then
	if ! command -v sudo >/dev/null 2>&1; then
		echo "deps: please run as root: apt-get install$missing" >&2
		exit 1
	fi
	as_root=sudo
fi
echo "deps: will install with apt:$missing"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # a list of words on purpose
if ! $as_root apt-get install -y --no-install-recommends $missing >/dev/null 2>&1; then
	# The package lists may be old or absent.
	$as_root apt-get update -q
	$as_root apt-get install -y --no-install-recommends $missing
fi
echo "deps: done"
