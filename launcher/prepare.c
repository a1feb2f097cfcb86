// SPDX-License-Identifier: BSD-3-Clause
/* Writes plans to a file beside the wanted one, and renames that file when it is complete. */
#include "prepare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "common/formula/folders.h"
#include "common/formula/plan_prepared.h"
#include "common/unfinished.h"

static int make_folders(char *path, struct ep_error *err)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		int failed = mkdir(path, 0777) && errno != EEXIST ? errno : 0;

		if (failed)
			ep_fail_at(err, -failed, (struct ep_place){ .file = path },
				"cannot make this folder: %s", strerror(failed));
		*slash = '/';
		if (failed)
			return -failed;
	}
	return 0;
}

static int users_path(char **out_path, struct ep_error *err)
{
	EP_AUTOFREE char *folder = ep_folder_of_user();
	char *path;

	if (!folder)
		return ep_fail(err, -ENOENT,
			"neither HOME nor XDG_DATA_HOME is set: name a file, as in --prepare=FILE");
	if (asprintf(&path, "%s/" EP_PREPARED_NAME, folder) < 0)
		return ep_fail(err, -ENOMEM, "out of memory");
	*out_path = path;
	return make_folders(path, err);
}

static int fail_write(const char *path, struct ep_error *err)
{
	int failed = errno;

	return ep_fail_at(err, -failed, (struct ep_place){ .file = path }, "cannot write: %s",
		strerror(failed));
}

static int write_plans(const char *path, struct ep_error *err)
{
	FILE *out = fopen(path, "we");
	int rc, failed;

	if (!out)
		return fail_write(path, err);
	rc = ep_event_plans_prepare(out, err);
	failed = ferror(out);
	if (fclose(out) || failed)
		rc = rc ? rc : fail_write(path, err);
	return rc;
}

/* Writes the file named by beside and renames it to where. So the file at where is always complete: it is the new one
 * or the old one. */
static int replace(const char *where, const char *beside, struct ep_error *err)
{
	int unfinished = ep_unfinished_begin(beside), rc = write_plans(beside, err);

	if (!rc && rename(beside, where))
		rc = fail_write(where, err);
	if (rc)
		unlink(beside);
	ep_unfinished_end(unfinished);
	return rc;
}

int ep_prepare_plans(const char *path, struct ep_error *err)
{
	EP_AUTOFREE char *where = path ? strdup(path) : NULL, *beside = NULL;
	int rc = path ? 0 : users_path(&where, err);

	if (rc)
		return rc;
	if (!where || asprintf(&beside, "%s.new", where) < 0)
		return ep_fail(err, -ENOMEM, "out of memory");
	rc = ep_file_may_replace(where, err);
	if (rc)
		return rc;
	rc = replace(where, beside, err);
	if (!rc)
		printf("%s: the models that LD_PRELOAD=libevprof.so finds by itself\n", where);
	return rc;
}
