#!/bin/sh
# Prints a file as the C string NAME that HEADER declares: embed.sh FILE NAME HEADER
set -eu
printf '#include "%s"\n\nconst char %s[] =\n' "$3" "$2"
sed 's/[\\"]/\\&/g; s/.*/\t"&\\n"/' "$1"
printf '\t;\n'
