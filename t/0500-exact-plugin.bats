#!/usr/bin/env bats
# The emulator's plug-in against a guest without a kernel (exact-bare.S), whose every instruction is known: a second each.

load lib
setup() {
	setup_culprit
	build=$(dirname "$CULPRIT")
	plugin=$build/exact/culprit-exact.so
	[ -e "$plugin" ] || skip "no plug-in at $plugin"
}

# Runs the guest; $1: further arguments of the plug-in (",model=default"). The windows are in out.json.
bare() {
	command -v qemu-system-x86_64 >/dev/null || skip 'no qemu-system-x86_64 here'
	# shellcheck disable=SC2154 # root is lib.bash's
	as --32 -o bare.o "$root/t/exact-bare.S"
	ld -m elf_i386 -Ttext 0x100000 --section-start=.multiboot=0xff000 -z noexecstack -o bare bare.o 2>/dev/null
	rm -f out.json
	timeout 120 qemu-system-x86_64 -machine q35,accel=tcg -cpu qemu64 -smp "${smp:-1}" -m 64M -icount shift=0,sleep=off \
		-nic none -display none -serial none -monitor none -no-reboot -device isa-debug-exit -kernel bare \
		-plugin "$plugin,out=out.json$1" 2>err.txt
}
# The value of a key in window $1.
value() { jq -r "select(.run == $1) | .$2" out.json; }

@test 'the plug-in needs nothing but libc and QEMU' {
	readelf -d "$plugin" | grep NEEDED | grep -v 'libc\.so' && complain 'it needs more' || true
	odd=$(nm -D --undefined-only "$plugin" | awk '{ print $2 }' | grep -v -e '@GLIBC' -e '^qemu_plugin_' -e '^_ITM_' -e '^__gmon_start__' || true)
	[ -z "$odd" ] || complain "$odd"
	[ "$(nm -D --defined-only "$plugin" | awk '{ print $3 }' | sort | tr '\n' ' ')" = 'qemu_plugin_install qemu_plugin_version ' ]
}

@test 'the program of the guest is static' {
	run readelf -l "$build/culprit-guest"
	[[ "$output" != *INTERP* ]]
}

@test 'every instruction, iteration and access in the window is counted once' {
	bare ''
	[ "$(jq -c 'del(.cpus)' out.json | head -1)" = '{"run":0,"instructions":2012,"user":2012,"kernel":0,"rep":150,"rep_bytes":450,"loads":105,"stores":154,"atomics":1}' ] ||
		complain "$(cat out.json)"
	[ "$(value 1 instructions)" = 0 ]
	[ "$(value 1 loads)" = 0 ]
}

@test 'the model, symbols and calls at blocks change no count' {
	bare ''
	jq -c '[.run, .instructions, .rep, .rep_bytes, .loads, .stores, .atomics]' out.json >plain
	for arguments in ,blocks=on ,model=default,memory=67108864; do
		bare "$arguments"
		jq -c '[.run, .instructions, .rep, .rep_bytes, .loads, .stores, .atomics]' out.json | diff plain -
	done
	# 8 lines are read and 8 written, then one of either more; the stack; two lines of code and what is called.
	[ "$(value 0 l1d_refs)" = 259 ]
	[ "$(value 0 l1d_misses)" = 16 ] || complain "$(cat out.json)"
	[ "$(value 1 l1d_refs)" = 0 ]
	smp=2 bare ''
	jq -c '[.run, .instructions, .rep, .rep_bytes, .loads, .stores, .atomics]' out.json | diff plain -
	[ "$(value 0 'cpus | length')" = 2 ]
	[ "$(value 0 'cpus[1].instructions')" = 0 ]
}

@test 'windows are numbered from the warm-ups on' {
	bare ,warmup=2
	[ "$(jq .run out.json | tr '\n' ' ')" = '-2 -1 0 ' ]
}

@test 'code is named by the bytes of its file' {
	bare ''
	at=$((0x$(readelf -SW bare | sed -n 's/.* \.text *PROGBITS *[0-9a-f]* *\([0-9a-f]*\) .*/\1/p')))
	{
		echo "ffffffff81000000 kernel"
		echo "file $PWD/bare"
		nm bare | while read -r address _ name; do
			case $name in _start | called) printf '%x %s\n' $((0x$address - 0x100000 + at)) "$name" ;; esac
		done
	} >names
	bare ,symbols="$PWD/names"
	[ "$(value 0 'symbols | tojson')" = '[["_start",2011,0,0,0],["called",1,0,0,0]]' ] || complain "$(cat names out.json)"
}

@test 'a guest waits at its gate, and ends with it' {
	mkfifo gate
	for answer in r q; do
		exec 8<>gate
		printf %s "$answer" >&8
		bare ,gate=gate
		exec 8>&-
		if [ $answer = r ]; then want=3; else want=2; fi
		[ "$(wc -l <out.json)" -eq $want ] || complain "$answer: $(cat out.json)"
	done
}

@test 'a gate whose other end is gone ends the guest' {
	mkfifo gate
	exec 8<>gate
	bare ,gate=gate 8>&- &
	guest=$!
	until [ "$(grep -c run out.json 2>/dev/null)" = 2 ]; do kill -0 $guest; done
	exec 8>&-
	wait $guest
	[ "$(wc -l <out.json)" -eq 2 ]
}

@test 'wrong arguments are refused in one line' {
	bare ',mode=default' && complain 'it started'
	[ "$(grep -c "^culprit-exact:" err.txt)" = 1 ] || complain "$(cat err.txt)"
	grep -q "culprit-exact: argument 'mode=default': unknown; known are out, gate, model, symbols" err.txt || complain "$(cat err.txt)"
	bare ',symbols=/nonexistent' && complain 'it started'
	grep -q 'culprit-exact: symbols=/nonexistent: cannot be read' err.txt || complain "$(cat err.txt)"
}
