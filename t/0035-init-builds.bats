#!/usr/bin/env bats
# What culprit init writes is run as it stands: a small tree of each build system is built by it and its program measured.

load lib
setup() {
	setup_culprit
	git init -q tree
	cd tree || return 1
}

needs() {
	local tool
	for tool in "$@"; do command -v "$tool" >/dev/null || skip "no $tool here"; done
}

# Commits the tree, lets init write the file, and measures the program that the file says is built (or --bench).
build_and_run() { # [--bench CMD]
	git add -A && git commit -qm one
	culprit_run init
	expect_status 0
	culprit_run run HEAD -n 1 --json "$@"
	expect_status 0
	jq -e '.measured[] | select(.metric == "wall") | .n == 1' <<<"$output"
	[ "$(git status --porcelain)" = '?? culprit.yaml' ]
}

main_c() { printf '#include <stdio.h>\nint main(void) { puts("time: 5 ms"); return 0; }\n' >"$1"; }

@test 'make' {
	main_c tool.c
	printf 'tool: tool.c\n\tcc -o tool tool.c\nbench: tool\n\t./tool\n' >Makefile
	build_and_run
	jq -e '.measured[] | select(.metric == "time") | .median == 0.005 or .median == 5' <<<"$output"
}

@test 'cmake' {
	needs cmake
	main_c mini.c
	printf 'cmake_minimum_required(VERSION 3.10)\nproject(mini C)\nadd_executable(mini mini.c)\n' >CMakeLists.txt
	build_and_run --bench build/mini
}

@test 'meson' {
	needs meson ninja
	main_c x.c
	printf "project('x', 'c')\nexecutable('x', 'x.c')\n" >meson.build
	build_and_run --bench build/x
}

@test 'autotools' {
	needs autoreconf automake
	main_c hello.c
	printf 'AC_INIT([hello], [1.0])\nAM_INIT_AUTOMAKE([foreign])\nAC_PROG_CC\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n' >configure.ac
	printf 'bin_PROGRAMS = hello\nhello_SOURCES = hello.c\n' >Makefile.am
	build_and_run --bench ./hello
}

@test 'cargo' {
	needs cargo rustc
	# rustup's cargo looks for its toolchain in the HOME that the tests take away
	export RUSTUP_HOME="${RUSTUP_HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)/.rustup}"
	cargo --version >/dev/null 2>&1 || skip 'cargo does not run here'
	printf '[package]\nname = "rg"\nversion = "0.1.0"\nedition = "2021"\n' >Cargo.toml
	mkdir src && printf 'fn main() { println!("time: 5 ms"); }\n' >src/main.rs
	printf 'target\n' >.gitignore
	build_and_run --bench target/release/rg
}

@test 'npm' {
	needs npm node
	printf '{"name": "x", "version": "1.0.0", "scripts": {"bench": "node bench.js"}}' >package.json
	printf 'console.log("time: 5 ms")\n' >bench.js
	printf 'node_modules\npackage-lock.json\n' >.gitignore
	build_and_run
}

@test 'a line of a written build that fails ends it' {
	needs cmake
	printf 'message(FATAL_ERROR "error: no compiler")\n' >CMakeLists.txt
	git add -A && git commit -qm one
	culprit_run init
	culprit_run run HEAD -n 1 --bench 'cat vmlinux'
	expect_status 4
	expect_one_line 'HEAD does not build (failed)'
	expect_err 'no compiler'
}
