#!/bin/sh
# Puts the parts of the manual that are made from the tables (build/gendocs) where they belong: in man/* between
#   .\" gen: WHAT [COMMAND]      and      .\" end
# and docs/examples/culprit.yaml. With --check changes nothing and says what is out of date (exit 1).
set -eu
cd "$(dirname "$0")/.."
gendocs=${BUILD:-build}/gendocs
check=false
[ "${1:-}" != --check ] || check=true
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

settle() { # made file
	if cmp -s "$1" "$2"; then
		return
	elif $check; then
		echo "$2 is out of date: run tools/update-docs.sh"
		diff -u "$2" "$1" | head -20 || true
		status=1
	else
		cp "$1" "$2"
		echo "updated $2"
	fi
}

for page in man/*.[157]; do
	: >"$work/page"
	inside=false
	while IFS= read -r line || [ -n "$line" ]; do
		case $line in
		'.\" gen: '*)
			printf '%s\n' "$line" >>"$work/page"
			# shellcheck disable=SC2086 # words on purpose
			"$gendocs" ${line#'.\" gen: '} >>"$work/page"
			inside=true
			;;
		'.\" end')
			printf '%s\n' "$line" >>"$work/page"
			inside=false
			;;
		*) $inside || printf '%s\n' "$line" >>"$work/page" ;;
		esac
	done <"$page"
	settle "$work/page" "$page"
done
"$gendocs" example >"$work/example"
[ -e docs/examples/culprit.yaml ] || : >docs/examples/culprit.yaml
settle "$work/example" docs/examples/culprit.yaml
exit $status
