#!/bin/sh
# How long does it take to load a range, against git's own time, and how much memory? On made histories of 12,000 and 100,000 commits with
# merges: 12 % of the commits merge an open branch, 35 % extend one, 6 % open one, from a fixed seed.
#
#	BUILD=build bench/range.sh [COMMITS...]
set -eu
cd "$(dirname "$0")/.."
program=${BUILD:-build}/bench_range
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
[ $# -gt 0 ] || set -- 12000 100000
for n; do
	repo=$dir/$n.git
	git init -q --bare -b main "$repo"
	awk -v n="$n" 'BEGIN {
		srand(1)
		print "commit refs/heads/main\nmark :1\ncommitter C <c@example.org> 1000000001 +0000\ndata 1\nx\nM 100644 inline a\ndata 1\nx\n"
		tip = 1
		for (i = 2; i <= n; i++) {
			r = rand(); from = tip; other = 0; main = 1
			if (open && r < 0.12) {
				k = int(rand() * open); other = branch[k]; branch[k] = branch[--open]
			} else if (open && r < 0.47) {
				k = int(rand() * open); from = branch[k]; branch[k] = i; main = 0
			} else if (r < 0.53) {
				branch[open++] = i; main = 0
			}
			printf "commit refs/heads/main\nmark :%d\ncommitter C <c@example.org> %d +0000\ndata 1\nx\nfrom :%d\n", i, 1000000000 + 60 * i, from
			if (other) printf "merge :%d\n", other
			printf "M 100644 inline d%d/f%d\ndata %d\n%d\n", i % 37, i % 97, length(i ""), i
			if (main) tip = i
		}
		printf "reset refs/heads/main\nfrom :%d\n", tip
	}' | git -C "$repo" fast-import --quiet
	git -C "$repo" repack -adq
	"$program" "$repo" "$dir/store$n" "$(git -C "$repo" rev-list --first-parent main | tail -n 1)" main
done
