#!/usr/bin/env bats
# What must hold of the tree itself, whatever the program does.

load lib
setup() {
	setup_culprit
	cd "$root" || return 1
}

@test 'layers hold' {
	run tools/check-layers.sh
	[ "$status" -eq 0 ] || complain 'see above'
}

@test 'ceilings hold' {
	run tools/check-ceilings.sh
	[ "$status" -eq 0 ] || complain 'see above'
}

@test 'every source file says its licence in line 1' {
	run grep -rL 'SPDX-License-Identifier: GPL-2.0-or-later' src fuzz tests tools man --include='*.[ch157]' --include='*.def'
	[ -z "$output" ] || complain 'without a licence'
}

@test 'shell scripts pass shellcheck' {
	command -v shellcheck >/dev/null || skip 'no shellcheck here'
	run shellcheck -S warning -e SC2154 tools/*.sh .ci/run t/*.bats
	[ "$status" -eq 0 ] || complain 'see above'
	run shellcheck -S warning -s bash -e SC2154 t/lib.bash
	[ "$status" -eq 0 ] || complain 'see above'
}

@test 'spelling' {
	command -v codespell >/dev/null || skip 'no codespell here'
	# Names that look like misspelt words to it.
	run codespell -q 7 -L 'upto,iif,ans,nd,ser,te,fo,mis,crate,filp,damon' src man docs tools fuzz bench t/lib.bash Makefile
	[ "$status" -eq 0 ] || complain 'see above'
}
