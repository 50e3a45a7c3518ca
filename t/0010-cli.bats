#!/usr/bin/env bats
# The command line itself: help, version, mistakes, exit statuses, streams, completion.

load lib
setup() { setup_culprit; }

@test 'help lists every command, and each has its own' {
	culprit_run help
	expect_status 0
	[ -z "$stderr" ]
	list=$(printf '%s\n' "$output" | sed -n 's/^  \([a-z-]*\) .*/\1/p')
	[ "$(printf '%s\n' "$list" | wc -l)" -ge 3 ]
	for command in $list; do
		culprit_run help "$command"
		expect_status 0
		expect_out "usage: culprit $command"
		help=$output
		culprit_run "$command" --help
		expect_status 0
		[ "$output" = "$help" ] || complain "$command --help differs from help $command"
	done
}

@test 'version is one line' {
	culprit_run --version
	expect_status 0
	[[ "$output" =~ ^culprit\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test 'no command shows the help on stderr and is a usage error' {
	culprit_run
	expect_status 2
	[ -z "$output" ]
	expect_err 'usage: culprit'
}

@test 'an unknown command is answered with what was meant' {
	culprit_run hlep
	expect_status 2
	expect_one_line "no command 'hlep', did you mean 'help'?"
	culprit_run frobnicate
	expect_status 2
	expect_one_line "'culprit help' lists them"
	culprit_run help hlep
	expect_status 2
	expect_one_line "did you mean 'help'?"
}

@test 'mistakes in options are one line each' {
	culprit_run init --frce
	expect_status 2
	expect_one_line "init: unknown option '--frce', did you mean '--force'?"
	culprit_run init --force=yes
	expect_status 2
	expect_one_line '--force takes no value'
	culprit_run init -x
	expect_status 2
	expect_one_line "unknown option '-x'"
	culprit_run init --color
	expect_status 2
	expect_one_line '--color wants a value: --color WHEN'
	culprit_run init --color=blue
	expect_status 2
	expect_one_line "--color wants auto, always or never, not 'blue'"
	culprit_run init extra
	expect_status 2
	expect_one_line "takes no argument, not 'extra'"
	culprit_run --json help
	expect_status 2
	expect_one_line 'options come after it'
}

@test '-C goes elsewhere first' {
	mkdir sub
	printf 'all:\n' >sub/Makefile
	culprit_run -C sub init
	expect_status 0
	[ -e sub/culprit.yaml ]
	culprit_run -C nowhere init
	expect_status 2
	expect_one_line "cannot go to 'nowhere': No such file or directory"
	culprit_run -C
	expect_status 2
	expect_one_line '-C wants a folder'
}

@test 'an answer that cannot be written is a failure' {
	[ -e /dev/full ] || skip 'no /dev/full here'
	run --separate-stderr sh -c 'culprit help >/dev/full'
	expect_status 4
	expect_one_line 'writing the answer to standard output: No space left on device'
}

@test 'a reader that goes away is no failure to talk about' {
	run --separate-stderr bash -c 'set -o pipefail; culprit completion bash | true'
	[ -z "$stderr" ] || complain 'something on stderr'
}

@test 'closed descriptors are harmless' {
	run sh -c 'culprit --version <&- 2>&-'
	[ "$status" -eq 0 ]
	run sh -c 'culprit --version >&-'
	[ "$status" -eq 0 ]
}

@test 'nothing is coloured unless asked' {
	run culprit init --frce
	[[ "$output" != *$'\033'* ]]
}

@test 'the bash completion knows commands, options, choices and revisions' {
	culprit_run completion bash
	expect_status 0
	printf '%s\n' "$output" >c.bash
	git init -q
	git commit -q --allow-empty -m one
	git tag v1.0
	cat >ask.bash <<-'END'
		source ./c.bash
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		_culprit
		printf '%s\n' "${COMPREPLY[@]}"
	END
	run bash ask.bash culprit comp
	[[ "$output" == *completion* ]]
	run bash ask.bash culprit completion z
	[ "$output" = zsh ]
	run bash ask.bash culprit init --col
	[ "$output" = --color ]
	run bash ask.bash culprit init --color n
	[ "$output" = never ]
	run bash -c 'source ./c.bash; _culprit_revs v'
	[ "$output" = v1.0 ]
}

@test 'the zsh and fish completions are valid' {
	culprit completion zsh >_culprit
	culprit completion fish >c.fish
	command -v zsh >/dev/null || skip 'no zsh here'
	zsh -n _culprit
	command -v fish >/dev/null || skip 'no fish here'
	fish --no-execute c.fish
}

@test 'completion wants a shell that it knows' {
	culprit_run completion
	expect_status 2
	expect_one_line 'wants one of bash, zsh and fish'
	culprit_run completion csh
	expect_status 2
	expect_one_line "not 'csh'"
}

@test 'the fish completion really completes' {
	command -v fish >/dev/null || skip 'no fish here'
	culprit completion fish >c.fish
	git init -q && git commit -q --allow-empty -m one && git tag v1.0
	ask() { fish --no-config -c "source c.fish; complete -C '$1'"; }
	run ask 'culprit bis'
	[[ "$output" == bisect* ]]
	run ask 'culprit bisect --fi'
	[[ "$output" == *--first-parent* && "$output" == *--fix* ]]
	run ask 'culprit bisect v'
	[[ "$output" == v1.0* ]]
	run ask 'culprit compare --color '
	[[ "$output" == *always* && "$output" == *never* ]]
}
