/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/jsonvalue.h"

#include <string.h>

void jsonvalue_bench(struct gather *g, const char *name)
{
	gather_bench(g, name ? name : "", name ? strlen(name) : 0);
}

bool jsonvalue_take(struct gather *g, const struct gather_metric *m, const struct json *v,
		    const char *path)
{
	double value;

	v = json_get(v, path);
	if (json_kind(v) == JSON_IS_NULL)
		return false;
	if (json_to_number(v, NULL, &value)) {
		gather_value(g, m, value, RESOLUTION_OF_DIGITS);
		return true;
	}
	AUTO(str) struct str is = STR_INIT;

	json_put(v, &is);
	gather_problem(g, m->name, strlen(m->name),
		       "metric '%.80s' should be a number and is %.60s", m->name, is.p);
	return false;
}

size_t jsonvalue_take_list(struct gather *g, const struct gather_metric *m, const struct json *v,
			   const char *path)
{
	const struct json *list = json_get(v, path);
	size_t n = 0;

	for (size_t i = 0; json_kind(list) == JSON_IS_ARRAY && i < json_count(list); i++)
		n += jsonvalue_take(g, m, json_at(list, i), NULL);
	return n;
}

void jsonvalue_take_mean(struct gather *g, const struct gather_metric *m, const struct json *list)
{
	long double sum = 0;
	size_t n = json_count(list);
	double v;

	for (size_t i = 0; i < n; i++) {
		if (n == 1 || !json_to_number(json_at(list, i), NULL, &v)) {
			jsonvalue_take(g, m, json_at(list, i), NULL); /* or says what is wrong */
			return;
		}
		sum += v;
	}
	if (n)
		gather_value(g, m, (double)(sum / (long double)n), 0);
}
