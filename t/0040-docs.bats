#!/usr/bin/env bats
# The manual says what the program does: options in the tables = options in the pages, keys in the table = keys in
# culprit.yaml(5), and every example is a command line that the program takes.

load lib
setup() {
	setup_culprit
	gendocs=$(dirname "$CULPRIT")/gendocs
	[ -x "$gendocs" ] || skip "no $gendocs (an installed binary is tested)"
	cd "$root" || return 1
}

@test 'generated parts are up to date' {
	run env BUILD="$(dirname "$CULPRIT")" tools/update-docs.sh --check
	[ "$status" -eq 0 ] || complain 'see above'
}

@test 'every command has a page, and every page a command' {
	for command in $("$gendocs" names); do
		[ -e "man/culprit-$command.1" ] || complain "no man/culprit-$command.1"
		grep -q "^\.It Xr culprit-$command 1\$" man/culprit.1 || complain "culprit(1) does not list $command"
	done
	for page in man/culprit-*.1; do
		command=${page#man/culprit-}
		"$gendocs" summary "${command%.1}" >/dev/null || complain "$page is of no command"
	done
}

@test 'options in --help = options in the pages' {
	for command in $("$gendocs" names); do
		culprit "$command" --help | sed -nE 's/^  (-., |    )--([a-z-]+).*/\2/p' | grep -v '^help$' |
			sort >"$BATS_TEST_TMPDIR/help"
		sed -nE 's/^\.It (Fl . , )?Fl -([a-z-]+).*/\2/p' "man/culprit-$command.1" | sort >"$BATS_TEST_TMPDIR/page"
		diff "$BATS_TEST_TMPDIR/help" "$BATS_TEST_TMPDIR/page" || complain "$command: < help, > page"
	done
}

@test 'keys that culprit reads = keys of culprit.yaml(5) = keys of the example' {
	"$gendocs" paths | sed 's/.*\.//' | sort -u >"$BATS_TEST_TMPDIR/table"
	sed -n 's/^\.It Ic \([a-z_]*\) :.*/\1/p' man/culprit.yaml.5 | sort -u >"$BATS_TEST_TMPDIR/page"
	diff "$BATS_TEST_TMPDIR/table" "$BATS_TEST_TMPDIR/page"
	sed -n 's/^  *\([a-z_]*\): [^ ].*/\1/p' docs/examples/culprit.yaml | sort -u >"$BATS_TEST_TMPDIR/example"
	diff "$BATS_TEST_TMPDIR/table" "$BATS_TEST_TMPDIR/example"
}

@test 'the options of every example exist' {
	n=0
	while IFS= read -r line; do
		line=${line%%|*}
		line=${line%%>*}
		[[ "$line" != *'<('* ]] || continue
		eval "set -- ${line#culprit }"
		run --separate-stderr culprit "$@" --help
		# What stands after "--" is a path.
		[ "$status" -eq 0 ] || [[ " $* " == *' -- '* ]] || complain "in the manual: $line"
		n=$((n + 1))
	done < <(sed -nE 's/^\$ (culprit .*)/\1/p' man/*.1 man/*.5)
	[ "$n" -ge 5 ]
}

@test 'the pages are clean mdoc' {
	command -v mandoc >/dev/null || skip 'no mandoc here'
	# That the pages refer to each other before they are installed is no fault; what it says of its index goes to stderr and would cut
	# into the lines.
	run bash -c "mandoc -T lint man/*.[157] 2>/dev/null | grep -v -e 'referenced manual not found'"
	[ -z "$output" ] || complain 'mandoc says'
}
