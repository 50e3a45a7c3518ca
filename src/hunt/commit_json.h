/* SPDX-License-Identifier: GPL-2.0-or-later */
/* commit_json - what an answer says of a commit, or of a release in a list of them. */
#pragma once

struct json_out;
struct session;

/* Members "commit" (full name), "abbrev", "subject", "author" and "time" of the open object; where there is no repository the first alone. */
void commit_json(struct session *s, const char *oid, struct json_out *w);
