/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prebuilt - builds that need no building: deb= and image=, a kernel that exists.
 *
 * The kept folder is STORE/kernels/KEY (kernel/kept.h); the artefact is the hash of the image and its modules, so that two packages with one
 * kernel are one candidate.
 */
#pragma once

#include "hunt/session.h"

/*
 * The build of a variant with `deb` or `image`: from the journal, or fetched, unpacked and journaled now. What apt does not have, or
 * what is no kernel, is an outcome (skipped, with its reason) where s->goes_on_without, else ERR_MISSING or ERR_USAGE; ERR_ENV without apt.
 */
int prebuilt_find(struct session *s, const struct variant *v, struct build_row *ret,
		  struct err *e) MUST_USE;
/*
 * The kernel under which programs run in a guest ("deb=..." or "image=..."): kept in the store, its folder in s->guest_kernel. *ret_name (to
 * be freed) is what it is exactly, for the question.
 */
int prebuilt_for_programs(struct session *s, const char *spec, char **ret_name,
			  struct err *e) MUST_USE;
