#!/bin/sh
# Holds the ceilings: 600 lines a file, 60 lines a function, complexity 20 (pmccabe).
# An exception needs its name in tools/allow.txt with a reason.
set -eu
cd "$(dirname "$0")/.."
allow=tools/allow.txt
status=0
allowed() { grep -q "^$1[[:space:]]" "$allow" 2>/dev/null; }
for f in $(find src exact fuzz -name '*.[ch]' 2>/dev/null | LC_ALL=C sort); do
	n=$(wc -l <"$f")
	if [ "$n" -gt 600 ] && ! allowed "$f"; then
		echo "$f: $n lines (ceiling 600)"
		status=1
	fi
done
if command -v pmccabe >/dev/null 2>&1; then
	out=$(find src exact -name '*.c' 2>/dev/null | LC_ALL=C sort | xargs pmccabe 2>/dev/null |
		awk -F'\t' '$5 > 60 || $2 > 20 { n = split($6, a, " "); print a[1] "\t" a[n] "\t" $5 " lines, complexity " $2 }')
	oldifs=$IFS
	IFS='
'
	for row in $out; do
		name=$(printf '%s' "$row" | cut -f2)
		allowed "$name" && continue
		printf '%s\n' "$row" | sed 's/\t/ /g; s/$/ (ceilings 60 and 20)/'
		status=1
	done
	IFS=$oldifs
fi
[ $status -ne 0 ] || echo "ceilings: ok"
exit $status
