/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hunt/commit_json.h"

#include "hunt/releases.h"
#include "hunt/session.h"
#include "text/json.h"

#include <string.h>

void commit_json(struct session *s, const char *oid, struct json_out *w)
{
	struct commit_info info;

	json_out_text(w, "commit", oid);
	if (releases_is_one(oid)) {
		AUTO_FREE char *name = releases_short(oid);
		const char *version = strchr(oid + 4, '=');

		json_out_text(w, "abbrev", name);
		json_out_text(w, "subject", version ? version + 1 : "");
		return;
	}
	if (s->repo && repo_commit(s->repo, oid, &info, NULL) == 0) {
		json_out_text(w, "abbrev", info.abbrev);
		json_out_text(w, "subject", info.subject);
		json_out_text(w, "author", info.author);
		json_out_int(w, "time", info.time);
	}
}
