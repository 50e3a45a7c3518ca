#!/usr/bin/env bats
# report: the letter that a search, its confirmation and its explanation end in, from the journal alone.

load lib
setup() {
	setup_culprit
	system_path
	build=(--build 'sh build.sh' --bench ./program)
}

# A search of 8 commits with a culprit of 8 % at c5, taken out again. The title of c5 is hostile.
make_hunt() {
	make_history 8
	plant 5 '+8%'
	cd project || return
	culprit bisect c1 c8 "${build[@]}" >/dev/null 2>&1
	culprit confirm >/dev/null 2>&1
}

@test 'a mail: subject, who, how much, which commit, the revert, and nothing of this machine' {
	make_hunt
	culprit_run report
	expect_status 0
	culprit_oid=$(git rev-parse c5)
	[[ "${lines[0]}" == 'Subject: [REGRESSION] project: time +'*"bisected to ${culprit_oid:0:12}" ]] || complain 'the subject'
	expect_out 'To: Ada <ada@example.org>'
	expect_out "${culprit_oid:0:12} (\"change 5\")"
	expect_out 'bad, with the commit reverted'
	expect_out 'comes back'
	expect_out 'sh build.sh'
	expect_out 'Fixes: '
	[[ "$output" != *'#regzbot'* ]] || complain 'regzbot is for kernels'
	[[ "$output" != *"$BATS_TEST_TMPDIR"* ]] || complain 'a path of this machine'
	[[ "$output" != *"$HOME"* ]] || complain 'the home folder'
	[ "$(awk 'body && length > 72 { n++ } /^$/ { body = 1 } END { print n + 0 }' <<<"$output")" -eq 0 ] ||
		complain 'a line of more than 72 columns'
	# the reproducer is shell
	sed -n '/^To reproduce/,/^A fix/p' <<<"$output" | sed -n 's/^  //p' >repro
	[ "$(wc -l <repro)" -le 5 ]
	bash -n repro
}

@test 'the same numbers in every form, and a page without network or script' {
	make_hunt
	median=$(culprit report | sed -nE 's/^  bad: c8 +[0-9]+ +([0-9.]+) .*/\1/p')
	[ -n "$median" ]
	for form in md sru html json; do
		culprit_run report --form "$form"
		expect_status 0
		[ "$form" = json ] || expect_out "$median"
	done
	culprit_run report --form sru
	for section in Impact Fix 'Test Plan' 'Where problems could occur' 'Other Info'; do
		expect_out "[$section]"
	done
	culprit_run report --format json
	[ "$(jq -r '.schema, .says, .main.answer.verdict' <<<"$output" | tr '\n' ' ')" = '1 regression named ' ]
	jq -e '[.range[].probability] | add > 0.99' <<<"$output" >/dev/null
	culprit_run report --form html -o page.html
	expect_status 0
	run ! grep -E 'https?://|<script[^>]*src|<link|@import|url\(' page.html || complain 'something from elsewhere'
	grep -q 'prefers-color-scheme' page.html
	[ "$(wc -c <page.html)" -lt 1000000 ]
}

@test 'a number of the confirmation or explanation leads to the search' {
	make_hunt
	search=$(culprit report 1)
	[ "$(culprit report 2)" = "$search" ]
}

@test 'a kernel: lists by its own script, regzbot, and no innocents; git send-email takes it' {
	make_history 8
	plant 5 '+8%'
	# the files that make a tree a kernel's, in every commit
	mkdir -p tree/include/linux tree/scripts
	touch tree/MAINTAINERS tree/Kbuild tree/include/linux/kernel.h
	printf '%s\n' 'print "linux-mm\@kvack.org\n", "Maintainer <innocent\@example.org>\n", "bad address\nBcc: x\@example.org\n" if grep {/^--nom$/} @ARGV;' \
		>tree/scripts/get_maintainer.pl
	git -C project filter-branch -f --tree-filter "cp -r $PWD/tree/. ." -- --all >/dev/null 2>&1
	cd project || return
	git reset -q --hard main
	culprit bisect c1 c8 "${build[@]}" >/dev/null 2>&1
	culprit_run report -o letter
	expect_status 0
	cat letter
	grep -q '^To: Ada <ada@example.org>$' letter
	grep -q '^Cc: regressions@lists.linux.dev,$' letter
	grep -q '^ linux-mm@kvack.org$' letter
	if grep -qi -e innocent -e '^bcc' letter; then complain 'an innocent'; fi
	grep -q "^#regzbot introduced: $(git rev-parse c5)\$" letter
	if git send-email -h >/dev/null 2>&1 || [ $? -eq 129 ]; then
		run git send-email --dry-run --confirm=never --quiet --from=me@example.org --suppress-cc=all \
			--smtp-server=/bin/false letter
		[[ "$output" != *rror* ]] || complain 'git send-email'
	fi
}

