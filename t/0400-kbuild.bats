#!/usr/bin/env bats
# A kernel's source: culprit's own builds in one work folder, on a made tree (kernel-tree.bash) and the local target.

load lib
load kernel-tree
setup() {
	setup_culprit
	system_path
	make_kernel_tree tree
	cd tree || return 1
	git init -q
	commit one
}

kernel_run() { culprit_run "$@" --target local --bench 'sh boot/vmlinuz-*'; }
trees() { find .culprit/trees -mindepth 1 -maxdepth 1 -type d; }
# The log of the newest build.
last_log() {
	local k=1
	while culprit show "b$((k + 1))" >/dev/null 2>&1; do k=$((k + 1)); done
	culprit show "b$k"
}
compiled() { last_log | grep -c '^  CC ' || true; }

@test 'a kernel tree needs no file, and what is kept looks like a package' {
	kernel_run run HEAD -n 1 --json -v
	expect_status 0
	jq -e '.measured[] | select(.metric == "time") | .median == 1000000' <<<"$output"
	expect_err "configuration tinyconfig + culprit's fragment"
	tree=$(trees)
	[ -s "$tree/boot/vmlinuz-6.12.0" ]
	[ -s "$tree/boot/System.map-6.12.0" ]
	grep -qx 'CONFIG_FAST=y' "$tree/boot/config-6.12.0"
	grep -q '# build Sat Jan  1 00:00:00 UTC 2000 culprit@culprit #1' "$tree/boot/vmlinuz-6.12.0"
	[ -z "$(git status --porcelain)" ]
}

@test "the user's .config is the configuration" {
	printf 'CONFIG_DRV=y\n# CONFIG_FAST is not set\n' >.config
	kernel_run run HEAD -n 1 -v
	expect_status 0
	expect_err 'configuration .config'
	grep -qx 'CONFIG_DRV=y' .culprit/trees/*/boot/config-6.12.0
	grep -qx '# CONFIG_FAST is not set' .culprit/trees/*/boot/config-6.12.0
}

@test 'the next commit builds what it changes, and a comment changes nothing' {
	printf 'kernel:\n  config: [tinyconfig, frag]\n' >culprit.yaml
	printf 'CONFIG_DRV=y\n' >frag
	kernel_run run HEAD -n 1
	expect_status 0
	[ "$(compiled)" -eq 2 ]
	printf '// a comment\n' >>mm/page.c
	git commit -qam two
	kernel_run compare HEAD~1 HEAD --json
	expect_status 0
	[ "$(compiled)" -eq 1 ]
	jq -e '.identical_artefacts' <<<"$output"
	printf 'echo "# more"\n' >>drivers/drv.c
	git commit -qam three
	kernel_run run HEAD -n 1
	[ "$(compiled)" -eq 1 ]
	grep -q more .culprit/kernel/out/0/arch/x86/boot/bzImage
}

@test 'after a kill in the middle of a build nothing half made is used' {
	kernel_run run HEAD -n 1
	printf 'half' >.culprit/kernel/out/0/mm/page.o
	touch .culprit/kernel/unsettled
	printf 'echo "# changed"\n' >>drivers/drv.c
	git commit -qam two
	kernel_run run HEAD -n 1
	expect_status 0
	[ "$(compiled)" -eq 1 ]
	[ ! -e .culprit/kernel/unsettled ]
}

@test 'config.X of a variant: another kernel, and one that does not hold is skipped' {
	kernel_run compare HEAD HEAD:config.CONFIG_DRV=y --json
	expect_status 0
	[ "$(cat .culprit/trees/*/boot/vmlinuz-6.12.0 | grep -c 'with the driver')" -eq 1 ]
	kernel_run run HEAD:config.CONFIG_FIXED=n -n 1
	expect_status 4
	expect_err 'CONFIG_FIXED=n (it is y)'
}

@test 'fix-ups are applied where they apply' {
	printf 'REFUSED\necho "time: 1000000 ns"\n' >mm/page.c
	git commit -qam 'an old commit'
	cat >fix.patch <<-'EOF'
		--- a/mm/page.c
		+++ b/mm/page.c
		@@ -1,2 +1,2 @@
		-REFUSED
		+echo "# mended"
		 echo "time: 1000000 ns"
	EOF
	kernel_run run HEAD -n 1
	expect_status 4
	expect_err 'error: REFUSED'
	kernel_run run HEAD -n 1 -c 'kernel.fixups=[fix.patch]'
	expect_status 0
	kernel_run run HEAD~1 -n 1 -c 'kernel.fixups=[fix.patch]'
	expect_status 0
	last_log | grep -q 'fix-up left out'
	kernel_run run HEAD -n 1 -c 'kernel.fixups=[none.patch]'
	expect_status 2
	expect_one_line "kernel.fixups: 'none.patch' is no patch file"
}

@test 'the drift of the configuration is said and journaled' {
	printf 'NEWER y\n' >>Kconfig
	printf 'echo "# two"\n' >>mm/page.c
	git commit -qam two
	kernel_run compare HEAD~1 HEAD
	expect_err 'in 1 symbol: NEWER n -> y'
	culprit log 1 | grep -q 'NEWER n -> y'
}

