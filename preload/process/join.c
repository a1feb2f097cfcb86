// SPDX-License-Identifier: BSD-3-Clause
/* Finds the tree's trace. Runs in the constructor. */
#include "join.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/os/cpu.h"
#include "common/os/fds.h"
#include "common/os/plain_text.h"
#include "common/os/sys.h"
#include "common/os/trace_path.h"
#include "meta.h"
#include "process.h"

#define LOWEST_OURS 16
#define INITIAL_PID_NS "4026531836" /* PROC_PID_INIT_INO of the kernel's proc_ns.h */
#define MAX_ANCESTORS                                                                              \
	6 /* so many are searched, since some are not measured: static shells, env -i, ... */

/* ---- traces that exist already ---- */

#define FRESH_S 2  /* seconds; an empty file that is no older may be a new trace */
#define RECENT_S 5 /* a run writes every second while it runs on a CPU */

static bool is_on_this_host(const struct ep_meta_root *root)
{
	struct utsname system;

	return !ep_sys_uname(&system) && !strcmp(root->host, system.nodename);
}

static bool is_in_this_pid_ns(const struct ep_meta_root *root)
{
	char own[sizeof(root->pid_ns)];

	ep_meta_pid_ns(own, sizeof(own));
	return !root->pid_ns[0] || !strcmp(root->pid_ns, own);
}

static bool was_written(const struct stat *st, int seconds)
{
	return (int64_t)(ep_now_ns(CLOCK_REALTIME) / 1000000000) - st->st_mtime <= seconds;
}

static bool is_running(const struct ep_meta_root *root)
{
	uint64_t start;
	int parent;

	return !ep_meta_process_stat(root->pid, &parent, &start) && start == root->start_ticks;
}

bool ep_join_is_live(const char *path)
{
	struct ep_meta_root root;
	struct stat st;
	int fd, rc;

	if (ep_sys_stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	if (!(st.st_mode & 0222))
		return false; /* evprof stop removes the permission to write */
	if (!st.st_size)
		return was_written(&st, FRESH_S);
	fd = ep_sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	if (fd < 0)
		return false;
	rc = ep_meta_read_root(fd, false, &root);
	ep_sys_close(fd);
	if (rc)
		return false;
	return is_on_this_host(&root) && is_in_this_pid_ns(&root) ? is_running(&root)
								  : was_written(&st, RECENT_S);
}

/* Tells whether a descriptor is open for writing only, as evprof's are. The mode of the link in /proc shows it
 * (proc(5)). */
static bool is_write_only(const char *link)
{
	struct stat st;

	return !ep_sys_lstat(link, &st) && (st.st_mode & 0600) == 0200;
}

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : NULL;
}

/* Tells whether a descriptor was opened for appending, as evprof's are. /proc/PID/fdinfo has the flags, in octal. */
static bool is_appending(int pid, const char *fd_name)
{
	char path[EP_PROC_PATH_BYTES], text[256];
	const char *line = text;

	ep_proc_path(path, pid, "fdinfo", fd_name);
	if (ep_sys_read_file(path, text, sizeof(text)) <= 0)
		return false;
	while (line && strncmp(line, "flags:", 6) != 0)
		line = next_line(line);
	return line &&
	       (ep_plain_read(line + 6, 8, NULL) & (O_APPEND | O_ACCMODE)) == (O_APPEND | O_WRONLY);
}