@test 'a hunt that has no answer yet: what is missing is said, nothing is claimed' {
	make_history 8
	plant 5 '+8%'
	cd project || return
	culprit bisect c1 c8 "${build[@]}" >/dev/null 2>&1
	culprit undo 3 >/dev/null 2>&1
	for form in mail md sru html json; do
		culprit_run report --form "$form"
		expect_status 0
		expect_out 'no answer yet'
		[[ "$output" != *REGRESSION* ]] || complain 'claims'
	done
	[[ "$(culprit report)" != *'To:'* ]]
}

@test 'a comparison: undecided rows are named and not claimed' {
	make_history 2
	cd project || return
	culprit compare c1 c2 "${build[@]}" --runs 5 >/dev/null 2>&1 || true
	culprit_run report
	expect_status 0
	[[ "$output" != *'[REGRESSION]'* ]] || complain 'claims'
	expect_out 'Not claimed'
}

@test 'hostile titles, names and messages steer nothing' {
	make_history 4
	cd project || return
	evil=$'<script>alert(1)</script> \e[31m \u202egnp.exe'
	# shellcheck disable=SC2016 # the program's own variables
	printf '#!/bin/sh\nnoise=$(od -An -N2 -tu2 /dev/urandom)\necho "<img/src=x>: $((2000000 + noise %% 1000)) ns"\necho "time: $((2000000 + noise %% 1000)) ns"\n' >program.sh
	git commit -qam "$evil"
	culprit bisect c1 main "${build[@]}" --metric time >/dev/null 2>&1
	for form in mail md sru html json; do
		culprit report --form "$form" >out
		! grep -q $'\e' out || complain "$form: escape"
		[ "$form" = json ] || ! grep -q $'\u202e' out || complain "$form: bidi"
	done
	culprit report --form html >out
	run ! grep -q '<script>alert' out
	run ! grep -q '<img' out
	culprit report | grep -q 'U+202E'
	[ "$(culprit report | sed '/^$/,$d' | grep -cvE '^(Subject|To|MIME-Version|Content-Type|Content-Transfer-Encoding): |^ ')" -eq 0 ] ||
		complain 'a header more'
}

@test 'a whole investigation: the letter of its first culprit, with confirmation and explanation' {
	make_history 8
	plant 5 '+8%'
	cd project || return
	culprit hunt c1 c8 "${build[@]}" >/dev/null 2>&1
	culprit_run report 1
	expect_status 0
	expect_out '[REGRESSION] project: time +'
	expect_out 'bad, with the commit reverted'
	expect_out 'What differs inside'
	[[ "$output" != *'Still open'* ]] || complain 'nothing is open'
}

@test 'from a bundle, redacted, previewed' {
	make_hunt
	culprit export 1 --bundle hunt.bundle >/dev/null 2>&1
	culprit_run report hunt.bundle
	expect_status 0
	expect_out '[REGRESSION]'
	[[ "$output" != *'To: '* ]] || complain 'a bundle knows no addresses'
	culprit_run report --redact
	[[ "$output" != *'sh build.sh'* && "$output" != *'machine:'* ]] || complain 'told too much'
	culprit_run report --preview
	expect_out 'sh build.sh'
	expect_out 'Left out:'
}

@test 'bad input gets one line' {
	culprit_run report
	expect_status 4
	expect_one_line 'no hunt yet'
	make_history 2
	cd project || return
	culprit run c1 "${build[@]}" >/dev/null 2>&1
	culprit_run report 9
	expect_status 4
	expect_one_line 'no hunt 9'
	culprit_run report nothing
	expect_status 2
	expect_one_line 'neither'
	culprit_run report --form pdf
	expect_status 2
	culprit_run report -o /nonexistent/x
	expect_status 4
	expect_one_line '/nonexistent'
}
