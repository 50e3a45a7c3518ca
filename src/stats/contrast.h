/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * contrast - many named counts of two sides set against each other: functions of a program, events of a machine.
 *
 * Each side has runs, each run a count for some names; a name that a run does not have counts 0 there. What repeats digit by digit
 * on both sides is told apart from what varies, and what moved from one name to another from what was added.
 *
 * No test of significance: with five runs a side none of thousands of names could pass one after a correction. What is said is
 * what was seen: equal digits, or ranges that are apart.
 */
#pragma once

#include "base/str.h"

enum contrast_status {
	CONTRAST_REPEATS, /* one value on each side, in at least two runs of each */
	CONTRAST_VARIES,  /* the ranges are further apart than the wider of them is wide */
	CONTRAST_NOISE,	  /* anything else that varies */
	CONTRAST_ONCE,	  /* a side has one run: nothing is known about repeating */
};
const char *contrast_status_name(enum contrast_status s);

struct contrast_row {
	const char *name;	/* of the contrast's arena */
	double median[2];	/* of all runs of the side */
	double low[2], high[2]; /* its range */
	double difference;	/* of the medians: side 1 less side 0 */
	double spread;		/* width of the wider range */
	enum contrast_status status;
};

/* Zero is a valid empty one. */
struct contrast {
	struct contrast_row *
		v; /* after contrast_finish: largest |difference| first, then by name; unchanged names are left out */
	size_t n, cap;
	unsigned runs[2];
	size_t names;	     /* how many there are, the unchanged ones included */
	size_t repeating;    /* of them: the same digits in every run of its side, on both sides */
	double total[2];     /* median over the runs of the sum over all names */
	double gained, lost; /* sums of the differences that are not noise, each >= 0 */
	struct {
		struct contrast_count *v;
		size_t n, cap;
	} counts;     /* until contrast_finish */
	double scale; /* of the run that was begun last */
	unsigned side;
	struct arena arena;
};
void contrast_done(struct contrast *c);

/* The counts that follow are of another run of this side (0 or 1); each is divided by `per` (operations; 1 = none). */
void contrast_run(struct contrast *c, unsigned side, double per);
/* Several counts of one name in one run are added up. */
void contrast_add(struct contrast *c, const char *name, size_t name_n, double count);
void contrast_finish(struct contrast *c);

/*
 * Cost that moved: what is gone from one side and stands under another name on the other. `gone` names lost all they had, or `come` names
 * had nothing before; one of the two lists has one name.
 */
struct contrast_shift {
	struct strvec gone, come;
	double lost, gained; /* both >= 0 */
};
struct contrast_shifts {
	struct contrast_shift *v;
	size_t n, cap;
};
/* `c` is finished. Names whose change is below `least` are left alone. */
void contrast_find_shifts(const struct contrast *c, double least, struct contrast_shifts *ret);
void contrast_shifts_done(struct contrast_shifts *s);
