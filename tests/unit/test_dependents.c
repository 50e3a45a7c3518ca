/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gitfix.h"

#include "repo/dependents.h"
#include "repo/variant.h"

static void find(struct fix *f, const char *on, const char *commit, struct dependents *ret)
{
	AUTO_FREE char *text = xasprintf("%s:revert=%s", on, commit);
	AUTO(str) struct str why = STR_INIT;
	AUTO(refusal) struct refusal refusal = { .kind = REFUSAL_NONE };
	AUTO(strvec) struct strvec commits = STRVEC_INIT;
	struct err e = ERR_INIT;
	struct variant v;
	char tree[65];

	assert_ok(variant_parse(f->repo, text, &v, &e), &e);
	assert_ok(variant_try(f->repo, &v, tree, &refusal, &why, &e), &e);
	assert_int_equal(refusal.kind, REFUSAL_CONFLICT);
	assert_int_equal(refusal.change, 0);
	strvec_add(&commits, v.changes[0].value);
	assert_ok(dependents_find(f->repo, v.oid, &commits, &refusal.paths, ret, &e), &e);
	variant_done(&v);
}

static void are(struct fix *f, const struct dependents *d, const char *const *revs, bool complete)
{
	size_t n = 0;

	for (; revs[n]; n++) {
		if (n >= d->commits.n)
			fail_msg("%s is missing", revs[n]);
		assert_string_equal(d->commits.v[n], fix_oid(f, revs[n]));
	}
	assert_int_equal(d->commits.n, n);
	assert_int_equal(d->complete, complete);
}

/* a has lines of its own for each letter; far changes none of those that are near the first commit's. */
static const char lines[] =
	"put() { printf '%s\\n' \"$1\" 2 3 4 5 6 7 8 9 \"$2\" >a; git add a; tick; git commit -q -m \"$3\"; git tag \"$3\"; }\n"
	"put zero end base; put one end first; c other 1; git tag between; put one far away\n"
	"put two far second; c other 2; git tag off; put three far third; c other 3\n";

static void those_on_the_same_lines_and_no_others(void **state UNUSED)
{
	AUTO(dependents) struct dependents d = { .complete = false }, one = { .complete = false };
	struct fix f;

	fix_repo(&f, lines);
	find(&f, "main", "first", &d);
	are(&f, &d, (const char *const[]){ "third", "second", NULL }, true);
	find(&f, "main", "second", &one);
	are(&f, &one, (const char *const[]){ "third", NULL }, true);
	fix_end(&f);
}

/* What is in the way of the one that is in the way: in another file. */
static void one_leads_to_the_next(void **state UNUSED)
{
	AUTO(dependents) struct dependents d = { .complete = false };
	struct fix f;

	fix_repo(&f, "c a 0; c b 0; c a 1; git tag culprit\n"
		     "echo 2 >a; echo 1 >b; tick; git commit -q -a -m both; git tag both\n"
		     "c b 2; git tag last; c q 1\n");
	find(&f, "main", "culprit", &d);
	are(&f, &d, (const char *const[]){ "last", "both", NULL }, true);
	fix_end(&f);
}

/* Two lines of development met in a merge that is no commit of its own: nothing that could be reverted is to blame. */
static void a_conflict_that_no_single_commit_makes(void **state UNUSED)
{
	AUTO(dependents) struct dependents d = { .complete = true };
	struct fix f;

	fix_repo(&f,
		 "c a 0; c a 1; git tag culprit; git checkout -q -b side; c s 1\n"
		 "git checkout -q main; c m 1; git merge -q --no-ff --no-commit side >/dev/null\n"
		 "echo evil >a; git add a; tick; git commit -q -m evil\n");
	find(&f, "main", "culprit", &d);
	are(&f, &d, (const char *const[]){ NULL }, false);
	fix_end(&f);
}

static void newest_first(void **state UNUSED)
{
	AUTO(strvec) struct strvec list = STRVEC_INIT;
	struct err e = ERR_INIT;
	struct fix f;

	/* dates that run backwards: the ancestry counts */
	fix_repo(
		&f,
		"c a 1; git tag one; echo 800000 >../.tick; c a 2; git tag two; echo 5 >../.tick; c a 3; git tag three\n"
		"git checkout -q -b side two; c b 1; git checkout -q main; m side; git tag merge\n");
	strvec_add(&list, fix_oid(&f, "two"));
	strvec_addf(&list, "%s,2", fix_oid(&f, "merge"));
	strvec_add(&list, fix_oid(&f, "one"));
	strvec_add(&list, fix_oid(&f, "three"));
	assert_ok(dependents_order(f.repo, &list, &e), &e);
	assert_int_equal(list.n, 4);
	AUTO_FREE char *merge = xasprintf("%s,2", fix_oid(&f, "merge"));

	assert_string_equal(list.v[0], merge);
	assert_string_equal(list.v[1], fix_oid(&f, "three"));
	assert_string_equal(list.v[2], fix_oid(&f, "two"));
	assert_string_equal(list.v[3], fix_oid(&f, "one"));
	fix_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_on_the_same_lines_and_no_others),
		cmocka_unit_test(one_leads_to_the_next),
		cmocka_unit_test(a_conflict_that_no_single_commit_makes),
		cmocka_unit_test(newest_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
