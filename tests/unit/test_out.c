// SPDX-License-Identifier: BSD-3-Clause
/* The trace file: creation, size limits, lost and replaced descriptors. Each in a child. */
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "common/os/fds.h"
#include "preload/recording/out.h"

static char folder[] = "/tmp/evprof-test-XXXXXX";
static struct ep_out out;
static struct ep_error err;

#define REQUIRE(condition)                                                                         \
	do {                                                                                       \
		if (!(condition))                                                                  \
			return __LINE__ % 200 + 1;                                                 \
	} while (0)

static void in_child(const char *name, int (*run)(void))
{
	static bool is_made;
	int status = -1;
	pid_t pid;

	if (!is_made)
		is_made = mkdtemp(folder);
	pid = fork();
	if (!pid) {
		if (chdir(folder) || system("rm -rf ./*"))
			_exit(99);
		ep_fds_init();
		_exit(ep_out_init(&out, &err) ? 98 : run());
	}
	waitpid(pid, &status, 0);
	CHECK_MSG(!status, "%s: wait status %#x", name, status);
}

static void put_text(const char *text)
{
	ep_wire_bytes(&out.raw, text, strlen(text));
}

/* The text of all whole members; -1 when there is anything else. */
static int read_back(const char *path, char *text, size_t capacity)
{
	static uint8_t data[1 << 20], inflated[EP_MEMBER_MAX_BYTES];
	struct ep_inflater *inflater = ep_inflater_create();
	int fd = open(path, O_RDONLY);
	ssize_t size = read(fd, data, sizeof(data));
	size_t used = 0, member_size, inflated_size;
	bool need_more;

	close(fd);
	for (ssize_t at = 0; at < size; at += member_size) {
		member_size = ep_member_size(data + at, size - at, &need_more);
		if (!member_size ||
			ep_inflater_inflate(
				inflater, data + at, member_size, inflated, &inflated_size) ||
			used + inflated_size >= capacity)
			return -1;
		memcpy(text + used, inflated, inflated_size);
		used += inflated_size;
	}
	text[used] = '\0';
	ep_inflater_destroy(inflater);
	return used;
}

static int written(void)
{
	char text[1000];

	REQUIRE(!ep_out_create(&out, "trace.gz", &err));
	REQUIRE(out.fd >= 1024 && out.is_regular);
	put_text("first;");
	REQUIRE(!ep_out_flush_stored(&out));
	put_text("second;");
	REQUIRE(!ep_out_flush(&out) && !out.raw.size_bytes);
	REQUIRE(!ep_out_flush(&out)); /* nothing to write */
	REQUIRE(!ep_out_write(&out, ep_bgzf_eof, sizeof(ep_bgzf_eof)));
	REQUIRE(read_back("trace.gz", text, sizeof(text)) >= 0);
	REQUIRE(!strcmp(text, "first;second;"));
	return system("gzip -t trace.gz && test $(gzip -dc trace.gz) = 'first;second;'") ? 200 : 0;
}

static int joined(void)
{
	struct ep_out other;
	char text[1000];

	REQUIRE(!ep_out_create(&out, "trace.gz", &err));
	put_text("a");
	REQUIRE(!ep_out_flush(&out));
	other = out;
	REQUIRE(!ep_out_join(&other, "trace.gz", &err));
	REQUIRE(other.fd != out.fd && other.inode == out.inode);
	put_text("b");
	REQUIRE(!ep_out_flush(&out));
	other.raw.size_bytes = 0;
	ep_wire_bytes(&other.raw, "c", 1);
	REQUIRE(!ep_out_flush(&other));
	REQUIRE(read_back("trace.gz", text, sizeof(text)) == 3 && !strcmp(text, "abc"));
	REQUIRE(ep_out_join(&other, "no-such", &err) == -ENOENT && strstr(err.message, "no-such"));
	return 0;
}

/* A shell command that writes what begins like a trace and ends in word. */
#define TRACE(word, path)                                                                          \
	"printf '\\037\\213\\010\\0041234567890123456789EVPB" word "\\n' > " path "; "

/* Another run moves the older trace away and makes its own between the question and the move. */
static bool another_run_begins(const char *path)
{
	static bool has_begun;
	bool is_live = has_begun;

	if (!has_begun && system("mv trace.gz theirs.old; " TRACE("new", "trace.gz")))
		_exit(97);
	has_begun = true;
	return is_live;
}

