// SPDX-License-Identifier: BSD-3-Clause
/* System calls that need more than one line. Allowed in any context. */
#include "sys.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

int (*ep_sys_clock_gettime)(clockid_t, struct timespec *) = clock_gettime;

#ifdef DLFO_STRUCT_HAS_EH_DBASE /* glibc 2.35 and later */
extern int _dl_find_object(void *address, struct dl_find_object *result) __attribute__((weak));

/* Tells whether a function is libc's. The address of gnu_get_libc_version identifies libc, since no other library
 * defines a function of this name. */
static bool is_in_libc(void *function)
{
	struct dl_find_object found, libc;

	return _dl_find_object && !_dl_find_object(function, &found) &&
	       !_dl_find_object((void *)gnu_get_libc_version, &libc) &&
	       found.dlfo_link_map == libc.dlfo_link_map;
}
#else
static bool is_in_libc(void *function)
{
	(void)function;
	return false;
}
#endif

/* Finds clock_gettime by dlopen. This takes 15 us and memory from the program's heap, so it is done only if the
 * function that the loader has bound is not libc's. */
static void look_up_clock(void)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	void *found = libc ? dlsym(libc, "clock_gettime") : NULL;

	if (found)
		memcpy(&ep_sys_clock_gettime, &found, sizeof(found));
	if (libc)
		dlclose(libc);
}

void ep_sys_find_clock(void)
{
	if (!is_in_libc((void *)ep_sys_clock_gettime))
		look_up_clock();
}

void *ep_sys_map(size_t size)
{
	long result = ep_sys(__NR_mmap, 0, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return result < 0 && result > -4096 ? NULL : (void *)result;
}

void ep_sys_unmap(void *address, size_t size)
{
	if (address)
		ep_sys(__NR_munmap, address, size);
}

long ep_sys_read_file(const char *path, char *out_text, size_t capacity)
{
	int fd = ep_sys_open(path, O_RDONLY | O_CLOEXEC, 0);
	size_t size = 0;
	long n = 1;

	if (fd < 0)
		return fd;
	while (n > 0 && size + 1 < capacity) {
		n = ep_sys_read(fd, out_text + size, capacity - 1 - size);
		size += n > 0 ? n : 0;
	}
	ep_sys_close(fd);
	out_text[size] = '\0';
	return n < 0 ? n : (long)size;
}