/* Opens path for reading, if it is a trace that was written with the same EVPROF_OUTPUT. Returns false if it is not. */
static bool open_trace(const char *path, struct ep_meta_root *root, struct ep_join_point *out)
{
	struct stat st;
	int fd;

	if (ep_sys_stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	fd = ep_sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	if (fd < 0)
		return false;
	if (ep_meta_read_root(fd, false, root) ||
		strcmp(root->output, ep_recording.settings.output)) {
		ep_sys_close(fd);
		return false;
	}
	out->fd = fd;
	ep_plain_copy(out->path, sizeof(out->path), path);
	return true;
}

static bool check_descriptor(int pid, const char *fd_name, struct ep_join_point *out)
{
	char path[EP_PROC_PATH_BYTES], target[8];
	struct ep_meta_root root;

	ep_proc_path(path, pid, "fd", fd_name);
	if (!is_write_only(path) || ep_sys_readlink(path, target, sizeof(target)) < 1 ||
		target[0] != '/')
		return false;
	return is_appending(pid, fd_name) && open_trace(path, &root, out);
}

/* The kernel's struct linux_dirent64. */
struct meta_entry {
	uint64_t inode;
	int64_t offset;
	uint16_t size;
	uint8_t type;
	char name[];
};

/* Tells whether a descriptor may be that of a trace. A process that keeps its trace open has it above its soft limit or
 * above 1024 (fds.c). No program can live with a limit below LOWEST_OURS, so the descriptors below are the program's
 * own. Checking each of them would cost three system calls in vain. */
static bool can_be_ours(const char *fd_name)
{
	return fd_name[0] != '.' && ep_plain_read(fd_name, 10, NULL) >= LOWEST_OURS;
}

/* Checks the most likely descriptor first, before all descriptors are listed: evprof takes the lowest free number above
 * the program's own descriptors. */
static bool check_usual(int pid, struct ep_join_point *out)
{
	char name[EP_PLAIN_DIGITS + 1];

	name[ep_plain_number(name, (uint64_t)ep_fds_lowest(), 10)] = '\0';
	return check_descriptor(pid, name, out);
}

static bool search_process(int pid, struct ep_join_point *out)
{
	char path[EP_PROC_PATH_BYTES], buffer[4096] __attribute__((aligned(8)));
	bool found = false;
	long size;
	int fd;

	if (check_usual(pid, out))
		return true;
	ep_proc_path(path, pid, "fd", NULL);
	fd = ep_sys_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (fd < 0)
		return false;
	while (!found && (size = ep_sys(__NR_getdents64, fd, buffer, sizeof(buffer))) > 0) {
		for (long at = 0; at < size && !found;) {
			const struct meta_entry *entry = (const struct meta_entry *)(buffer + at);

			found = can_be_ours(entry->name) && check_descriptor(pid, entry->name, out);
			at += entry->size;
		}
	}
	ep_sys_close(fd);
	return found;
}

/* Tells whether a process may be measured. The machine's first process starts all others and is not measured; a
 * container's first process may be. */
static bool may_be_measured(int pid)
{
	char own[32];

	if (pid != 1)
		return pid > 1;
	ep_meta_pid_ns(own, sizeof(own));
	return own[0] && strcmp(own, INITIAL_PID_NS);
}

static bool search_ancestors(struct ep_join_point *out)
{
	int pid = (int)ep_sys(__NR_getppid), parent;
	uint64_t start;

	for (int i = 0; i < MAX_ANCESTORS && may_be_measured(pid); i++) {
		if (search_process(pid, out))
			return true;
		if (ep_meta_process_stat(pid, &parent, &start))
			return false;
		pid = parent;
	}
	return false;
}

static bool is_ancestor_or_self(const struct ep_meta_root *root)
{
	int pid = ep_recording.key.pid, parent;
	uint64_t start;

	/* If the root does not run, the trace is of an earlier run, and the parents need not be looked at. */
	if (!is_running(root))
		return false;
	for (int i = 0; i < MAX_ANCESTORS && pid > 0; i++) {
		if (pid == root->pid)
			return true;
		if (ep_meta_process_stat(pid, &parent, &start))
			return false;
		pid = parent;
	}
	return false;
}

/* Tells whether the trace comes from the process that started this namespace of process numbers. The first process of a
 * namespace does not see its parent: getppid() returns 0. A parent that was measured has just ended its own part of the
 * trace, so the trace must have been written within the last FRESH_S seconds, and in the machine's initial namespace. A
 * trace from any other namespace is more likely that of a second container: containers of one pod have the same host
 * name and may have the same path. */
static bool is_from_outside(const struct ep_meta_root *root, int fd)
{
	struct stat st;

	return ep_sys(__NR_getppid) == 0 && is_on_this_host(root) &&
	       !strcmp(root->pid_ns, INITIAL_PID_NS) && !is_in_this_pid_ns(root) &&
	       !ep_sys_fstat(fd, &st) && was_written(&st, FRESH_S);
}

bool ep_join_parent_is_alike(void)
{
	struct stat st;
	char path[EP_PROC_PATH_BYTES];

	ep_proc_path(path, (int)ep_sys(__NR_getppid), NULL, NULL);
	return !ep_sys_stat(path, &st) && st.st_uid == (uid_t)ep_sys(__NR_geteuid);
}

/* Tells whether a trace can be trusted. In a folder where others may write, any user can leave a file that names an
 * ancestor of this process. So the file must belong to this user or to the ancestor's user, and have no second hard
 * link. */
static bool is_of_user(const struct ep_meta_root *root, int fd)
{
	struct stat file, process;
	char path[EP_PROC_PATH_BYTES];

	if (ep_sys_fstat(fd, &file) || file.st_nlink > 1)
		return false;
	if (file.st_uid == (uid_t)ep_sys(__NR_geteuid))
		return true;
	ep_proc_path(path, root->pid, NULL, NULL);
	return !ep_sys_stat(path, &process) && process.st_uid == file.st_uid;
}

/* Tells whether the trace at this process's path was begun by this process before an exec, or by an ancestor whose
 * descriptors cannot be seen. */
static bool is_ours(const char *path, struct ep_join_point *out)
{
	struct ep_meta_root root;

	if (!open_trace(path, &root, out))
		return false;
	if (is_of_user(&root, out->fd) &&
		(is_ancestor_or_self(&root) || is_from_outside(&root, out->fd)))
		return true;
	ep_sys_close(out->fd);
	return false;
}

/* Looks at the three paths where the trace may be: that of a root with this rank, that of a root without a rank, and
 * the one that this process took because another run was writing to the first. */
static bool find_by_path(struct ep_join_point *out)
{
	const char *pattern = ep_recording.settings.output;
	int pid = (int)ep_recording.key.pid;
	char path[4096], plain[4096], beside[4096], id[EP_PLAIN_DIGITS + 1];
	struct ep_error err;

	if (ep_trace_path_of_rank(pattern, pid, path, sizeof(path), &err) ||
		ep_trace_path_expand(pattern, pid, ep_cpu_mpi_rank(), plain, sizeof(plain), &err))
		return false;
	id[ep_plain_number(id, (uint64_t)pid, 10)] = '\0';
	return is_ours(path, out) || (strcmp(plain, path) && is_ours(plain, out)) ||
	       (!ep_trace_path_beside(path, id, beside, sizeof(beside), &err) &&
		       is_ours(beside, out));
}

bool ep_join_find(struct ep_join_point *out_point)
{
	return search_ancestors(out_point) || find_by_path(out_point);
}