static int overtaken(void)
{
	out.is_live = another_run_begins;
	REQUIRE(!system(TRACE("dead", "trace.gz")));
	REQUIRE(ep_out_create(&out, "trace.gz", &err) == -EEXIST);
	return system("grep -q new trace.gz && test ! -e trace.gz.old") ? 200 : 0;
}

static int overtaken_beside_an_older_one(void)
{
	out.is_live = another_run_begins;
	REQUIRE(!system(TRACE("dead", "trace.gz") TRACE("older", "trace.gz.old")));
	REQUIRE(ep_out_create(&out, "trace.gz", &err) == -EEXIST);
	return system("grep -q new trace.gz && grep -q older trace.gz.old") ? 200 : 0;
}

static bool is_live_everywhere(const char *path)
{
	return true;
}

static int written_elsewhere(void)
{
	out.is_live = is_live_everywhere;
	REQUIRE(!system(TRACE("theirs", "trace.gz") "ln -s trace.gz link"));
	REQUIRE(ep_out_create(&out, "trace.gz", &err) == -EEXIST);
	REQUIRE(ep_out_create(&out, "link", &err) == -EEXIST && strstr(err.message, "another run"));
	REQUIRE(!ep_out_create(&out, "beside.gz", &err));
	return system("grep -q theirs trace.gz") ? 200 : 0;
}

static int moved_aside(void)
{
	struct stat st;

	REQUIRE(!system(TRACE("old", "trace.gz") "mkdir folder; ln -s nowhere link"));
	REQUIRE(!ep_out_create(&out, "trace.gz", &err));
	REQUIRE(!system("grep -q old trace.gz.old"));
	REQUIRE(!stat("trace.gz", &st) && !st.st_size);
	REQUIRE(ep_out_create(&out, "folder", &err) == -EISDIR);
	REQUIRE(ep_out_create(&out, "no/such", &err) == -ENOENT &&
		strstr(err.message, "EVPROF_OUTPUT"));
	REQUIRE(ep_out_create(&out, "link", &err) == -ENOENT);
	REQUIRE(!lstat("link", &st) && S_ISLNK(st.st_mode));
	REQUIRE(!system("mkfifo pipe"));
	REQUIRE(ep_out_create(&out, "pipe", &err) == -ENXIO &&
		strstr(err.message, "without a reader"));
	REQUIRE(!lstat("pipe", &st) && S_ISFIFO(st.st_mode));
	return 0;
}

static int moved_aside_again(void)
{
	struct stat st;

	REQUIRE(!system(TRACE("older", "trace.gz.old") TRACE("old", "trace.gz")));
	REQUIRE(!ep_out_create(&out, "trace.gz", &err));
	REQUIRE(!system("grep -qa old$ trace.gz.old"));
	REQUIRE(!stat("trace.gz", &st) && !st.st_size);
	REQUIRE(!system("rm trace.gz.old; mkdir trace.gz.old; " TRACE("new", "trace.gz")));
	REQUIRE(ep_out_create(&out, "trace.gz", &err) == -EACCES && strstr(err.message, ".old"));
	REQUIRE(!stat("trace.gz.old", &st) && S_ISDIR(st.st_mode));
	REQUIRE(!system("grep -qa new$ trace.gz"));
	return 0;
}

/* A file that is no trace is somebody's work: it stays, under its name and under .old. */
static int left_alone(void)
{
	REQUIRE(!system("echo precious > report; ln -s report link; : > empty"));
	REQUIRE(ep_out_create(&out, "report", &err) == -EPERM && strstr(err.message, "left alone"));
	REQUIRE(ep_out_create(&out, "link", &err) == -ELOOP && strstr(err.message, "link"));
	REQUIRE(!system("grep -qx precious report && test ! -e report.old"));
	REQUIRE(!system(TRACE("old", "trace.gz") "echo precious > trace.gz.old"));
	REQUIRE(ep_out_create(&out, "trace.gz", &err) == -EPERM && strstr(err.message, ".old"));
	REQUIRE(!system("grep -qx precious trace.gz.old && grep -qa old$ trace.gz"));
	REQUIRE(!ep_out_create(&out, "empty", &err));
	return 0;
}

/* The reader of a pipe goes away: no SIGPIPE, which would be the program's end. */
static int reader_gone(void)
{
	int ends[2];
	char path[64];

	REQUIRE(!pipe(ends));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[1]);
	REQUIRE(!ep_out_create(&out, path, &err));
	close(ends[0]);
	put_text("a");
	REQUIRE(ep_out_flush(&out) == -EPIPE && out.failure == -EPIPE);
	return 0;
}

