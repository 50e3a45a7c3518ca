/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * deb - Debian's kernel packages: found by name, pattern or version, fetched and unpacked. Nothing is installed and no root is needed.
 *
 *   linux-image-6.1.0-57-amd64         its newest version     linux-image-6.12.*              every flavour-less package that matches
 *   linux-image-6.1.0-57-amd64=6.1.192-3                      linux-image-amd64               what the meta-package stands for
 *   ./linux-image-6.12.0_1_amd64.deb   a package file (`make bindeb-pkg`)
 *
 * A pattern (with * ? or [) passes over -cloud, -rt, -dbg and -unsigned unless it names them, and over meta-packages. Asks `apt-cache`, fetches
 * with `apt-get download`, which checks signatures and sums; unpacks with `dpkg-deb`.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

struct deb_package {
	char *name, *version;
	char *sha256; /* as apt says, or of the file */
	char *file;   /* the package file that was named, absolute, or NULL: apt fetches it */
};
void deb_package_done(struct deb_package *p);
struct deb_packages {
	struct deb_package *v;
	size_t n, cap;
};
void deb_packages_done(struct deb_packages *p);

/*
 * All that `spec` (the text after "deb=") means, oldest first by Debian's order of versions. ERR_MISSING for no match, with what there is; ERR_ENV without apt.
 * ERR_USAGE for a spec that is none.
 */
int deb_list(const char *spec, struct deb_packages *ret, struct err *e) MUST_USE;
/* The newest of them. */
int deb_resolve(const char *spec, struct deb_package *ret, struct err *e) MUST_USE;

/* Does the name of a package fit the pattern, flavours passed over as said above? */
bool deb_name_matches(const char *pattern, const char *name);
