// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

/* A device is refused before it is opened, since it may never end; a pipe is read, up to a bound. */
TEST(devices_are_refused_and_pipes_bounded)
{
	static char zeros[1 << 16];
	char pipe_path[] = "/tmp/evprof-file-XXXXXX";
	EP_AUTOFREE char *text = NULL;
	struct ep_error err;
	size_t size;
	pid_t writer;
	int fd;

	CHECK_INT(ep_file_read("/dev/zero", &text, &size, &err), -ENODEV);
	CHECK_STR(err.message, "is a device, expected a file");
	CHECK_INT(ep_file_read("/dev/null", &text, &size, &err), 0);
	CHECK_INT(size, 0);
	CHECK_INT(close(mkstemp(pipe_path)), 0);
	CHECK_INT(unlink(pipe_path), 0);
	CHECK_INT(mkfifo(pipe_path, 0600), 0);
	writer = fork();
	if (!writer) {
		for (fd = open(pipe_path, O_WRONLY); write(fd, zeros, sizeof(zeros)) > 0;)
			;
		_exit(0);
	}
	free(text);
	text = NULL;
	CHECK_INT(ep_file_read(pipe_path, &text, &size, &err), -EFBIG);
	CHECK_INT(waitpid(writer, NULL, 0), writer);
	unlink(pipe_path);
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