/* As in /tmp: the trace there is another user's. */
static int not_to_be_moved(void)
{
	if (geteuid()) {
		puts("# not to be moved: left out, root alone has another user's file");
		fflush(stdout);
		return 0;
	}
	REQUIRE(!system("mkdir -m 1777 sticky; chmod 755 .; cd sticky; " TRACE(
		"older", "trace.gz.old") TRACE("old", "trace.gz")));
	REQUIRE(!chown("sticky/trace.gz.old", 65534, 65534));
	REQUIRE(!seteuid(65534));
	REQUIRE(ep_out_create(&out, "sticky/trace.gz", &err) == -EACCES);
	REQUIRE(!seteuid(0));
	REQUIRE(!system("grep -qa older sticky/trace.gz.old && grep -qa old$ sticky/trace.gz"));
	return 0;
}

/* RLIMIT_FSIZE: not a byte too many, no SIGXFSZ, and what is there stays whole. */
static int limited(void)
{
	struct rlimit limit = { 940, RLIM_INFINITY };
	char text[1000];

	REQUIRE(!ep_out_create(&out, "trace.gz", &err));
	setrlimit(RLIMIT_FSIZE, &limit);
	for (int i = 0; i < 20 && !out.failure; i++) {
		put_text("0123456789");
		ep_out_flush(&out);
	}
	REQUIRE(out.failure == -EFBIG);
	put_text("more");
	REQUIRE(ep_out_flush(&out) == -EFBIG && !out.raw.size_bytes);
	REQUIRE(read_back("trace.gz", text, sizeof(text)) >= 10);
	return 0;
}

/* Behind a gzip header with BGZF's field. */
#define DEFLATE_AT 18
#define STORED 1 /* the last block of the member, and not compressed */

/* To deflate them takes more time than a process that ends at once has to spare. */
static int small_ones_are_stored(void)
{
	static const struct {
		int n_lines;
		bool is_stored;
	} rows[] = { { 1, true }, { 30, true }, { 300, false } };
	char text[8000], first[DEFLATE_AT + 1];

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		int fd;

		unlink("trace.gz");
		REQUIRE(!ep_out_create(&out, "trace.gz", &err));
		for (int n = 0; n < rows[i].n_lines; n++)
			put_text("twenty bytes a line\n");
		REQUIRE(!ep_out_flush(&out));
		fd = open("trace.gz", O_RDONLY);
		REQUIRE(read(fd, first, sizeof(first)) == sizeof(first));
		REQUIRE((first[DEFLATE_AT] == STORED) == rows[i].is_stored);
		REQUIRE(read_back("trace.gz", text, sizeof(text)) == 20 * rows[i].n_lines);
		close(fd);
		ep_fds_close(&out.fd);
	}
	return 0;
}

/* Our descriptors lie above the soft limit: a program that raised it has these numbers too. */
static bool allow_number(int fd)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return false;
	if (limit.rlim_cur <= (rlim_t)fd)
		limit.rlim_cur = (rlim_t)fd + 1;
	return !setrlimit(RLIMIT_NOFILE, &limit);
}

/* Closed behind our back, the number now the program's: its file gets no byte of ours. */
static int lost(void)
{
	char text[1000];
	struct stat st;
	int fd;

	REQUIRE(!ep_out_create(&out, "trace.gz", &err));
	put_text("a");
	REQUIRE(!ep_out_flush(&out));
	fd = open("mine", O_CREAT | O_RDWR, 0600);
	REQUIRE(allow_number(out.fd) && dup2(fd, out.fd) == out.fd);
	put_text("b");
	REQUIRE(!ep_out_flush(&out));
	REQUIRE(!fstat(fd, &st) && !st.st_size);
	REQUIRE(read_back("trace.gz", text, sizeof(text)) == 2 && !strcmp(text, "ab"));
	close(out.fd);
	REQUIRE(!rename("trace.gz", "gone.gz") && !system("echo other > trace.gz"));
	put_text("c");
	REQUIRE(ep_out_flush(&out) == -EBADF);
	return system("test $(cat trace.gz) = other") ? 200 : 0;
}

static int full_disk(void)
{
	REQUIRE(!ep_out_create(&out, "/dev/full", &err));
	put_text("a");
	REQUIRE(ep_out_flush(&out) == -ENOSPC && out.failure == -ENOSPC);
	return 0;
}

