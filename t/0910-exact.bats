#!/usr/bin/env bats
# A real Debian kernel in the emulator. The package comes from $CULPRIT_DEBS (a folder shared by all runs) or from apt.

load lib

setup() {
	setup_culprit
	system_path
	command -v qemu-system-x86_64 >/dev/null || skip 'qemu-system-x86 is not installed'
	[ -e "$(dirname "$(readlink -f "$CULPRIT")")/culprit-guest" ] || skip 'the guest program was not built'
	export CULPRIT_DEBS=${TEST_DEBS:-${TMPDIR:-/tmp}/culprit-test-debs}
	mkdir -p "$CULPRIT_DEBS"
	git init -q project
	cd project || return 1
	git commit -q --allow-empty -m one
}

# The newest 6.1 kernel that apt has; skips where there is none to be had.
kernel() {
	apt-cache pkgnames linux-image-6.1.0- 2>/dev/null | grep -E '^linux-image-6\.1\.0-[0-9]+-amd64$' | sort -V | tail -1
}
need_kernel() {
	k=$(kernel)
	[ -n "$k" ] || skip 'apt knows no linux-image-6.1.0-*-amd64'
	ls -d "$CULPRIT_DEBS"/"$k"_* >/dev/null 2>&1 || (cd "$CULPRIT_DEBS" && timeout 300 apt-get download --print-uris "$k" >/dev/null 2>&1) ||
		skip 'apt cannot reach its archive'
}

# Every start of the emulator is a line of qemu.log.
count_boots() {
	local real
	real=$(command -v qemu-system-x86_64)
	mkdir -p ../bin
	printf '#!/bin/sh\ncase "$*" in *-kernel*) echo boot >>%s/qemu.log ;; esac\nexec %s "$@"\n' "$PWD" "$real" >../bin/qemu-system-x86_64
	chmod +x ../bin/qemu-system-x86_64
	PATH=$(cd ../bin && pwd):$PATH
}

@test 'a Debian kernel boots, counts, and counts the same again' {
	need_kernel
	count_boots
	culprit_run run "deb=$k" --bench 'i=0; while [ $i -lt 200 ]; do (exit 0); i=$((i + 1)); done; echo "forks: 200"' -n 1 --json
	expect_status 0
	jq -e '.measured[] | select(.metric == "instructions") | .primary and .values[0] > 1000000 and .evidence == "emulated"' <<<"$output"
	jq -e '[.measured[].metric] | contains(["kernel-instructions", "page-faults", "context-switches"])' <<<"$output"
	culprit_run log 1
	expect_out 'exact: one boot, made twice, gave the same'
	[ "$(wc -l <qemu.log)" -eq 2 ] || complain 'the first of the two boots is the one that counts'
	! pgrep -f "$PWD/.culprit/guests" || complain 'a guest is left'
	[ -z "$(ls .culprit/guests)" ] || complain 'a folder of a guest is left'
}

@test 'explain: a tunable that differs is on top, functions have names, and no boot that counts describes' {
	need_kernel
	count_boots
	culprit_run explain "deb=$k" "deb=$k:sysctl.vm.swappiness=17" -n 2 --json \
		--bench 'i=0; while [ $i -lt 100 ]; do (exit 0); i=$((i + 1)); done'
	expect_status 0
	jq -e '.surroundings.rows[0] | .group == "sysctl" and .key == "vm.swappiness" and .before == "60" and .after == "17"' <<<"$output"
	jq -e '.surroundings.count == 1' <<<"$output"
	jq -e '.functions | .count > 500 and .repeating > 300 and .runs == [2, 2]' <<<"$output"
	# all of it has a name or a file, and the sum is the whole
	jq -e '.functions.total[0] as $sum | .metrics[] | select(.metric == "instructions") | .baseline_median == $sum' <<<"$output"
	jq -e '[.metrics[].metric] | contains(["llc-misses", "llc-miss-rate", "cycles-8M"])' <<<"$output"
	jq -e '.events.count > 5' <<<"$output"
	[ "$(wc -l <qemu.log)" -eq 7 ] || complain 'two that describe, four that count, and the first of these again'
	culprit_run verify 1
	expect_status 0
	culprit_run show 1
	expect_out 'vm.swappiness'
	[ -z "$(ls .culprit/guests)" ] || complain 'a file of symbols is left'
}

@test 'kill -9 leaves no guest behind' {
	need_kernel
	culprit run "deb=$k" --bench 'sleep 1000' -n 1 >out 2>&1 3>&- &
	pid=$!
	n=0
	until pgrep -f "$PWD/.culprit/guests" >/dev/null; do
		kill -0 $pid || complain "$(cat out)"
		n=$((n + 1))
		[ $n -lt 3000 ] || complain 'no guest began'
		read -rt 0.1 <> <(:) || true
	done
	kill -9 $pid
	wait $pid || true
	n=0
	while pgrep -f "$PWD/.culprit/guests" >/dev/null; do
		n=$((n + 1))
		[ $n -lt 300 ] || complain 'a guest outlived its culprit'
		read -rt 0.1 <> <(:) || true
	done
}

@test 'what is no kernel, and a package that does not exist, are one line' {
	echo hello >text
	culprit_run run image=text --bench true
	expect_status 2
	expect_one_line 'text'
	command -v apt-cache >/dev/null || skip 'no apt here'
	culprit_run run deb=linux-image-0.0.0-nothing --bench true
	[ "$status" -ne 0 ] || complain 'a kernel that does not exist'
	expect_one_line 'linux-image-0.0.0-nothing'
}

@test 'vm: KVM is tried by a guest, and where it fails the way out is one line' {
	culprit_run run --target vm --bench true
	case $status in
	2) expect_one_line 'needs a kernel' ;; # KVM works: what is missing is a kernel
	4) expect_one_line '--target exact needs none' ;;
	*) complain 'neither' ;;
	esac
}

@test 'a program needs a kernel to run under' {
	culprit_run run --target exact --bench true
	expect_status 2
	expect_one_line 'targets.exact.kernel'
}

@test 'a list of releases is checked before anything is fetched' {
	culprit_run bisect --over nothing.txt --bench true
	expect_status 2
	expect_one_line 'nothing.txt'
	printf '# none\nlinux-image-6.1.0-1-amd64\n' >list
	culprit_run bisect --over list --bench true
	expect_status 2
	expect_one_line 'deb=PACKAGE or image=PATH is wanted'
	culprit_run bisect --over list one --bench true
	expect_status 2
	expect_one_line 'two entries of the list'
}
