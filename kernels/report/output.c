// SPDX-License-Identifier: BSD-3-Clause
/* Writes files so that they appear complete or not at all. */
#include "kernels/report/output.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "common/unfinished.h"

/* Writes text to a new file. If path exists, a killed process with the same pid has left it, and it is replaced. */
static int write_temporary(const char *path, const char *text, size_t size)
{
	EP_AUTOFCLOSE FILE *out = fopen(path, "wxe");

	if (!out && errno == EEXIST && !unlink(path))
		out = fopen(path, "wxe");
	if (!out || fwrite(text, 1, size, out) != size || fflush(out))
		return -errno;
	return 0;
}

int ep_output_write(const char *path, const char *text, size_t size, struct ep_error *err)
{
	EP_AUTOFREE char *temporary = NULL;
	int rc = ep_file_may_replace(path, err), unfinished;

	if (rc)
		return rc;
	if (asprintf(&temporary, "%s.%d.part", path, (int)getpid()) < 0) {
		temporary = NULL;
		return ep_fail(err, -ENOMEM, "out of memory");
	}
	unfinished = ep_unfinished_begin(temporary);
	rc = write_temporary(temporary, text, size);
	if (!rc && rename(temporary, path))
		rc = -errno;
	if (rc)
		unlink(temporary);
	ep_unfinished_end(unfinished);
	if (rc)
		return ep_fail_at(err, rc, (struct ep_place){ path, 0, 0 }, "cannot write: %s",
			strerror(-rc));
	return 0;
}

int ep_output_make_folder(const char *path, struct ep_error *err)
{
	char above[PATH_MAX];

	if (!*path)
		return ep_fail(err, -EINVAL, "-o needs a folder, and was given an empty name");
	snprintf(above, sizeof(above), "%s", path);
	for (char *slash = strchr(above + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(above, 0777);
		*slash = '/';
	}
	if (mkdir(path, 0777) && errno != EEXIST)
		return ep_fail_at(err, -errno, (struct ep_place){ path, 0, 0 },
			"cannot make the folder: %s", strerror(errno));
	return 0;
}

int ep_output_report(const char *path, ep_report_fn report, const struct ep_derivation *derivation,
	struct ep_error *err)
{
	EP_AUTOFREE char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return ep_fail(err, -ENOMEM, "out of memory");
	report(derivation, out);
	if (fclose(out))
		return ep_fail(err, -ENOMEM, "out of memory");
	return ep_output_write(path, text, size, err);
}
