# SPDX-License-Identifier: GPL-2.0-or-later
# A guest without a kernel: multiboot, 32 bits, no interrupts. What lies between its marks is known to the instruction. It has no `inc` and
# `dec` of registers by their short opcodes, which are prefixes in 64-bit code, and ends the machine through its ACPI port.
# Window 0 holds 2012 instructions as counted below, windows 1 and 2 (before and after the gate) none.
	.set MAGIC, 0x43554c00
	.macro mark op
	.byte 0x0f, 0x1f, 0x84, 0x00
	.long MAGIC | \op
	.endm

	.section .multiboot, "a"
	.align 4
	.long 0x1badb002, 0, -0x1badb002

	.text
	.globl _start
_start:
	mov $stack, %esp
	mov $buffer, %esi
	mov $buffer + 4096, %edi
	mov $1000, %ecx
	mark 1
	# 2000 instructions that touch nothing
1:	sub $1, %ecx
	jnz 1b
	# 2 and 100 iterations of 4 bytes: 100 loads, 100 stores
	mov $100, %ecx
	rep movsl
	# 2 and 50 iterations of 1 byte: 50 stores
	mov $50, %ecx
	rep stosb
	# 4: push and pop, add to memory (one of each), a load, a locked one (one of each)
	push %ecx
	pop %ecx
	addl $1, buffer
	mov buffer, %eax
	lock addl $1, buffer
	# 3: call and ret, and the jump
	call called
	jmp 3f
3:	mark 2
	mark 1
	mark 2
	mark 3
	mark 1
	mark 2
	mov $0x604, %dx # PIIX4 and q35: S5
	mov $0x2000, %ax
	outw %ax, %dx
	mov $0xf4, %dx # isa-debug-exit
	outb %al, %dx
4:	hlt
	jmp 4b
	.balign 64
called:	ret
	.balign 4096 # a whole page of the file, as programs' code is mapped

	.bss
	.align 64
buffer:	.skip 8192
	.skip 4096
stack:
