/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of releases as histories; what asks apt is in t/0910-exact.bats. */
#include "hunt/releases.h"

#include "hunt/duel_order.h"
#include "sys/fs.h"
#include "unit.h"

#include <unistd.h>

static struct strvec list(const char *const *names)
{
	struct strvec v = STRVEC_INIT;

	for (; *names; names++)
		strvec_add(&v, *names);
	return v;
}

static const char *const four[] = { "deb=linux-image-6.1.0-9-amd64=6.1.27-1",
				    "deb=linux-image-6.1.0-10-amd64=6.1.38-1",
				    "deb=linux-image-6.1.0-11-amd64=6.1.38-4", "image=/k/bzImage",
				    NULL };

static void a_list_is_a_chain_from_first_to_last(void **state UNUSED)
{
	AUTO(strvec) struct strvec v = list(four);
	AUTO(range) struct range r = { 0 };
	struct err e = ERR_INIT;

	assert_int_equal(releases_range(&v, NULL, NULL, &r, &e), 0);
	assert_int_equal(r.g.n, 4);
	assert_int_equal(graph_candidates(&r.g), 3);
	assert_true(r.g.boundary[0]);
	assert_string_equal(r.good_oid, four[0]);
	assert_string_equal(r.bad_oid, four[3]);
	for (uint32_t i = 1; i < 4; i++) {
		assert_string_equal(r.oid[i], four[i]);
		assert_int_equal(r.g.parents[r.g.parent_start[i]], i - 1);
	}
}

static void ends_are_entries_or_parts_of_one(void **state UNUSED)
{
	AUTO(strvec) struct strvec v = list(four);
	AUTO(range) struct range r = { 0 };
	struct err e = ERR_INIT;

	assert_int_equal(releases_range(&v, "6.1.0-10-", four[2], &r, &e), 0);
	assert_int_equal(r.g.n, 2);
	assert_string_equal(r.good_oid, four[1]);
}

static void wrong_ends_are_said(void **state UNUSED)
{
	static const struct {
		const char *good, *bad, *says;
	} rows[] = {
		{ "6.1.38", NULL, "part of several" },
		{ "6.5", NULL, "no entry" },
		{ "6.1.0-11-", "6.1.0-10-", "does not come before" },
		{ "bzImage", NULL, "does not come before" },
	};
	AUTO(strvec) struct strvec v = list(four);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(range) struct range r = { 0 };
		struct err e = ERR_INIT;

		assert_int_equal(releases_range(&v, rows[i].good, rows[i].bad, &r, &e), -ERR_USAGE);
		assert_non_null(strstr(e.msg, rows[i].says));
	}
}

static void a_file_of_images_is_read_with_comments_and_blanks(void **state UNUSED)
{
	char dir[] = "/tmp/culprit-releases-XXXXXX";

	assert_non_null(mkdtemp(dir));
	AUTO_FREE char *a = fs_join(dir, "a"), *b = fs_join(dir, "b"), *file = fs_join(dir, "list");
	AUTO_FREE char *text = xasprintf(
		"# oldest first\n\nimage=%s\r\n  image=%s:cmdline=x  # the new one\n", a, b);
	AUTO_FREE char *twice = xasprintf("image=%s\nimage=%s\n", a, a);
	AUTO_FREE char *wanted = xasprintf("image=%s:cmdline=x", b);
	AUTO(strvec) struct strvec v = STRVEC_INIT, none = STRVEC_INIT;
	struct err e = ERR_INIT;

	assert_int_equal(fs_write_atomic(a, "x", 1, &e), 0);
	assert_int_equal(fs_write_atomic(b, "x", 1, &e), 0);
	assert_int_equal(fs_write_atomic(file, text, strlen(text), &e), 0);
	assert_int_equal(releases_list(file, &v, &e), 0);
	assert_int_equal(v.n, 2);
	assert_string_equal(v.v[0] + strlen("image="), a);
	assert_string_equal(v.v[1], wanted);
	assert_int_equal(fs_write_atomic(file, twice, strlen(twice), &e), 0);
	assert_int_equal(releases_list(file, &none, &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "twice"));
	assert_int_equal(fs_remove_tree(dir, &e), 0);
}

static void nodes_of_both_kinds_become_variants(void **state UNUSED)
{
	AUTO(variant) struct variant release = { 0 }, commit = { 0 };
	AUTO_FREE char *name = releases_short(four[0]);
	AUTO_FREE char *image = releases_short(four[3]);

	releases_variant(four[0], &release);
	assert_string_equal(release.deb, "linux-image-6.1.0-9-amd64=6.1.27-1");
	releases_variant("0123456789012345678901234567890123456789", &commit);
	assert_null(commit.deb);
	assert_string_equal(commit.oid, "0123456789012345678901234567890123456789");
	assert_string_equal(name, "linux-image-6.1.0-9-amd64");
	assert_string_equal(image, "k/bzImage");
}

/* Drawn for each pair of rounds and mirrored in its second half, so that a drift meets all sides alike. */
static void rounds_come_in_mirrored_pairs(void **state UNUSED)
{
	struct session s = { .seed = 7 };
	unsigned begins[4] = { 0 };

	for (unsigned round = 0; round < 200; round += 2) {
		size_t a[4], b[4];

		duel_order(&s, 4, round, a);
		duel_order(&s, 4, round + 1, b);
		for (size_t i = 0; i < 4; i++)
			assert_int_equal(a[i], b[3 - i]);
		begins[a[0]]++;
	}
	for (size_t i = 0; i < 4; i++)
		assert_true(begins[i] > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_is_a_chain_from_first_to_last),
		cmocka_unit_test(ends_are_entries_or_parts_of_one),
		cmocka_unit_test(wrong_ends_are_said),
		cmocka_unit_test(a_file_of_images_is_read_with_comments_and_blanks),
		cmocka_unit_test(nodes_of_both_kinds_become_variants),
		cmocka_unit_test(rounds_come_in_mirrored_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
