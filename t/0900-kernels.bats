#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Kernels by name and workloads: what is said when something is not there. No kernel is fetched or booted here.
load lib
setup() { setup_culprit; TEST=$BATS_TEST_TMPDIR; }

# A PATH with an apt of our own, which knows two kernels and fetches none.
fake_apt() {
	mkdir -p "$TEST/apt"
	cat >"$TEST/apt/apt-cache" <<'END'
#!/bin/sh
case "$1 $2" in
'pkgnames linux-image-7.'* | 'pkgnames linux-image-') printf '%s\n' linux-image-7.1-amd64 linux-image-7.2-amd64 linux-image-7.2-rt-amd64 ;;
pkgnames*) ;;
*)
	shift
	for p; do
		case $p in
		linux-image-7.1-amd64) v=7.1.9-1 ;;
		linux-image-7.2-amd64) v=7.2.10-1 ;;
		linux-image-7.2-rt-amd64) v=7.2.10-1 ;;
		*) echo 'E: No packages found' >&2; exit 100 ;;
		esac
		printf 'Package: %s\nVersion: %s\nArchitecture: amd64\nFilename: x\nSHA256: 00\n\n' "$p" "$v"
	done ;;
esac
END
	cat >"$TEST/apt/apt-get" <<'END'
#!/bin/sh
echo 'E: Failed to fetch http://nowhere  Could not resolve' >&2
exit 100
END
	chmod +x "$TEST/apt/apt-cache" "$TEST/apt/apt-get"
	PATH="$TEST/apt:$PATH"
}

# A PATH with everything but apt.
without_apt() {
	mkdir -p "$TEST/few"
	for p in sh git sed cat env; do ln -sf "$(command -v $p)" "$TEST/few/$p"; done
}

@test 'kernels lists what deb= can name, oldest first, flavours passed over' {
	fake_apt
	culprit_run kernels 'linux-image-7.*'
	expect_status 0
	[ "$output" = "deb=linux-image-7.1-amd64=7.1.9-1
deb=linux-image-7.2-amd64=7.2.10-1" ]
	culprit_run kernels 'linux-image-7.*-rt-*' --json
	expect_status 0
	[ "$(jq -r '.kernels[0].package' <<<"$output")" = linux-image-7.2-rt-amd64 ]
}

@test 'a package or version that apt does not have: what it has' {
	fake_apt
	culprit_run kernels linux-image-9-amd64
	expect_status 4
	expect_one_line "no package 'linux-image-9-amd64'; apt has linux-image-7.1-amd64, linux-image-7.2-amd64"
	culprit_run kernels linux-image-7.1-amd64=8
	expect_status 4
	expect_one_line "package 'linux-image-7.1-amd64' has no version '8'; apt has 7.1.9-1"
	culprit_run kernels -- -x
	expect_status 2
	expect_one_line "'deb=-x' is not PACKAGE"
}

@test 'without apt one line says what to do instead' {
	without_apt
	run --separate-stderr env PATH="$TEST/few" "$CULPRIT" kernels
	expect_status 4
	expect_one_line 'deb= needs apt-cache, which is not here'
	expect_err 'image=PATH'
}

@test 'workloads are listed with what is missing here and how to get it' {
	culprit_run workloads --json
	expect_status 0
	[ "$(jq -r '.workloads[] | select(.name == "stress-ng-clone") | .operations' <<<"$output")" = bogo-ops ]
	[ "$(jq '[.workloads[] | select((.blind | length) == 0 or (.primary | length) == 0 or .about == null)] | length' <<<"$output")" = 0 ]
	without_apt
	run --separate-stderr env PATH="$TEST/few" "$CULPRIT" workloads
	expect_status 0
	expect_out 'hackbench (apt install rt-tests)'
}

@test 'a workload by name, by file, and names that are none' {
	culprit_run workloads hackbench
	expect_status 0
	expect_out 'hackbench -g 2'
	culprit_run workloads hackbnch
	expect_status 2
	expect_one_line "no workload 'hackbnch', did you mean 'hackbench'?"
	printf 'benchmarks: {a: {command: x}, b: {command: y}}\n' >"$TEST/two.yaml"
	culprit_run workloads "$TEST/two.yaml"
	expect_status 2
	expect_one_line "'$TEST/two.yaml' is no workload: it has 2 benchmarks, not one"
	CULPRIT_WORKLOADS="$TEST/nowhere" culprit_run workloads
	expect_status 4
	expect_one_line "there are no workloads in '$TEST/nowhere'"
}

@test '--workload measures on the local target, and culprit.yaml changes its keys' {
	make_history 2
	cd project
	cat >"$TEST/count.yaml" <<'END'
benchmarks:
  count:
    command: 'echo "rate: 5 ops/s"'
    programs: [sh]
    operations: "10"
END
	culprit_run run HEAD --workload "$TEST/count.yaml" --json
	expect_status 0
	[ "$(jq -r '[.. | .benchmark? // empty] | unique | join(" ")' <<<"$output")" = count ]
	culprit_run run HEAD --workload "$TEST/count.yaml" --new --json -c 'benchmarks.count.command=echo "other: 5 ops/s"'
	expect_status 0
	expect_out '"other"'
	culprit_run run HEAD --workload "$TEST/count.yaml" --bench true
	expect_status 2
	expect_one_line '--workload and --bench both name a benchmark: give one'
}

@test 'a workload whose program is missing says which package has it' {
	make_history 2
	cd project
	printf 'benchmarks: {lacking: {command: no-such-program, programs: [no-such-program], packages: [some-package]}}\n' >"$TEST/lacking.yaml"
	culprit_run run HEAD --workload "$TEST/lacking.yaml"
	expect_status 4
	expect_err "benchmark 'lacking': a program that it needs is not here: no-such-program (apt install some-package)"
}

@test 'a kernel that cannot be had is one line, and nothing is measured' {
	command -v qemu-system-x86_64 >/dev/null || skip 'qemu-system-x86 is not installed'
	fake_apt
	make_history 2
	cd project
	culprit_run run deb=linux-image-7.3-amd64 --bench true
	expect_status 4
	expect_one_line "no package 'linux-image-7.3-amd64'; apt has linux-image-7.1-amd64, linux-image-7.2-amd64"
	culprit_run run deb=linux-image-7.3-amd64 --bench true -j 2 # builds side by side: there is nothing to build
	expect_status 4
	expect_one_line "no package 'linux-image-7.3-amd64'"
	culprit_run run 'deb=linux-image-7.*' --bench true
	expect_status 4
	expect_one_line 'fetching linux-image-7.2-amd64=7.2.10-1: apt-get: Failed to fetch'
	culprit_run run deb=linux-image-7.1-amd64:modules=/nonexistent --bench true
	expect_status 2
	expect_one_line 'modules=/nonexistent: there is no such folder'
}
