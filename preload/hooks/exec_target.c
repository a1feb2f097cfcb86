// SPDX-License-Identifier: BSD-3-Clause
#include "exec_target.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "common/os/elf_file.h"
#include "common/os/sys.h"

#define SCRIPT_LINE_BYTES 256 /* BINPRM_BUF_SIZE of linux/binfmts.h */
#define SCRIPT_DEPTH_MAX 4    /* the kernel has the same limit */
#define LOADER_BYTES 128

static bool refuses(int fd, int depth);

static bool refuses_path(int folder_fd, const char *path, int depth)
{
	int fd = (int)ep_sys(
		__NR_openat, folder_fd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
	bool result = fd >= 0 && refuses(fd, depth);

	if (fd >= 0)
		ep_sys_close(fd);
	return result;
}

/* Tells whether the interpreter of a script refuses the library. line is the text after "#!"; the function cuts it
 * after the interpreter's name. */
static bool interpreter_refuses(char *line, int depth)
{
	line += strspn(line, " \t");
	line[strcspn(line, " \t\n")] = '\0';
	return depth < SCRIPT_DEPTH_MAX && refuses_path(AT_FDCWD, line, depth + 1);
}

static bool refuses(int fd, int depth)
{
	char start[SCRIPT_LINE_BYTES + 1], loader[LOADER_BYTES];
	ElfW(Ehdr) header;
	long n_bytes;

	if (ep_elf_read_header(fd, &header)) {
		if (ep_elf_is_foreign(&header))
			return true;
		ep_elf_read_loader(fd, &header, loader, sizeof(loader));
		return ep_elf_is_musl_loader(loader) || ep_elf_sanitizer(fd, &header);
	}
	n_bytes = ep_sys(__NR_pread64, fd, start, SCRIPT_LINE_BYTES, 0);
	start[n_bytes > 0 ? n_bytes : 0] = '\0';
	return n_bytes > 2 && start[0] == '#' && start[1] == '!' &&
	       interpreter_refuses(start + 2, depth);
}

bool ep_exec_target_refuses_fd(int fd)
{
	return refuses(fd, 0);
}

bool ep_exec_target_refuses(int folder_fd, const char *path, int flags)
{
	if (!path)
		return false;
	if (!path[0])
		return flags & AT_EMPTY_PATH && refuses(folder_fd, 0);
	return refuses_path(folder_fd, path, 0);
}

static const char *search_path(void)
{
	for (char **entry = environ; entry && *entry; entry++)
		if (!strncmp(*entry, "PATH=", 5))
			return *entry + 5;
	return "/bin:/usr/bin"; /* the value of _CS_PATH, as in glibc's execvp */
}

bool ep_exec_target_refuses_file(const char *file)
{
	char path[PATH_MAX];
	size_t name_size = file ? strlen(file) : 0;

	if (!name_size)
		return false;
	if (strchr(file, '/'))
		return ep_exec_target_refuses(AT_FDCWD, file, 0);
	for (const char *folder = search_path();; folder++) {
		size_t size = strcspn(folder, ":");

		if (size + 1 + name_size < sizeof(path)) {
			memcpy(path, folder, size);
			path[size] = '/';
			memcpy(path + size + !!size, file, name_size + 1);
			if (!ep_sys(__NR_faccessat, AT_FDCWD, path, X_OK))
				return ep_exec_target_refuses(AT_FDCWD, path, 0);
		}
		folder += size;
		if (!*folder)
			return false;
	}
}
