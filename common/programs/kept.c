// SPDX-License-Identifier: BSD-3-Clause
#include "common/programs/kept.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/containers/array.h"
#include "common/hex.h"
#include "common/os/elf_file.h"

#define MIN_ID_BYTES 8 /* shorter build-ids may be equal by chance */
#define MAX_ID_BYTES 64
/* a partial copy that has not grown for this long belongs to a process that was killed */
#define ABANDONED_S 600
#define SHARE_OF_FREE 10
#define PART_SUFFIX ".part"

const struct ep_kept_limits ep_kept_default_limits = { 256 << 20, 1 << 30 };

bool ep_kept_is_systems(const char *path)
{
	static const char *const folders[] = { "/usr/", "/lib/", "/lib32/", "/lib64/", "/bin/",
		"/sbin/", "/nix/store/", "/gnu/store/" };

	if (!strncmp(path, "/usr/local/", strlen("/usr/local/")))
		return false;
	for (size_t i = 0; i < EP_ARRAY_SIZE(folders); i++)
		if (!strncmp(path, folders[i], strlen(folders[i])))
			return true;
	return false;
}

/* ---- the folder ---- */

/* Finds the path of the folder. XDG_CACHE_HOME is used only if it is absolute, as its specification says. */
static int find_folder(char out[PATH_MAX])
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int n;

	if (cache && cache[0] == '/')
		n = snprintf(out, PATH_MAX, "%s/evprof/programs", cache);
	else if (home && home[0] == '/')
		n = snprintf(out, PATH_MAX, "%s/.cache/evprof/programs", home);
	else
		return -ENOENT;
	return n < PATH_MAX ? 0 : -ENAMETOOLONG;
}

static int make_folder(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		int rc = mkdir(path, 0700) && errno != EEXIST ? -errno : 0;
		*slash = '/';
		if (rc)
			return rc;
	}
	return mkdir(path, 0700) && errno != EEXIST ? -errno : 0;
}

static int open_folder(void)
{
	char path[PATH_MAX];
	int rc = find_folder(path), fd;

	if (rc)
		return rc;
	rc = make_folder(path);
	if (rc)
		return rc;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void format_id(const uint8_t *id, size_t size, char out[2 * MAX_ID_BYTES + 1])
{
	ep_hex_format(out, id, size < MAX_ID_BYTES ? size : MAX_ID_BYTES);
}

/* ---- one copy ---- */

static int copy_bytes(int from, int to, uint64_t size)
{
	char bytes[65536];

	while (size) {
		/* On some file systems copy_file_range shares the blocks instead of copying them. */
		ssize_t n = copy_file_range(from, NULL, to, NULL, size, 0);

		if (n <= 0)
			break;
		size -= (uint64_t)n;
	}
	while (size) {
		ssize_t n = read(from, bytes, size < sizeof(bytes) ? size : sizeof(bytes));

		if (n <= 0)
			return n < 0 ? -errno : -EBUSY;
		if (write(to, bytes, (size_t)n) != n)
			return -EIO;
		size -= (uint64_t)n;
	}
	return 0;
}

static bool is_unchanged(int fd, const struct stat *before)
{
	struct stat now;

	return !fstat(fd, &now) && now.st_size == before->st_size &&
	       now.st_mtim.tv_sec == before->st_mtim.tv_sec &&
	       now.st_mtim.tv_nsec == before->st_mtim.tv_nsec;
}

static bool is_abandoned(int folder, const char *part)
{
	struct stat st;

	return !fstatat(folder, part, &st, AT_SYMLINK_NOFOLLOW) &&
	       st.st_mtim.tv_sec + ABANDONED_S < time(NULL);
}

/* Returns the descriptor of a partial copy that no other process writes; -EEXIST: another process is writing
 * it. */
static int open_part(int folder, const char *part)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
	int fd = openat(folder, part, flags, 0600);

	if (fd < 0 && errno == EEXIST && is_abandoned(folder, part) && !unlinkat(folder, part, 0))
		fd = openat(folder, part, flags, 0600);
	return fd < 0 ? -errno : fd;
}

static int copy_file(int from, const struct stat *st, int folder, const char *name)
{
	char part[2 * MAX_ID_BYTES + sizeof(PART_SUFFIX)];
	int rc;

	snprintf(part, sizeof(part), "%s" PART_SUFFIX, name);
	EP_AUTOCLOSE int to = open_part(folder, part);
	if (to < 0)
		return to == -EEXIST ? 0 : to;
	rc = copy_bytes(from, to, (uint64_t)st->st_size);
	if (!rc && !is_unchanged(from, st))
		rc = -EBUSY;
	if (!rc && renameat(folder, part, folder, name))
		rc = -errno;
	if (rc)
		unlinkat(folder, part, 0);
	return rc;
}

