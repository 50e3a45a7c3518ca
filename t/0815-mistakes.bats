#!/usr/bin/env bats
# Mistakes that strangers make, and what is said: the cause, not what it led to.

load lib
setup() {
	setup_culprit
	system_path
}

@test 'compare: a name that is neither a file nor a revision is called that, whatever else is missing' {
	printf '1\n2\n3\n' >a.txt
	for words in 'a.txt nofile' 'nofile a.txt' 'nofile nofile2'; do
		# shellcheck disable=SC2086 # two words
		culprit_run compare $words
		expect_status 2
		expect_one_line "'nofile' is neither a file nor a revision: not a git repository (or any parent)"
	done
	make_history 2
	cd project
	cp ../a.txt .
	for words in 'a.txt nofile' 'c1 nofile' 'nofile nofile2'; do
		# shellcheck disable=SC2086 # two words
		culprit_run compare $words
		expect_status 2
		expect_one_line "'nofile' is neither a file nor a revision"
	done
	culprit_run compare main c11
	expect_status 2
	expect_one_line "'c11' is neither a file nor a revision, did you mean 'c1'?"
	culprit_run compare c1 c2
	expect_status 2
	expect_one_line 'no benchmark: give --bench CMD'
	culprit_run compare c1 nofile --exit-code bisect
	expect_status 130
}

@test 'a file that is named and not there is a mistake of usage' {
	make_history 2
	cd project
	for words in 'history nofile' 'history notes' 'bisect c1 c2 --bench true --from /nonexistent' \
		'simulate --file nofile' 'run c1 --config nofile' 'run c1 --workload ./nofile.yaml' 'run c1 --bench true --target sim=nofile'; do
		# shellcheck disable=SC2086 # several words
		culprit_run $words
		expect_status 2
		[[ "$stderr" == *'does not exist'* || "$stderr" == *'is a folder'* ]] || complain "$words"
		expect_one_line ''
	done
}

@test 'a command that begins with a dash is a command' {
	make_history 1
	cd project
	culprit_run run c1 -n 1 --bench '-dash'
	[ "$status" -ne 0 ]
	[[ "$stderr" == *'-dash: '*'not found'* && "$stderr" != *'llegal option'* ]] || complain 'reason'
	culprit_run run c1 -n 1 --bench 'true' -c 'benchmarks.default.prepare=-dash'
	[[ "$stderr" == *'-dash: '*'not found'* && "$stderr" != *'llegal option'* ]] || complain 'reason'
}

@test 'a script that is there, without its interpreter: the shell says not found, and why is said' {
	make_history 1
	cd project
	printf '#!/bin/sh\r\necho time: 1 ms\r\n' >crlf
	printf '#!/no/such/shell\necho time: 1 ms\n' >lost
	chmod +x crlf lost
	git add crlf lost && git commit -qm scripts
	culprit_run run HEAD -n 1 --bench ./crlf
	expect_err 'it is there, but its lines end as in DOS'
	culprit_run run HEAD -n 1 --bench './lost | cat; exit 127'
	expect_err "it is there, but its interpreter '/no/such/shell' is not"
	culprit_run run HEAD -n 1 --bench true -c benchmarks.default.prepare=./lost
	expect_err "it is there, but its interpreter '/no/such/shell' is not"
	culprit_run run HEAD -n 1 --bench true --build ./crlf
	expect_err 'it is there, but its lines end as in DOS'
	culprit_run run HEAD -n 1 --bench ./nothing
	[[ "$stderr" == *'not found'* && "$stderr" != *'it is there'* ]] || complain 'there is no such thing'
}

@test 'undo: more than there are; the number of a hunt' {
	make_history 2
	cd project
	culprit run c1 -n 2 --bench ./program --build 'sh build.sh' >/dev/null 2>&1
	culprit run c2 -n 1 --bench ./program --build 'sh build.sh' >/dev/null 2>&1
	culprit_run undo 999
	expect_status 2
	expect_one_line 'hunt 2 has only '
	expect_one_line ' to withdraw, not 999'
	has=${stderr#*only } && has=${has%% *}
	[[ "$stderr" != *--hunt* ]] || complain 'there is no hunt 999'
	culprit_run log 2
	[[ "$output" != *'withdrawn]'* ]] || complain 'something is withdrawn'
	[ "$has" -gt 1 ]
	culprit_run undo $((has - 1))
	expect_status 0
	culprit_run undo 2
	expect_status 2
	expect_one_line 'hunt 2 has only 1 to withdraw, not 2; the newest of hunt 2: culprit undo --hunt 2'
}

@test 'stopped while it waits for another culprit: nothing was measured' {
	make_history 1
	cd project
	culprit run c1 -n 1 --build 'sh build.sh' --bench "touch $PWD/../going; while [ ! -e $PWD/../done ]; do sleep 0.1; done; ./program" >/dev/null 2>&1 &
	holder=$!
	until [ -e ../going ]; do sleep 0.1; done
	culprit run c1 -n 1 --build 'sh build.sh' --bench ./program >/dev/null 2>said &
	waiter=$!
	until grep -q waiting said; do sleep 0.1; done
	kill -TERM $waiter
	wait $waiter || true
	touch ../done
	wait $holder || true
	grep -q 'stopped before anything was measured' said || complain "$(cat said)"
	! grep -q 'is kept' said
}
