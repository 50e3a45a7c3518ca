# Shared by all of t/: `load lib` and `setup() { setup_culprit; }`. Nothing of the user's gets in: HOME is empty, git
# has one identity and fixed dates, no locale, no colour, no CULPRIT_ variable but the program's path.
bats_require_minimum_version 1.5.0

setup_culprit() {
	local name
	for name in $(compgen -e | grep -E '^(GIT_|CULPRIT_|XDG_|LC_|NO_COLOR$|COLUMNS$|LANGUAGE$)'); do
		unset "$name"
	done
	root=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	: "${CULPRIT:=$root/build/culprit}"
	export HOME=$BATS_TEST_TMPDIR/home LC_ALL=C TZ=UTC TERM=dumb PAGER=cat
	export GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0
	export GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@example.org
	export GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.org
	export GIT_AUTHOR_DATE='1700000000 +0000' GIT_COMMITTER_DATE='1700000000 +0000'
	mkdir -p "$HOME" "$BATS_TEST_TMPDIR/bin" "$BATS_TEST_TMPDIR/work"
	ln -sf "$CULPRIT" "$BATS_TEST_TMPDIR/bin/culprit"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
	cd "$BATS_TEST_TMPDIR/work" || return 1
	printf '[init]\n\tdefaultBranch = main\n' >"$HOME/.gitconfig"
}

# For files of many short runs: only the system's programs. culprit asks each compiler and interpreter in PATH for its version, and a version
# manager's stand-in takes longer for that than the whole test.
system_path() { PATH=$BATS_TEST_TMPDIR/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin; }

# Runs culprit with its two outputs apart: $output (the answer), $stderr, $status.
culprit_run() { run --separate-stderr culprit "$@"; }

# Fails with everything that is known about the last run.
complain() {
	printf '%s\n' "$1" "status: $status" "stdout: $output" "stderr: ${stderr-}"
	return 1
}
expect_status() { [ "$status" -eq "$1" ] || complain "wanted status $1"; }
expect_out() { [[ "$output" == *"$1"* ]] || complain "no '$1' on stdout"; }
expect_err() { [[ "$stderr" == *"$1"* ]] || complain "no '$1' on stderr"; }
# One line on stderr, beginning with "culprit: ", and nothing on stdout: how every mistake is answered.
expect_one_line() {
	[ -z "$output" ] || complain "something on stdout"
	[ "$(printf '%s\n' "$stderr" | wc -l)" -eq 1 ] || complain "not one line on stderr"
	[[ "$stderr" == culprit:* ]] || complain "stderr does not begin with culprit:"
	[[ "$stderr" == *"$1"* ]] || complain "no '$1' on stderr"
}

# A linear history of $1 commits on main in ./project, made by one fast-import. `sh build.sh` builds ./program, which prints
# "time: VALUE ns" around 1 ms times its cost, with noise of at most half a percent. The commits are c1 .. cN, tagged.
# `plant K +8%` multiplies the cost from cK on, `break_build K` makes cK fail to build: each makes the history anew.
make_history() {
	history_n=$1
	history_cost=()
	history_broken=()
	history_import
}
plant() {
	history_cost[$1]=${2%\%}
	history_import
}
break_build() {
	history_broken[$1]=1
	history_import
}

history_blob() { printf 'M %s inline %s\ndata %d\n%s\n' "$1" "$2" "${#3}" "$3"; }

history_import() {
	local k cost=1000000 text
	mkdir -p project
	[ -d project/.git ] || git init -q project
	for ((k = 1; k <= history_n; k++)); do
		if [ -n "${history_cost[k]-}" ]; then
			cost=$(awk -v c="$cost" -v p="${history_cost[k]}" 'BEGIN { printf "%d", c * (1 + p / 100) }')
		fi
		printf 'commit refs/heads/main\ncommitter Ada <ada@example.org> %d +0000\n' $((1700000000 + 60 * k))
		text="change $k"
		printf 'data %d\n%s\n' "${#text}" "$text"
		[ "$k" -gt 1 ] || printf 'deleteall\n'
		# shellcheck disable=SC2016 # the program's own variables
		history_blob 100755 program.sh '#!/bin/sh
noise=$(od -An -N2 -tu2 /dev/urandom)
echo "time: $(('"$cost"' + '"$cost"' * (noise % 1000 - 500) / 100000)) ns"'
		text='cp program.sh program && chmod +x program'
		[ -z "${history_broken[k]-}" ] || text='echo "error: this commit does not build" >&2; exit 1'
		history_blob 100644 build.sh "$text"
		history_blob 100644 "notes/$((k % 7))" "note $k"
		printf 'reset refs/tags/c%d\nfrom refs/heads/main\n' "$k"
	done | git -C project fast-import --quiet --force --date-format=raw
	git -C project reset -q --hard main
}
