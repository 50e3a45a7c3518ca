#!/bin/sh
# Removes what `make install` put there, by meson's own list of what it installs where. Usage: BUILD=build DESTDIR= uninstall.sh
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
if [ ! -e "$build/meson-info/intro-installed.json" ]; then
	echo "uninstall: $build is no build folder of culprit" >&2
	exit 1
fi
# meson brings Python along. A folder in the list (the workloads) is the program's own and goes whole.
python3 - "$build" "${DESTDIR:-}" <<'END'
import json, os, shutil, sys

build, destdir = sys.argv[1:]
gone = 0
with open(os.path.join(build, "meson-info", "intro-installed.json")) as f:
    paths = sorted(set(json.load(f).values()))
for path in paths:
    path = destdir + path
    if os.path.isdir(path) and not os.path.islink(path):
        gone += sum(len(files) for _, _, files in os.walk(path))
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)
        gone += 1
    # The program's own folder, once it is empty.
    parent = os.path.dirname(path)
    if os.path.basename(parent) == "culprit" and os.path.isdir(parent) and not os.listdir(parent):
        os.rmdir(parent)
print(f"uninstall: {gone} files removed")
END