/* A pipe takes part of a large member: that is the end, not half a member and another behind it. */
static int partial(void)
{
	int ends[2], flags = O_NONBLOCK;
	uint8_t noise[60000];
	char path[64];

	REQUIRE(!pipe(ends) && !fcntl(ends[1], F_SETFL, flags));
	REQUIRE(fcntl(ends[1], F_SETPIPE_SZ, 65536) == 65536); /* 16 pages are 1 MiB on POWER */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[1]);
	REQUIRE(!ep_out_create(&out, path, &err) && !out.is_regular);
	srandom(1);
	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = random();
	ep_wire_bytes(&out.raw, noise, sizeof(noise));
	REQUIRE(!ep_out_flush(&out));
	ep_wire_bytes(&out.raw, noise, sizeof(noise));
	REQUIRE(ep_out_flush(&out) < 0);
	REQUIRE(ep_out_write(&out, ep_bgzf_eof, sizeof(ep_bgzf_eof)) < 0);
	return 0;
}

static int locks(void)
{
	REQUIRE(ep_out_try_lock(&out) && !ep_out_try_lock(&out));
	ep_out_unlock(&out);
	REQUIRE(ep_out_wait_lock(&out));
	REQUIRE(!ep_out_wait_lock(&out)); /* gives up */
	ep_out_unlock(&out);
	REQUIRE(ep_out_try_lock(&out));
	return 0;
}

/* From outside, by the permission; the file is written on, up to the end. */
static int stopped(void)
{
	REQUIRE(!ep_out_create(&out, "trace.gz", &err));
	put_text("a");
	REQUIRE(!ep_out_flush(&out) && !out.is_stopped && !ep_out_was_stopped(out.fd, 0));
	REQUIRE(!chmod("trace.gz", 0444));
	put_text("b");
	REQUIRE(!ep_out_flush(&out) && out.is_stopped && ep_out_was_stopped(out.fd, 0));
	put_text("end");
	REQUIRE(!ep_out_flush(&out) && !out.failure);
	return 0;
}

/* A mask that takes all write permission away is no stop. */
static int never_writable(void)
{
	umask(0333);
	REQUIRE(!ep_out_create(&out, "trace.gz", &err));
	put_text("a");
	REQUIRE(!ep_out_flush(&out) && !out.is_stopped);
	return 0;
}

static int removed(void)
{
	REQUIRE(!ep_out_create(&out, "trace.gz", &err));
	put_text("a");
	REQUIRE(!ep_out_flush(&out) && !out.is_stopped);
	REQUIRE(!rename("trace.gz", "elsewhere.gz"));
	put_text("b");
	REQUIRE(!ep_out_flush(&out) && !out.is_stopped); /* it goes on where it is now */
	REQUIRE(!unlink("elsewhere.gz"));
	put_text("c");
	REQUIRE(!ep_out_flush(&out) && out.is_stopped && ep_out_was_stopped(out.fd, 0));
	return 0;
}

static int has_its_size(void)
{
	out.max_bytes = 200;
	REQUIRE(!ep_out_create(&out, "trace.gz", &err));
	for (int i = 0; i < 2; i++) {
		put_text("0123456789");
		REQUIRE(!ep_out_flush_stored(&out) && !out.is_stopped);
	}
	REQUIRE(!ep_out_was_stopped(out.fd, 200) && ep_out_was_stopped(out.fd, 50));
	for (int i = 0; i < 5; i++) {
		put_text("0123456789");
		REQUIRE(!ep_out_flush_stored(&out));
	}
	REQUIRE(out.is_stopped && ep_out_was_stopped(out.fd, 200));
	return 0;
}

static const struct {
	const char *name;
	int (*run)(void);
} cases[] = {
	{ "written", written },
	{ "joined", joined },
	{ "moved aside", moved_aside },
	{ "moved aside again", moved_aside_again },
	{ "overtaken by another run", overtaken },
	{ "overtaken beside an older trace", overtaken_beside_an_older_one },
	{ "written elsewhere than another run", written_elsewhere },
	{ "left alone", left_alone },
	{ "reader gone", reader_gone },
	{ "not to be moved", not_to_be_moved },
	{ "small ones", small_ones_are_stored },
	{ "limited", limited },
	{ "lost", lost },
	{ "full disk", full_disk },
	{ "partial", partial },
	{ "locks", locks },
	{ "stopped", stopped },
	{ "never writable", never_writable },
	{ "has its size", has_its_size },
	{ "removed", removed },
};

TEST(traces_are_written_or_given_up)
{
	char command[100];

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++)
		in_child(cases[i].name, cases[i].run);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	CHECK_INT(system(command), 0);
}
