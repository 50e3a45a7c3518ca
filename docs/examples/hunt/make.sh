#!/bin/sh
# Makes ./project, a repository of 60 commits with a benchmark of three metrics, and ./patches: `net: copy it twice` (c23) costs two of the metrics 8 %, `disk: seek more` (c41)
# the third 6 %; c52 repairs the first, the patch the second. See ../hunt.md.
set -eu
git init -q project
cd project
git config user.name Ada
git config user.email ada@example.org
mkdir a b ../patches
echo 0 >a/x
echo 0 >b/x
cat >build.sh <<'END'
a=1000000; for f in a/*; do a=$((a + $(cat "$f"))); done
b=500000; for f in b/*; do b=$((b + $(cat "$f"))); done
cat >program <<PROGRAM
#!/bin/sh
set -- \$(od -An -N6 -tu2 /dev/urandom)
echo "throughput: \$((1000000000000 / ($a + $a * (\$1 % 1000 - 500) / 100000))) op/s"
echo "rtt: \$(($a + $a * (\$2 % 1000 - 500) / 100000)) ns"
echo "seek: \$(($b + $b * (\$3 % 1000 - 500) / 100000)) ns"
PROGRAM
chmod +x program
END
cat >culprit.yaml <<'END'
project:
  build: sh build.sh
benchmarks:
  net:
    command: ./program
    primary: [throughput, rtt, seek]
END
i=0
while [ "$i" -lt 60 ]; do
	i=$((i + 1))
	message="change $i"
	case $i in
	23) echo 80000 >a/x && message='net: copy it twice' ;;
	41) echo 30000 >b/x && message='disk: seek more' ;;
	52) echo 0 >a/x && message='net: copy it once again' ;;
	esac
	echo "$i" >"notes$i"
	git add -A
	GIT_AUTHOR_DATE="$((1700000000 + 60 * i)) +0000" GIT_COMMITTER_DATE="$((1700000000 + 60 * i)) +0000" git commit -q -m "$message"
	git tag "c$i"
done
git checkout -q c45
echo 0 >b/x
git commit -q -a -m 'disk: seek less'
git format-patch -q -1 -o ../patches
git checkout -q c60
