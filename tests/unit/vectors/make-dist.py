#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes dist.txt, the vectors of tests/unit/test_dist.c:
#     python3 tests/unit/vectors/make-dist.py > tests/unit/vectors/dist.txt
# Each line: function, its arguments, the value by scipy (scipy.stats; ranksum and signrank by counting all cases).
import itertools
import math
import scipy
from scipy import stats as st


def row(name, args, value):
    print(name, *[repr(float(a)) for a in args], repr(float(value)))


print("# scipy", scipy.__version__)
for x in (-8, -3, -1.96, -0.5, 0, 0.1, 1, 2.5758, 6):
    row("normal_cdf", [x], st.norm.cdf(x))
for p in (1e-12, 1e-6, 0.0013, 0.025, 0.3, 0.5, 0.9, 0.975, 0.9999):
    row("normal_quantile", [p], st.norm.ppf(p))
for df in (1, 2, 3.7, 5, 12, 58, 1000):
    for x in (-12, -4, -1, 0, 0.3, 2, 9):
        row("t_cdf", [x, df], st.t.cdf(x, df))
    for p in (1e-5, 0.01, 0.2, 0.45, 0.975, 0.999):
        # scipy 1.10's quantile is right to 8 digits only (p = 1e-5, df = 2 has a closed form): polish it on its cdf.
        q = st.t.ppf(p, df)
        for _ in range(4):
            q -= (st.t.cdf(q, df) - p) / st.t.pdf(q, df)
        row("t_quantile", [p, df], q)
for a, b in ((0.5, 0.5), (1, 3), (2.5, 7), (20, 11), (150, 400)):
    for x in (0.001, 0.05, 0.3, 0.5, 0.8, 0.99):
        row("beta_cdf", [x, a, b], st.beta.cdf(x, a, b))
    for p in (0.001, 0.05, 0.5, 0.95, 0.999):
        row("beta_quantile", [p, a, b], st.beta.ppf(p, a, b))
for d1, d2 in ((1, 1), (2, 7), (5, 3), (12, 30), (100, 200)):
    for x in (0.01, 0.5, 1, 2.7, 20):
        row("f_cdf", [x, d1, d2], st.f.cdf(x, d1, d2))
    for p in (0.01, 0.5, 0.95, 0.999):
        row("f_quantile", [p, d1, d2], st.f.ppf(p, d1, d2))
for df in (1, 2, 3.5, 10, 60, 500):
    for x in (0.01, 1, 4, 20, 90, 600):
        row("chi2_cdf", [x, df], st.chi2.cdf(x, df))
        row("chi2_upper", [x, df], st.chi2.sf(x, df))
    for p in (0.001, 0.05, 0.5, 0.95, 0.999):
        row("chi2_quantile", [p, df], st.chi2.ppf(p, df))
for n, pr in ((1, 0.5), (10, 0.1), (40, 0.5), (400, 0.01), (1500, 0.95)):
    for k in sorted({0, int(n * pr / 2), int(n * pr), int(n * pr + 3), n}):
        row("binomial_cdf", [k, n, pr], st.binom.cdf(k, n, pr))
        row("binomial_upper", [k, n, pr], st.binom.sf(k, n, pr))
    for p in (0.001, 0.3, 0.5, 0.975):
        row("binomial_quantile", [p, n, pr], st.binom.ppf(p, n, pr))


def ranksum(n, m):
    counts = [0] * (n * m + 1)
    for c in itertools.combinations(range(n + m), n):
        counts[sum(c) - n * (n - 1) // 2] += 1
    return counts


for n, m in ((1, 1), (2, 5), (4, 4), (5, 7), (8, 8)):
    counts = ranksum(n, m)
    for u in sorted({0, 1, n * m // 3, n * m // 2, n * m}):
        row("ranksum_cdf", [u, n, m], sum(counts[: u + 1]) / math.comb(n + m, n))
for n in (1, 4, 9, 14):
    counts = [0] * (n * (n + 1) // 2 + 1)
    for signs in itertools.product((0, 1), repeat=n):
        counts[sum((i + 1) * s for i, s in enumerate(signs))] += 1
    for v in sorted({0, 1, len(counts) // 4, len(counts) // 2, len(counts) - 1}):
        row("signrank_cdf", [v, n], sum(counts[: v + 1]) / 2**n)