@test 'a search: what the build does not read cannot matter' {
	old=$(git rev-parse HEAD)
	for k in 1 2 3; do
		printf 'someone %d\n' "$k" >>MAINTAINERS
		commit "maintainers $k"
	done
	printf 'echo "time: 1500000 ns"\n' >mm/page.c
	commit slow
	slow=$(git rev-parse HEAD)
	kernel_run run "$old" -n 1
	for k in 4 5; do
		printf 'echo "# driver %d"\n' "$k" >>drivers/drv.c
		commit "driver $k"
	done
	kernel_run bisect "$old" HEAD --json
	expect_status 0
	jq -e --arg c "$slow" '.verdict == "named" and .culprit == $c' <<<"$output"
	culprit log 2 | grep -q 'prior: idle 1-3'
	[ "$(trees | wc -l)" -le 4 ]
}

@test 'bad configurations are one line' {
	kernel_run run HEAD -n 1 -c 'kernel.config=[none.config]'
	expect_status 2
	expect_one_line "kernel.config: 'none.config' is neither a make target"
	kernel_run run HEAD -n 1 -c 'kernel.config=[MAINTAINERS]'
	expect_status 2
	expect_one_line 'sets no CONFIG_ symbol'
	kernel_run run HEAD -n 1 -c 'kernel.config=[tinyconfig, defconfig]'
	expect_status 2
	expect_one_line 'has to be the first'
	kernel_run run HEAD -n 1 --store "$BATS_TEST_TMPDIR/a b"
	expect_status 2
	expect_one_line 'no blank'
}

@test 'what init writes is what culprit does without it' {
	kernel_run run HEAD -n 1
	culprit_run init
	expect_status 0
	grep -qx '  config: \[tinyconfig, culprit\]' culprit.yaml
	kernel_run run HEAD -n 1
	expect_status 0
	[ "$(trees | wc -l)" -eq 1 ]
}

@test 'a build command of the user wins' {
	kernel_run run HEAD -n 1 --build 'mkdir -p boot && echo "echo time: 5 ns" >boot/vmlinuz-x'
	expect_status 0
	[ ! -e .culprit/kernel ]
}

@test "the reason of a failed build is not make's own last word" {
	printf '.RECIPEPREFIX = >\nVERSION = 6\nPATCHLEVEL = 12\ntinyconfig:\n> @echo "lib/Kconfig:7: cannot open samples"; $(MAKE) inner\ninner:\n> @exit 1\n' >Makefile
	git commit -qam broken
	kernel_run run HEAD -n 1
	expect_status 4
	expect_one_line "exit status 2: 'lib/Kconfig:7: cannot open samples'"
}

@test 'another layout is another image, in an O= folder of its own' {
	printf 'echo "# two"\n' >>mm/page.c
	git commit -qam two
	kernel_run compare HEAD~1 HEAD --layouts 3 --runs 4
	[ "$status" -le 3 ] || complain 'the builds failed'
	grep -q '^# aligned -falign-functions=64' .culprit/kernel/out/1/arch/x86/boot/bzImage
	grep -q '^#  $' .culprit/kernel/out/0/arch/x86/boot/bzImage
	[ "$(trees | wc -l)" -eq 6 ]
	kernel_run compare HEAD~1 HEAD --layouts 2
	expect_status 2
	expect_one_line 'give 3 or more'
}

@test 'a build writes to its O= folder: not to the source, the checkout, .git or the rest of the store' {
	unshare -m true 2>/dev/null || unshare -Um true 2>/dev/null || skip 'no mount namespaces here'
	kernel_run run HEAD -n 1
	expect_status 0
	cp Makefile ../Makefile
	for evil in 'mm/evil' "$PWD/evil" "$PWD/.git/evil" '../../store-evil' '$(O)/../../evil' '$(dir $(O))../conf/evil'; do
		# shellcheck disable=SC2016 # make's own
		sed "s|^> @echo \"  CC  .*|&; echo >$evil|" ../Makefile >Makefile
		printf 'echo "# %s"\n' "$evil" >>mm/page.c
		git commit -qam "writes $evil"
		kernel_run run HEAD -n 1
		expect_status 4
		expect_err 'Read-only file system'
	done
	[ -z "$(find . ../ -name '*evil')" ]
	sed "s|^> @echo \"  CC  .*|&; echo >\$(O)/good; echo >$BATS_TEST_TMPDIR/good|" ../Makefile >Makefile
	git commit -qam 'writes where it may'
	kernel_run run HEAD -n 1
	expect_status 0
	[ -e .culprit/kernel/out/0/good ] && [ -e "$BATS_TEST_TMPDIR/good" ]
}

@test 'confirm: a revert, a symbol instead of it, and another layout' {
	good=$(git rev-parse HEAD)
	printf '%s\n' "trap 'echo \"time: \${t:-1500000} ns\"' EXIT" >mm/page.c
	printf 't=1000000\n' >drivers/drv.c
	commit slow
	kernel_run confirm HEAD --on HEAD --relayout --json
	expect_status 0
	jq -e '.verdict == "confirmed" and .findings[0].recovered.low > 0.99 and .layout.verdict == "survives"' <<<"$output"
	grep -q '^# aligned -falign-functions=64' .culprit/kernel/out/1/arch/x86/boot/bzImage
	kernel_run confirm --knob config=CONFIG_DRV=y --on HEAD --good "$good"
	expect_status 0
	expect_out 'confirmed  with it: '
	expect_out 'the setting recovers 100 %'
	kernel_run confirm HEAD --on HEAD --knob config=CONFIG_FIXED=n
	expect_status 4
	expect_out 'broken     with it bad does not build: '
	expect_out 'CONFIG_FIXED=n (it is y)'
	for hunt in 1 2 3; do culprit verify $hunt; done
}
