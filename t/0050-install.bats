#!/usr/bin/env bats
# make install and uninstall, into a folder of its own.

load lib
setup() {
	setup_culprit
	build=$(dirname "$CULPRIT")
	[ -e "$build/build.ninja" ] || skip "no build folder at $build (an installed binary is tested)"
	cd "$root" || return 1
}

@test 'install puts the program, the manual and the completions in place; uninstall leaves nothing' {
	dest=$BATS_TEST_TMPDIR/dest
	meson install -C "$build" --no-rebuild --quiet --destdir "$dest"
	program=$(find "$dest" -path '*/bin/culprit' -type f -perm -u+x)
	[ -n "$program" ]
	run "$program" --version
	[ "$status" -eq 0 ]
	for name in culprit.1 culprit-bisect.1 culprit.yaml.5 culprit.bash _culprit culprit.fish; do
		[ -n "$(find "$dest" -name "$name" -type f)" ] || complain "no $name"
	done
	[ ! -d workloads ] || [ -d "$(find "$dest" -path '*/culprit/workloads' -type d)" ]
	run env BUILD="$build" DESTDIR="$dest" tools/uninstall.sh
	[ "$status" -eq 0 ] || complain 'uninstall'
	run find "$dest" -type f
	[ -z "$output" ] || complain 'left behind'
	run env BUILD="$build" DESTDIR="$dest" tools/uninstall.sh
	[ "$output" = 'uninstall: 0 files removed' ]
}

@test 'deps says when there is nothing to do, and what is missing where there is no apt' {
	mkdir "$BATS_TEST_TMPDIR/few"
	for tool in sh env printf id grep; do
		ln -s "$(command -v "$tool")" "$BATS_TEST_TMPDIR/few/$tool"
	done
	run env PATH="$BATS_TEST_TMPDIR/few" sh tools/deps.sh build
	[ "$status" -eq 1 ]
	[[ "$output" == *'this system has no apt'* ]]
	[[ "$output" == *'libjansson-dev'* ]]
	[[ "$output" == *'meson'* ]]
	run tools/deps.sh nonsense
	[ "$status" -eq 2 ]
	for tool in gcc make meson ninja git bats valgrind pmccabe shellcheck mandoc codespell; do
		command -v "$tool" >/dev/null || skip "no $tool here: 'make deps' would install it"
	done
	run tools/deps.sh check
	[ "$status" -eq 0 ]
	[ "$output" = 'deps: nothing to do' ]
}
