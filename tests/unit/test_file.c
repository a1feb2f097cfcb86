// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <errno.h>
#include <unistd.h>
#include <zlib.h>

#include "common/cleanup.h"
#include "common/file.h"

static char path[64];

static void write_gz(const char *text, size_t size)
{
	snprintf(path, sizeof(path), "/tmp/evprof-file-XXXXXX");
	int fd = mkstemp(path);
	gzFile gz = gzdopen(fd, "wb");
	CHECK_INT(gzwrite(gz, text, size), size);
	CHECK_INT(gzclose(gz), Z_OK);
}

TEST(reads_gzip_and_plain)
{
	EP_AUTOFREE char *text = NULL;
	struct ep_error err;
	size_t size;

	write_gz("one\ntwo\n", 8);
	CHECK_INT(ep_file_read(path, &text, &size, &err), 0);
	CHECK_INT(size, 8);
	CHECK_STR(text, "one\ntwo\n");
	unlink(path);
}

TEST(a_cut_gzip_is_an_error_that_names_the_file)
{
	EP_AUTOFREE char *text = NULL;
	struct ep_error err;
	size_t size;

	write_gz("some text that is long enough", 29);
	CHECK_INT(truncate(path, 20), 0);
	CHECK_INT(ep_file_read(path, &text, &size, &err), -EBADMSG);
	CHECK_STR(err.where, path);
	unlink(path);
}

TEST(missing_files_and_directories)
{
	EP_AUTOFREE char *text = NULL;
	struct ep_error err;
	size_t size;

	CHECK_INT(ep_file_read("/nonexistent/x", &text, &size, &err), -ENOENT);
	CHECK_INT(ep_file_read("/tmp", &text, &size, &err), -EISDIR);
}
