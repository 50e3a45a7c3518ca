#!/bin/sh
# Removes what `make install` put there, by meson's own list of it. Usage: BUILD=build DESTDIR= uninstall.sh
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
list=$build/meson-logs/install-log.txt
if [ ! -e "$list" ]; then
	echo "uninstall: $build was not installed from (no $list)" >&2
	exit 1
fi
n=0
# The list names the files where they lie, DESTDIR included.
grep -v '^#' "$list" | while IFS= read -r file; do
	[ ! -e "$file" ] && [ ! -L "$file" ] || [ -d "$file" ] || rm -f -- "$file"
done
grep -v '^#' "$list" | while IFS= read -r file; do
	dir=$(dirname "$file")
	while case $dir in */culprit | */culprit/*) true ;; *) false ;; esac; do
		rmdir -- "$dir" 2>/dev/null || break
		dir=$(dirname "$dir")
	done
done
n=$(grep -vc '^#' "$list")
echo "uninstall: $n files removed"
