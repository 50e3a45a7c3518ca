#!/bin/sh
# Holds the layers: an include may only point to a folder that tools/layers.txt allows, no ring of modules inside
# a folder, and some headers are fenced to one place. Prints each violation; exit 1 if there is one.
set -eu
cd "${1:-$(dirname "$0")/..}"
bad=$(mktemp) && edges=$(mktemp)
trap 'rm -f "$bad" "$edges"' EXIT

find src -name '*.[ch]' | LC_ALL=C sort | xargs awk '
	FNR == 1 { n = split(FILENAME, part, "/"); layer = part[2] }
	FILENAME == "tools/layers.txt" { next }
	/^[ \t]*#[ \t]*include[ \t]*"/ {
		split($0, q, "\""); inc = q[2]
		if (inc == "config.h") next
		if (inc !~ /\//) { print FILENAME ":" FNR ": include \"" inc "\" without its folder"; next }
		split(inc, p, "/")
		print "EDGE " layer " " p[1] " " FILENAME " " inc " " FNR
	}' | while read -r word layer target file inc line; do
	if [ "$word" != EDGE ]; then
		echo "$word $layer $target $file $inc $line" >>"$bad"
		continue
	fi
	if [ "$layer" = "$target" ]; then
		from=${file#src/}; from=${from%.*}; to=${inc%.*}
		[ "$from" = "$to" ] || echo "$from $to" >>"$edges"
	elif ! grep -Eq "^$layer:(.* )?$target( |\$)" tools/layers.txt; then
		echo "$file:$line: layer '$layer' must not include '$inc'" >>"$bad"
	fi
done
LC_ALL=C sort -u "$edges" | tsort >/dev/null 2>"$edges.ring" || true
[ ! -s "$edges.ring" ] || { echo "ring of modules:"; cat "$edges.ring"; } >>"$bad"
rm -f "$edges.ring"

fence() { # header allowed-path-regex
	grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*<$1>" src | grep -vE "^$2" |
		sed "s#\$#: <$1> is fenced to $2#" >>"$bad" || true
}
fence 'sqlite3\.h' 'src/store/'
fence 'jansson\.h' 'src/text/json\.'
fence 'yaml\.h' 'src/text/conf\.'
fence 'Rmath\.h' 'src/stats/dist\.'
fence 'zstd\.h' 'src/(store|base|sys|text|kernel)/'
fence '(gelf|libelf)\.h' 'src/kernel/'
# Only cli/ ends the process; mem.c on out-of-memory, and a forked child in sys/.
grep -rnE '(^|[^_a-zA-Z])(exit|abort) *\(' src --include='*.c' | grep -vE '^src/cli/' | grep -vE ':[[:space:]]*\*' |
	sed 's|$|: exit belongs to cli/|' >>"$bad" || true

if [ -s "$bad" ]; then
	cat "$bad"
	exit 1
fi
echo "layers: ok"
