/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frozen benchmark files, named by the SHA-256 of their bytes: the same file in fifty hunts is one row.
 */
#include "store/store.h"

#include "store/db.h"
#include "sys/clock.h"
#include "sys/fs.h"

#include <string.h>

static void hash_of(const char *bytes, size_t n, char ret[65])
{
	struct sha256 *h = sha256_new();

	sha256_add(h, bytes, n);
	sha256_finish(h, ret);
}

int store_blob_put(struct store *st, const char *bytes, size_t n, char ret_hash[65], struct err *e)
{
	AUTO(str) struct str packed = STR_INIT;
	char hash[65];

	hash_of(bytes, n, hash);

	int r = db_pack(st, bytes, n, &packed, e);

	if (r == 0)
		r = db_begin(st, DB_FORCE, e);
	if (r < 0)
		return r;
	r = db_exec(
		st, "keeping a file",
		"insert into blob (hash, at_ns, bytes) values (?1, ?2, ?3) on conflict do nothing",
		ARGS(ARG_T(hash), ARG_I(clock_realtime_ns()), ARG_B(packed.p, packed.n)), e);
	r = db_end(st, r, e);
	if (r == 0)
		memcpy(ret_hash, hash, sizeof(hash));
	return r;
}

int store_blob_get(struct store *st, const char *hash, struct str *out, struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;
	AUTO(str) struct str bytes = STR_INIT;
	char seen[65];
	int r = sql_start(st, "reading a kept file", "select bytes from blob where hash = ?1",
			  ARGS(ARG_T(hash)), &q, e);

	if (r == 0)
		r = sql_step(&q, e);
	if (r == 0)
		return err_set(e, ERR_MISSING, "no file with the hash %.64s is kept", hash);
	if (r > 0)
		r = sql_unpack(&q, 0, &bytes, e);
	if (r < 0)
		return r;
	hash_of(bytes.p, bytes.n, seen);
	if (strcmp(seen, hash))
		return err_set(e, ERR_BROKEN,
			       "reading a kept file: %s: the bytes of %.64s have changed", st->path,
			       hash);
	str_add(out, bytes.p, bytes.n);
	return 0;
}