/* ---- all copies ---- */

struct kept_file {
	char name[2 * MAX_ID_BYTES + sizeof(PART_SUFFIX)];
	int64_t used_s;
	uint64_t size_bytes;
};

struct kept_files {
	struct kept_file *rows;
	uint32_t n, capacity;
	uint64_t size_bytes;
};

static int add_file(struct kept_files *files, const char *name, const struct stat *st)
{
	if (EP_ARRAY_RESERVE(files->rows, files->n, files->capacity))
		return -ENOMEM;
	struct kept_file *row = &files->rows[files->n++];
	snprintf(row->name, sizeof(row->name), "%s", name);
	row->used_s = st->st_mtim.tv_sec;
	row->size_bytes = (uint64_t)st->st_size;
	files->size_bytes += row->size_bytes;
	return 0;
}

static int list_files(int folder, struct kept_files *files)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int rc = dir ? 0 : -errno;

	if (!dir && fd >= 0)
		close(fd);
	for (struct dirent *entry = dir && !rc ? readdir(dir) : NULL; entry && !rc;
		entry = readdir(dir)) {
		struct stat st;

		if (strlen(entry->d_name) < sizeof(files->rows->name) &&
			!fstatat(folder, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
			S_ISREG(st.st_mode))
			rc = add_file(files, entry->d_name, &st);
	}
	if (dir)
		closedir(dir);
	return rc;
}

static int by_use(const void *a, const void *b)
{
	int64_t x = ((const struct kept_file *)a)->used_s;
	int64_t y = ((const struct kept_file *)b)->used_s;

	return (x > y) - (x < y);
}

/* Deletes the least recently used files, until size_bytes more fit into the limit. */
static int make_room(int folder, uint64_t size_bytes, const struct ep_kept_limits *limits)
{
	struct kept_files files = { 0 };
	int rc = list_files(folder, &files);

	if (!rc && files.n)
		qsort(files.rows, files.n, sizeof(*files.rows), by_use);
	for (size_t i = 0; !rc && i < files.n && files.size_bytes + size_bytes > limits->all_bytes;
		i++)
		if (!unlinkat(folder, files.rows[i].name, 0))
			files.size_bytes -= files.rows[i].size_bytes;
	free(files.rows);
	return rc;
}

static bool has_space(int folder, uint64_t size_bytes)
{
	struct statvfs fs;

	return !fstatvfs(folder, &fs) &&
	       size_bytes < (uint64_t)fs.f_bavail * fs.f_frsize / SHARE_OF_FREE;
}

static int add_open(int fd, const char *name, const struct ep_kept_limits *limits)
{
	EP_AUTOCLOSE int folder = open_folder();
	struct stat st;
	int rc;

	if (folder < 0)
		return folder;
	if (!utimensat(folder, name, NULL, AT_SYMLINK_NOFOLLOW))
		return 0;
	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > limits->file_bytes ||
		(uint64_t)st.st_size > limits->all_bytes)
		return -EFBIG;
	rc = make_room(folder, (uint64_t)st.st_size, limits);
	if (rc)
		return rc;
	return has_space(folder, (uint64_t)st.st_size) ? copy_file(fd, &st, folder, name) : -ENOSPC;
}

int ep_kept_add(const char *path, const struct ep_kept_limits *limits)
{
	EP_AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char name[2 * MAX_ID_BYTES + 1];
	uint8_t id[MAX_ID_BYTES];
	ElfW(Ehdr) header;
	size_t size;

	if (fd < 0)
		return -errno;
	if (!ep_elf_read_header(fd, &header))
		return -ENODATA;
	size = ep_elf_read_build_id(fd, &header, id, sizeof(id));
	if (size < MIN_ID_BYTES)
		return -ENODATA;
	format_id(id, size, name);
	return add_open(fd, name, limits);
}

bool ep_kept_find(const uint8_t *build_id, size_t size, char *out_path, size_t capacity)
{
	char folder[PATH_MAX], name[2 * MAX_ID_BYTES + 1];

	if (size < MIN_ID_BYTES || size > MAX_ID_BYTES || find_folder(folder))
		return false;
	format_id(build_id, size, name);
	if ((size_t)snprintf(out_path, capacity, "%s/%s", folder, name) >= capacity)
		return false;
	/* The file's modification time tells when the copy was last used. A copy whose time cannot be set
	 * still counts if it can be read. */
	return !utimensat(AT_FDCWD, out_path, NULL, AT_SYMLINK_NOFOLLOW) || !access(out_path, R_OK);
}
