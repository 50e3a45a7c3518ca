#!/bin/sh
# Makes the demo's repository in the folder that is named: a small word counter in C with some 300 commits, merges, two
# commits that do not build and one, on a side branch, that makes it about 4 % slower. Every date and
# author is fixed, so the object names are the same everywhere. Prints the name of the slow commit.
#
# The program runs at the pace of a slow machine of constant speed: each of its steps takes 400 ns of CPU time, whatever
# processor it runs on, times a noise of about 1 % drawn from $CULPRIT_SEED. So what there is to see, and the noise that there is to see
# through, do not depend on the mood of the machine that the demo runs on.
set -eu
[ $# -eq 1 ] || { echo "usage: demo-repo.sh DIR" >&2; exit 2; }
mkdir -p "$1"
cd "$1"
git init -q -b main .
git config user.name 'Demo Author'
git config user.email demo@example.org
git config commit.gpgsign false
git config gc.auto 0

mark=0
clock=1700000000

# commit PARENT_MARK SUBJECT [MERGE_MARK]: begins a commit, its files follow; leaves the new mark in $mark
commit() {
	mark=$((mark + 1))
	clock=$((clock + 3600))
	printf 'commit refs/heads/main\nmark :%d\ncommitter Demo Author <demo@example.org> %d +0000\n' $mark $clock
	printf 'data %d\n%s\n' "$(printf '%s' "$2" | wc -c)" "$2"
	[ -z "$1" ] || printf 'from :%d\n' "$1"
	[ -z "${3:-}" ] || printf 'merge :%d\n' "$3"
}

note() { # a file of its own, which nothing builds
	printf 'note %d\n' "$1" | file "notes/$1"
}

# file NAME: the content from stdin, as a fast-import command
file() {
	content=$(cat; printf x)
	content=${content%x}
	printf 'M 100644 inline %s\ndata %d\n%s\n' "$1" "$(printf '%s' "$content" | wc -c)" "$content"
}

makefile() {
	file Makefile <<'M'
CFLAGS = -O2 -Wall
OBJS = main.o words.o table.o text.o message.o

tally: $(OBJS)
	$(CC) $(CFLAGS) -o $@ $(OBJS)

$(OBJS): tally.h
clean:
	rm -f tally $(OBJS)
M
}

header() {
	file tally.h <<'H'
#ifndef TALLY_H
#define TALLY_H

#include <stddef.h>
#include <stdint.h>

/* text.c: a text that is the same everywhere, `size` bytes of words and blanks */
void text_make(char *text, size_t size);
/* words.c: calls count() for each word */
void words_each(const char *text, size_t size, void (*count)(const char *word, size_t n));
/* table.c: how often each word was seen; steps counts the work done */
void table_count(const char *word, size_t n);
size_t table_words(void);
extern unsigned long steps;
/* message.c */
const char *message(int which);

#endif
H
}

main_c() {
	file main.c <<'C'
#include "tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static char text[1 << 16];

/* Noise of about one per cent, drawn from a seed: what a real machine adds without being asked. */
static double noise(void)
{
	const char *seed = getenv("CULPRIT_SEED");
	uint64_t x = seed ? strtoull(seed, NULL, 10) : 1;
	int sum = 0;

	for (int i = 0; i < 12; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		sum += (int)(x >> 33) % 1000;
	}
	return 1 + (sum - 6000) / 100000.0;
}

/* A machine of constant speed: so much CPU time a step, on any processor. */
static void pace(double ns)
{
	struct timespec t;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	while (t.tv_sec * 1e9 + t.tv_nsec < ns);
}

int main(void)
{
	double slowness = 400 * noise();

	text_make(text, sizeof(text));
	for (int i = 0; i < 4; i++) {
		words_each(text, sizeof(text), table_count);
		pace(steps * slowness);
	}
	printf("%s %zu\n", message(0), table_words());
	return 0;
}
C
}

words_c() {
	file words.c <<'C'
#include "tally.h"

static int is_letter(char c)
{
	return c >= 'a' && c <= 'z';
}

void words_each(const char *text, size_t size, void (*count)(const char *word, size_t n))
{
	size_t at = 0;

	while (at < size) {
		size_t start;

		while (at < size && !is_letter(text[at]))
			at++;
		start = at;
		while (at < size && is_letter(text[at]))
			at++;
		if (at > start)
			count(text + start, at - start);
	}
}
C
}

# table ROUNDS: one more mixing step for every word that falls into a residue class
table_c() {
	file table.c <<C
#include "tally.h"

#include <string.h>

static struct {
	char word[16];
	uint64_t seen;
} table[16384];
static size_t words;
unsigned long steps;

static uint64_t hash(const char *word, size_t n)
{
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)word[i]) * 1099511628211u, steps++;
$1	return h ^ (h >> 29);
}

