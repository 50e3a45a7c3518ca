#!/bin/sh
# What a boot of the exact target costs, step by step: from the first report's way of starting a guest (DESIGN section 5) to culprit's own.
# CPU seconds of QEMU from its start until the guest says that it is ready, so that a busy host matters little; the median of ROUNDS.
# STORE is one in which a kernel was measured, a package's (culprit run deb=linux-image-6.12-amd64 --workload stress-ng-clone) or a built one.
#
#	bench/exact-boot.sh [STORE [ROUNDS]]
set -eu
store=${1:-.culprit}
rounds=${2:-3}
vmlinux=$(find "$store/kernels" "$store/trees" -maxdepth 2 -name vmlinux 2>/dev/null | head -n 1)
[ -n "$vmlinux" ] || { echo "exact-boot: no kernel in '$store': measure one first" >&2 && exit 2; }
vmlinuz=$(sed -n 's/^image //p' "$(dirname "$vmlinux")/kernel")
# shellcheck disable=SC2012 # the newest, by a name without blanks
initramfs=$(ls -t "$store"/initramfs/*.cpio | head -n 1)
work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill -9 $pid 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
gzip -9nc "$initramfs" >"$work/initramfs.gz"

cpu='Haswell-v4,-pcid,-x2apic,-tsc-deadline,-invpcid,-spec-ctrl,-rdrand,-rdseed,-erms,-fsrm'
words='console=ttyS0 quiet panic=-1 nokaslr norandmaps random.trust_cpu=off nowatchdog'
bare=q35,hpet=off,vmport=off,smm=off,sata=off,usb=off,smbus=off,i8042=off
qboot=/usr/share/qemu/qboot.rom

# CPU seconds of process $1 so far: fields 14 and 15 of its stat
spent() { sed 's/.*) //' "/proc/$1/stat" | awk -v hz="$(getconf CLK_TCK)" '{ print ($12 + $13) / hz }'; }

# boot NAME KERNEL INITRAMFS WORDS OPTION...: appends to $work/NAME; what stands is ready when the first frame has come
boot() {
	name=$1 kernel=$2 initrd=$3 append=$4
	shift 4
	rm -f "$work/results"
	qemu-system-x86_64 -cpu "$cpu" -m 1G -icount shift=0,sleep=off -rtc base=2024-01-01,clock=vm -seed 7 -nic none -no-reboot \
		-monitor none -serial null -serial "file:$work/results" -kernel "$kernel" -initrd "$initrd" -append "$append" "$@" \
		</dev/null >/dev/null 2>&1 &
	pid=$!
	until grep -q '^culprit ready' "$work/results" 2>/dev/null; do
		kill -0 $pid 2>/dev/null || { echo "exact-boot: '$name' did not boot" >&2 && exit 4; }
		sleep 0.05
	done
	spent $pid >>"$work/$name"
	kill -9 $pid
	wait $pid 2>/dev/null || true
	pid=
}

steps() {
	boot '1 vmlinuz, gzip initramfs, SeaBIOS, VGA' "$vmlinuz" "$work/initramfs.gz" "$words" -machine q35 -accel tcg -display none
	boot '2 initramfs not compressed' "$vmlinuz" "$initramfs" "$words" -machine q35 -accel tcg -display none
	boot '3 vmlinux through PVH' "$vmlinux" "$initramfs" "$words" -machine q35 -accel tcg -display none
	boot '4 no VGA, no option ROM (-nodefaults)' "$vmlinux" "$initramfs" "$words" -nodefaults -machine q35 -accel tcg -display none
	[ ! -e $qboot ] || boot '5 qboot instead of SeaBIOS' "$vmlinux" "$initramfs" "$words" -nodefaults -bios $qboot -machine q35 -accel tcg -display none
	[ -e $qboot ] || qboot=bios-256k.bin
	boot '6 no self tests of the crypto layer' "$vmlinux" "$initramfs" "$words cryptomgr.notests=1" -nodefaults -bios $qboot -machine q35 -accel tcg -display none
	boot '7 machine without unused devices' "$vmlinux" "$initramfs" "$words cryptomgr.notests=1" -nodefaults -bios $qboot -machine $bare -accel tcg -display none
	boot '8 no start of the jitter generator' "$vmlinux" "$initramfs" "$words cryptomgr.notests=1 initcall_blacklist=jent_mod_init" -nodefaults -bios $qboot -machine $bare -accel tcg,tb-size=256 -display none
}

for _ in $(seq "$rounds"); do steps; done
printf '%-44s %8s   of %s boots\n' "CPU seconds until the guest is ready" median "$rounds"
for f in "$work"/[0-9]*; do
	sort -g "$f" | awk -v name="$(basename "$f")" '{ v[NR] = $1 } END { printf "%-44s %8.2f   [%.2f, %.2f]\n", name, v[int((NR + 1) / 2)], v[1], v[NR] }'
done
