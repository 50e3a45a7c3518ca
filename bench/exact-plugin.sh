#!/bin/sh
# What the emulator's plug-in costs: the same guest without it, with counts and with the cache model, in turn, ROUNDS times.
# CPU seconds of QEMU, which a busy host moves less than the clock; ratios of medians. Promised: counts at most 1.3 times, the model at most 3.5.
# Also whether the guest wrote the same bytes each time. STORE is one in which a kernel was measured with a short command, such as
#   culprit run deb=linux-image-6.12-amd64 -n 1 --bench 'stress-ng --clone 1 --clone-ops 100 --no-rand-seed --metrics-brief'
#
#	BUILD=build bench/exact-plugin.sh [STORE [ROUNDS [RUNS]]]
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
plugin=$here/${BUILD:-build}/exact/culprit-exact.so
store=${1:-.culprit}
rounds=${2:-5}
runs=${3:-3}
vmlinux=$(find "$store/kernels" -name vmlinux 2>/dev/null | head -n 1)
[ -n "$vmlinux" ] || { echo "exact-plugin: no kernel in '$store/kernels': measure one first" >&2 && exit 2; }
[ -e "$plugin" ] || { echo "exact-plugin: there is no $plugin: build first" >&2 && exit 2; }
# shellcheck disable=SC2012 # the newest, by a name without blanks
initramfs=$(ls -t "$store"/initramfs/*.cpio | head -n 1)
work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill -9 $pid 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

cpu='Haswell-v4,-pcid,-x2apic,-tsc-deadline,-invpcid,-spec-ctrl,-rdrand,-rdseed,-erms,-fsrm'
words='console=ttyS0 quiet panic=-1 nokaslr norandmaps random.trust_cpu=off nowatchdog cryptomgr.notests=1'
words="$words initcall_blacklist=jent_mod_init,trace_eval_init,init_kprobe_trace"
bare=q35,hpet=off,vmport=off,smm=off,sata=off,usb=off,smbus=off,i8042=off

# CPU seconds of process $1 so far: fields 14 and 15 of its stat
spent() { sed 's/.*) //' "/proc/$1/stat" | awk -v hz="$(getconf CLK_TCK)" '{ print ($12 + $13) / hz }'; }

await() { # WORDS: until the guest has written them
	until grep -aq "^culprit $1 " "$work/results" 2>/dev/null; do
		kill -0 $pid 2>/dev/null || { echo "exact-plugin: '$name' ended before '$1'" >&2 && exit 4; }
		sleep 0.02
	done
}

# boot NAME [ARGUMENTS of the plug-in]: appends "until ready, the runs" to $work/NAME. Without a gate the guest goes from run to run.
boot() {
	name=$1
	rm -f "$work/results"
	set -- ${2+-plugin "$plugin,out=/dev/null$2"}
	qemu-system-x86_64 -nodefaults -no-user-config -machine $bare -accel tcg,tb-size=256 -bios qboot.rom -cpu "$cpu" -smp 1 -m 1G \
		-icount shift=0,sleep=off -rtc base=2024-01-01,clock=vm -seed 7 -nic none -display none -monitor none -no-reboot \
		-serial null -serial "file:$work/results" -kernel "$vmlinux" -initrd "$initramfs" -append "$words" "$@" \
		</dev/null >/dev/null 2>&1 &
	pid=$!
	await ready
	ready=$(spent $pid)
	await "result $((runs - 1))"
	echo "$ready $(spent $pid)" | awk '{ print $1, $2 - $1, $2 }' >>"$work/$name"
	kill -9 $pid
	wait $pid 2>/dev/null || true
	pid=
	awk -v last="culprit result $((runs - 1)) " '{ print } index($0, last) == 1 { exit }' "$work/results" | sha256sum >>"$work/said"
}

for _ in $(seq "$rounds"); do
	boot 1-no-plug-in
	boot 2-counts ''
	boot 3-counts-and-model ',model=default,memory=1073741824'
done
echo "CPU seconds of QEMU, medians of $rounds boots [lowest, highest]; $runs runs; $(sort -u "$work/said" | wc -l) different outputs of the guest"
printf '%-20s %28s %28s %28s\n' '' 'until ready' 'the runs' 'whole'
median() { # FILE COLUMN
	sort -g -k "$2,$2" "$work/$1" | awk -v c="$2" '{ v[NR] = $c } END { printf "%.2f [%.2f, %.2f]\n", v[int((NR + 1) / 2)], v[1], v[NR] }'
}
for f in 1-no-plug-in 2-counts 3-counts-and-model; do
	printf '%-20s' $f
	for c in 1 2 3; do printf ' %28s' "$(median $f $c)"; done
	echo
done
for f in 2-counts 3-counts-and-model; do
	printf '%-20s' "ratio of $f" | cut -c 1-29
	for c in 2 3; do
		echo "$(median 1-no-plug-in $c) $(median $f $c)" | awk -v c=$c '{ printf "   %s: %.2f times\n", c == 2 ? "the runs" : "whole", $4 / $1 }'
	done
done
