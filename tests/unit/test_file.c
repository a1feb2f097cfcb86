// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <errno.h>
#include <sys/stat.h>
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

/* As root a rename takes the place of whatever is there. */
TEST(no_pipe_or_device_is_replaced)
{
	char folder[] = "/tmp/evprof-file-XXXXXX", pipe[64], link[64], file[64];
	struct ep_error err;

	CHECK(mkdtemp(folder) != NULL);
	snprintf(pipe, sizeof(pipe), "%s/pipe", folder);
	snprintf(link, sizeof(link), "%s/link", folder);
	snprintf(file, sizeof(file), "%s/file", folder);
	CHECK_INT(mkfifo(pipe, 0600), 0);
	CHECK_INT(symlink("/dev/null", link), 0);
	CHECK_INT(ep_file_may_replace(file, &err), 0); /* a new one */
	fclose(fopen(file, "w"));
	CHECK_INT(ep_file_may_replace(file, &err), 0);
	CHECK_INT(ep_file_may_replace(pipe, &err), -EEXIST);
	CHECK(strstr(err.message, "is a pipe, a device or a socket"));
	CHECK_INT(ep_file_may_replace(link, &err), -EEXIST);
	CHECK_INT(ep_file_may_replace("/dev/null", &err), -EEXIST);
	unlink(pipe);
	unlink(link);
	unlink(file);
	rmdir(folder);
}
