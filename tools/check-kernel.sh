#!/bin/sh
# A hunt in a real kernel's source, by hand: 'make check-kernel', or tools/check-kernel.sh [SOURCE [FOLDER]].
# SOURCE is a kernel tree or linux-source-6.12.tar.xz (default: Debian's package, fetched by apt-get download). FOLDER (default: a new one below
# TMPDIR) gets a repository of 14 made commits, one of which undoes ef5f379de302: _compound_head() is 'inline' again instead of '__always_inline', under
# CONFIG_HUGETLB_PAGE_OPTIMIZE_VMEMMAP=y. The others change comments, drivers that are not compiled, an unused function and a text. The hunt has to name it.
#   STORE=DIR keeps builds and the journal there instead of in FOLDER/linux/.culprit.
#   TARGET=exact (default) boots the kernels and measures clone() in stress-ng; TARGET=local boots nothing and counts the copies of
#   _compound_head that the compiler left out of line, which shows the builds and the search alone.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
culprit=${CULPRIT:-$here/${BUILD:-build}/culprit}
case $culprit in /*) ;; *) culprit=$PWD/$culprit ;; esac
target=${TARGET:-exact}
source=${1:-}
folder=${2:-$(mktemp -d "${TMPDIR:-/tmp}/culprit-kernel-XXXXXX")}
export GIT_AUTHOR_NAME=Made GIT_AUTHOR_EMAIL=made@example.org GIT_COMMITTER_NAME=Made GIT_COMMITTER_EMAIL=made@example.org
say() { echo "check-kernel: $*" >&2; }

fetch() { # the tarball's path on stdout
	mkdir -p "$folder/deb"
	(cd "$folder/deb" && apt-get download linux-source-6.12 >&2 && dpkg-deb -x linux-source-6.12_*.deb .) || {
		say "no linux-source-6.12 from apt: give the path of a kernel tree or of linux-source-6.12.tar.xz"
		exit 4
	}
	echo "$folder/deb/usr/src/linux-source-6.12.tar.xz"
}

# What x86's smallest kernel does not need is left out; makefiles and Kconfig files stay, since Kbuild reads them all.
unpack() { # SOURCE
	set -- "$1" --exclude='*/Documentation/*/*' --exclude='*/tools/testing/*' --exclude='*/sound/*.[ch]' --exclude='*/samples/*.[ch]' \
		--exclude='*/drivers/gpu/*.[ch]' --exclude='*/drivers/media/*.[ch]' --exclude='*/drivers/infiniband/*.[ch]' \
		--exclude='*/drivers/staging/*.[ch]' --exclude='*/drivers/scsi/*.[ch]' --exclude='*/drivers/iio/*.[ch]' \
		--exclude='*/drivers/net/wireless/*.[ch]' --exclude='*/drivers/net/ethernet/mellanox/*.[ch]' --exclude='*.dts' --exclude='*.dtsi'
	mkdir -p "$folder/linux"
	if [ -d "$1" ]; then
		(from=$1 && shift && cd "$from" && tar -cf - "$@" --exclude=./.git .) | tar -xf - -C "$folder/linux"
	else
		from=$1 && shift
		tar -xf "$from" -C "$folder/linux" --strip-components=1 "$@"
	fi
}

k=0
commit() { # MESSAGE
	k=$((k + 1))
	git add -A -f # Debian ignores everything
	GIT_AUTHOR_DATE="$((1700000000 + 600 * k)) +0000" GIT_COMMITTER_DATE="$((1700000000 + 600 * k)) +0000" git commit -q -m "$1"
}
note() { # FILE TEXT: a comment at its end
	printf '/* %s */\n' "$2" >>"$1"
}

make_history() {
	git init -q -b main .
	git config core.autocrlf false
	commit 'linux 6.12, as Debian ships it' && git tag start
	echo '# checked' >>MAINTAINERS && commit 'MAINTAINERS: a line'
	note mm/page_alloc.c 'the buddy allocator ends here' && commit 'mm: a comment in page_alloc.c'
	note drivers/net/ethernet/broadcom/tg3.c 'not compiled here' && commit 'tg3: a comment'
	note kernel/fork.c 'see also kernel/exit.c' && commit 'fork: a comment'
	printf '\nstatic inline int __maybe_unused sort_is_unused(int x)\n{\n\treturn x + 1;\n}\n' >>lib/sort.c && commit 'lib/sort: a function that nobody calls'
	sed -i 's/Kernel command line: /Kernel command line is: /' init/main.c && commit 'init: another text'
	note fs/ext4/super.c 'not compiled here either' && commit 'ext4: a comment'
	sed -i 's/^static __always_inline unsigned long _compound_head(/static inline unsigned long _compound_head(/' include/linux/page-flags.h
	git diff --quiet && { say 'this source has no __always_inline _compound_head()'; exit 4; }
	commit 'page-flags: inline is enough for _compound_head' && git tag made
	note mm/slub.c 'SLUB ends here' && commit 'slub: a comment'
	note kernel/sched/fair.c 'fair ends here' && commit 'sched: a comment'
	printf '\nconfig MADE_SYMBOL\n\tbool "A symbol that nothing depends on"\n\tdefault y\n' >>init/Kconfig && commit 'init: a new symbol of Kconfig'
	note mm/rmap.c 'rmap ends here' && commit 'rmap: a comment'
	echo '# end' >>CREDITS && commit 'CREDITS: a line'
	git tag end
}

if [ ! -e "$folder/linux/.git" ]; then
	[ -n "$source" ] || source=$(fetch)
	say "unpacking $source into $folder/linux"
	unpack "$source"
	cd "$folder/linux"
	make_history
fi
cd "$folder/linux"
# shellcheck disable=SC2016 # the run's own expansion
count='echo "copies: $((1 + $(grep -c " _compound_head" boot/System.map-*)))"'
case $target in
exact) set -- --target exact --workload stress-ng-clone ;;
*) set -- --target local --bench "$count" -c benchmarks.default.better=lower ;;
esac
say "searching $(git rev-list --count start..end) commits of $folder/linux on target $target"
status=0
"$culprit" bisect start end "$@" ${STORE:+--store "$STORE"} ${CONFIG:+-c "kernel.config=$CONFIG"} --json >"$folder/answer.json" || status=$?
cat "$folder/answer.json"
[ "$status" -eq 0 ] || exit "$status"
if [ "$(jq -r '.culprit // ""' "$folder/answer.json")" = "$(git rev-parse made)" ]; then
	say "named the made commit"
else
	say "did not name the made commit $(git rev-parse made)"
	exit 1
fi
