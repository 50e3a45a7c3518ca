#!/usr/bin/env bats
# culprit init, one build system a test; what the file means is read back in tests/unit/test_recognise.c.

load lib
setup() {
	setup_culprit
	git init -q tree
	cd tree || return 1
}

# The file was written for the system, sets this line, and says why.
expect_init() { # system line
	culprit_run init
	expect_status 0
	expect_out "wrote $PWD/culprit.yaml for $1"
	grep -qF -- "$2" culprit.yaml || { cat culprit.yaml; return 1; }
	grep -q '# guessed: ' culprit.yaml
	[ -z "$(git status --porcelain | grep -v '^?? ')" ]
}

@test 'make' {
	printf 'all: tool\ntool: tool.c\n\tcc -o tool tool.c\nbench:\n\t./tool\n' >Makefile
	expect_init make 'build: make -j$JOBS'
	grep -qF 'artefacts: [tool]' culprit.yaml
	grep -qF 'command: make -s bench' culprit.yaml
	grep -qF "Makefile has a target 'bench'" culprit.yaml
}

@test 'cmake, with a Makefile beside it' {
	printf 'add_executable(mini mini.c)\n' >CMakeLists.txt
	printf 'all:\n' >Makefile
	expect_init cmake 'cmake --build build -j$JOBS'
	grep -qF 'artefacts: [build/mini]' culprit.yaml
	grep -qF '# Passed over: Makefile (make)' culprit.yaml
}

@test 'meson' {
	printf "project('x', 'c')\nexecutable('x', 'x.c')\n" >meson.build
	expect_init meson 'ninja -C build -j$JOBS'
}

@test 'autotools' {
	printf 'AC_INIT\n' >configure.ac
	expect_init autotools 'autoreconf -fi'
}

@test 'cargo' {
	printf '[package]\nname = "rg"\n' >Cargo.toml
	mkdir src
	printf 'fn main() {}\n' >src/main.rs
	expect_init cargo 'build: cargo build --release'
	grep -qF 'artefacts: [target/release/rg]' culprit.yaml
}

@test 'npm' {
	printf '{"scripts": {"bench": "node bench.js"}}' >package.json
	expect_init npm 'npm install'
	grep -qF 'command: npm run --silent bench' culprit.yaml
}

@test 'Kbuild: a kernel tree' {
	printf 'VERSION = 6\nPATCHLEVEL = 12\n' >Makefile
	touch Kbuild Kconfig
	culprit_run init
	expect_status 0
	expect_out 'for kbuild'
	grep -qF 'config: [tinyconfig, culprit]' culprit.yaml
	touch .config
	culprit_run init --force
	grep -qF 'config: [.config]' culprit.yaml
}

@test 'a build system one level down' {
	mkdir code docs
	printf 'all:\n' >code/Makefile
	expect_init 'make in code' 'subdir: code'
}

@test 'nothing recognised is said, and the file still parses as one' {
	culprit_run init
	expect_status 0
	expect_out 'no build system was recognised'
	grep -q '^project:' culprit.yaml
}

@test 'an existing file is kept, unless forced; --stdout writes nothing' {
	printf 'mine\n' >culprit.yaml
	culprit_run init
	expect_status 2
	expect_one_line 'culprit.yaml exists; --force writes over it'
	[ "$(cat culprit.yaml)" = mine ]
	culprit_run init --stdout
	expect_status 0
	expect_out 'project:'
	[ "$(cat culprit.yaml)" = mine ]
	culprit_run init --force
	expect_status 0
	grep -q '^project:' culprit.yaml
}

@test 'from a folder below, the file goes to the top' {
	printf 'all:\n' >Makefile
	mkdir -p a/b
	(cd a/b && culprit init >/dev/null)
	[ -e culprit.yaml ]
	[ ! -e a/b/culprit.yaml ]
}

@test 'a folder that cannot be written is one line' {
	[ "$(id -u)" -ne 0 ] || skip 'root writes everywhere'
	chmod a-w .
	culprit_run init
	expect_status 4
	expect_one_line 'Permission denied'
}
