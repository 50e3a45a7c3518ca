#!/usr/bin/env bats
# culprit.yaml, -c and the flags as a user meets them; every rule of the file itself is a row in tests/unit/test_conf.c
# and test_config.c.

load lib
setup() {
	setup_culprit
	make_history 2
	cd project || return 1
	cat >good.yaml <<-'END'
		project:
		  build: sh build.sh
		  artefacts: [program]
		benchmarks:
		  main:
		    command: ./program
		    primary: [time]
	END
}

@test 'the file at the top of the repository is found from below' {
	cp good.yaml culprit.yaml
	mkdir -p deep/er
	culprit_run -C deep/er run HEAD -n 1
	expect_status 0
	expect_out time
}

@test 'another file by --config, one key by -c, and flags alone' {
	culprit_run run HEAD -n 1 --config good.yaml
	expect_status 0
	culprit_run run HEAD -n 1 --config good.yaml -c 'benchmarks.main.command=echo "other: 3 s"' -c 'benchmarks.main.primary=other'
	expect_status 0
	expect_out other
	culprit_run run HEAD -n 1 --build 'sh build.sh' --bench ./program
	expect_status 0
	expect_out time
}

@test 'a mistake in the file says file, line and what was meant' {
	sed 's/command:/comand:/' good.yaml >culprit.yaml
	culprit_run run HEAD
	expect_status 2
	expect_one_line "culprit.yaml:6: unknown key 'benchmarks.main.comand', did you mean 'command'?"
}

@test 'a wrong type, a tag, a tab and a file that is none' {
	printf 'benchmarks:\n  main: {command: x, runs: many}\n' >culprit.yaml
	culprit_run run HEAD
	expect_status 2
	expect_one_line "culprit.yaml:2: benchmarks.main.runs wants a whole number, not 'many'"
	printf 'project: {build: !!python/object:os.system x}\n' >culprit.yaml
	culprit_run run HEAD
	expect_status 2
	expect_one_line 'culprit.yaml:1: tags are not read'
	printf 'project:\n\tbuild: x\n' >culprit.yaml
	culprit_run run HEAD
	expect_status 2
	expect_one_line 'culprit.yaml:2: found character that cannot start any token'
	head -c 3000 /dev/urandom >culprit.yaml
	culprit_run run HEAD
	expect_status 2
	expect_one_line culprit.yaml
}

@test 'a file that is missing, a folder, unreadable' {
	culprit_run run HEAD --config nowhere.yaml
	[ "$status" -eq 2 ] || [ "$status" -eq 4 ] || complain 'wanted 2 or 4'
	expect_one_line nowhere.yaml
	mkdir culprit.yaml
	culprit_run run HEAD
	[ "$status" -eq 2 ] || [ "$status" -eq 4 ] || complain 'wanted 2 or 4'
	expect_one_line culprit.yaml
}

@test 'no benchmark, several, and one that is not there' {
	culprit_run run HEAD --build true
	expect_status 2
	expect_one_line 'no benchmark: give --bench CMD'
	printf 'project:\n  build: make\n' >culprit.yaml
	culprit_run run HEAD
	expect_status 2
	expect_one_line "culprit.yaml has no benchmark: fill in 'benchmarks:'"
	printf '  second: {command: ./program}\n' | cat good.yaml - >culprit.yaml
	culprit_run run HEAD
	expect_status 2
	expect_one_line 'several benchmarks; choose one of: main, second'
	culprit_run run HEAD -b secnod
	expect_status 2
	expect_one_line "no benchmark 'secnod', did you mean 'second'?"
}

@test 'mistakes in -c and in the flags' {
	culprit_run run HEAD --bench x -c project.bild=make
	expect_status 2
	expect_one_line "unknown key 'project.bild', did you mean 'build'?"
	culprit_run run HEAD --bench x -c project.build
	expect_status 2
	expect_one_line "-c wants KEY=VALUE, not 'project.build'"
	culprit_run run HEAD --bench ''
	expect_status 2
	expect_one_line '--bench wants a shell command, not nothing'
}

@test 'no shell is run on data' {
	# shellcheck disable=SC2016 # it must stay as it is
	printf 'benchmarks:\n  "$(touch pwned)": {command: x}\n' >culprit.yaml
	culprit_run run HEAD
	expect_status 2
	expect_one_line 'is no name'
	# shellcheck disable=SC2016
	culprit_run run HEAD --bench ./program --build 'sh build.sh' -n 1 -c 'metrics.$(touch pwned).unit=`touch pwned`'
	expect_status 2
	# shellcheck disable=SC2016
	culprit_run run '$(touch pwned)' --bench ./program
	expect_status 2
	[ ! -e pwned ]
}

@test 'the configuration and the checkout stay as they are' {
	cp good.yaml culprit.yaml
	before=$(find . -path ./.culprit -prune -o -type f -exec sha256sum {} + | sort)
	culprit_run run HEAD -n 1
	expect_status 0
	after=$(find . -path ./.culprit -prune -o -type f -exec sha256sum {} + | sort)
	[ "$before" = "$after" ]
}