void table_count(const char *word, size_t n)
{
	size_t k = hash(word, n) % 16384;

	if (n > 15)
		n = 15;
	while (table[k].seen && (strncmp(table[k].word, word, n) || table[k].word[n]))
		k = (k + 1) % 16384;
	if (!table[k].seen) {
		memcpy(table[k].word, word, n);
		words++;
	}
	table[k].seen++;
}

size_t table_words(void)
{
	return words;
}
C
}
slow='	if (n == 5 && (h & 1)) /* spread the last letters of long words over the whole */
		h = (h ^ (h >> 31)) * 11400714819323198485u, steps++;
'

text_c() {
	file text.c <<'C'
#include "tally.h"

void text_make(char *text, size_t size)
{
	uint64_t x = 88172645463325252u;
	size_t at = 0;

	while (at < size) {
		size_t n;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		n = 2 + x % 4;
		for (size_t i = 0; i < n && at < size; i++)
			text[at++] = (char)('a' + (x >> (8 + 5 * i)) % 5);
		if (at < size)
			text[at++] = x % 11 ? ' ' : '\n';
	}
}
C
}

message_c() { # a number that changes with each revision, in a string of constant length
	file message.c <<C
#include "tally.h"

/* revision $(printf '%04d' "$1") of the messages */
const char *message(int which)
{
	static const char *const text[] = { "different words:", "tally $(printf '%04d' "$1")" };

	return text[which & 1];
}
C
}

broken_c() {
	file message.c <<'C'
#include "tally.h"

const char *message(int which)
{
	static const char *const text[] = { "different words:", "tally" }

	return text[which & 1];
}
C
}

branch() { # a side branch of two commits from the trunk, merged
	commit $trunk "message: wording, part $1"
	message_c $1
	side=$mark
	if [ $1 -eq 163 ]; then
		commit $side 'table: spread short words better'
		table_c "$slow"
		echo $mark >"$culprit_file"
	else
		commit $side "notes: remark $1"
		note $1
	fi
	side=$mark
	commit $trunk "README: edition $1"
	printf 'tally: counts words (%d)\n' $1 | file README
	commit $mark "Merge the branch of remark $1" $side
	# a merge in fast-import takes the first parent's tree: what the side changed is said again
	message_c $1
	[ $1 -eq 163 ] && table_c "$slow" || [ $1 -eq 163 ] || note $1
}

stream() {
	commit '' 'tally: count the words of a text'
	makefile; header; main_c; words_c; table_c ''; text_c; message_c 0
	printf 'tally: counts words\n' | file README
	printf '*.o\ntally\n.culprit/\n' | file .gitignore
	trunk=$mark
	for i in $(seq 1 200); do
		case $i in
		101) commit $trunk 'message: fewer semicolons'; broken_c ;;
		102) commit $trunk "notes: remark $i"; note $i ;;
		103) commit $trunk 'message: the semicolon is back'; message_c $i ;;
		*7 | *3) branch $i ;;
		*[05]) commit $trunk "message: wording $i"; message_c $i ;;
		*) commit $trunk "notes: remark $i"; note $i ;;
		esac
		trunk=$mark
	done
}
culprit_file=$(mktemp)
marks=$(mktemp)
trap 'rm -f "$culprit_file" "$marks"' EXIT
stream | git fast-import --quiet --export-marks="$marks"
git checkout -q main
git tag good "$(awk '$1 == ":1" { print $2 }' "$marks")"
git tag bad main
awk -v m=":$(cat "$culprit_file")" '$1 == m { print $2 }' "$marks"
