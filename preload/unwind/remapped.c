// SPDX-License-Identifier: BSD-3-Clause
#include "remapped.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "common/os/large.h"
#include "common/os/sys.h"
#include "jit_marker.h"
#include "modules.h"

#define MAX_COPIES 16
#define BUFFER_BYTES 8192 /* the kernel returns at most 4 KiB at once, in whole lines */
#define MAX_READ_BYTES                                                                             \
	(256 << 10) /* takes a few ms; longer lists are those of processes that map files as data */

struct mapping {
	uint64_t start, end, offset, device, inode;
	bool is_code;
	const char *path; /* the path, up to the end of the line */
};

/* Entries are only added: a handler may read the first n_copies entries while another handler fills later ones. */
static struct {
	struct mapping mapping;
	uint64_t home; /* the address where the loader has mapped this code; 0: not found yet */
} copies[MAX_COPIES] EP_LARGE;
static _Atomic uint32_t n_copies;
/* the number of entries that are filled: n_copies, and those whose homes are being looked for; used under is_looking */
static uint32_t n_found;
static _Atomic uint32_t n_unknown;
static atomic_flag is_looking = ATOMIC_FLAG_INIT;
static EP_LARGE char buffer[BUFFER_BYTES]; /* lines of /proc/self/maps; used under is_looking */

static const char *take_number(const char *at, unsigned base, uint64_t *out)
{
	*out = 0;
	for (;; at++) {
		unsigned digit = (unsigned char)*at;

		digit = digit - '0' < 10 ? digit - '0' : (digit | 32) - 'a' + 10;
		if (digit >= base)
			return at;
		*out = *out * base + digit;
	}
}

/* Parses a line such as "7f2482580000-7f2482712000 r-xp 014c4000 fe:00 247823 /usr/bin/node". */
static struct mapping parse(const char *line)
{
	struct mapping mapping = { 0 };
	uint64_t major, minor;
	const char *at = take_number(line, 16, &mapping.start);

	at = take_number(at + 1, 16, &mapping.end);
	mapping.is_code = at[3] == 'x';
	at = take_number(at + 6, 16, &mapping.offset);
	at = take_number(at + 1, 16, &major);
	at = take_number(at + 1, 16, &minor);
	mapping.device = major << 32 | minor;
	at = take_number(at + 1, 10, &mapping.inode);
	while (*at == ' ')
		at++;
	mapping.path = at;
	return mapping;
}

static void add_copy(const struct mapping *mapping)
{
	for (uint32_t i = 0; i < n_found; i++)
		if (copies[i].mapping.start == mapping->start)
			return;
	if (n_found == MAX_COPIES)
		return;
	copies[n_found].mapping = *mapping;
	copies[n_found++].home = 0;
}

static size_t line_bytes(const char *text)
{
	size_t size = 0;

	while (text[size] != '\n')
		size++;
	return size;
}

static void find_copy(const struct mapping *mapping)
{
	struct ep_code_range range;

	if (!mapping->is_code || !mapping->inode || ep_modules_find_code(mapping->start, &range))
		return;
	add_copy(mapping);
	ep_jit_marker_see(mapping->path, line_bytes(mapping->path));
}

static void find_home(const struct mapping *mapping)
{
	uint64_t bytes = mapping->end - mapping->start;
	struct ep_code_range range;

	for (uint32_t i = n_copies; i < n_found; i++) {
		const struct mapping *copy = &copies[i].mapping;

		if (copy->device == mapping->device && copy->inode == mapping->inode &&
			copy->offset - mapping->offset < bytes && mapping->is_code &&
			ep_modules_find_code(mapping->start, &range))
			copies[i].home = mapping->start + (copy->offset - mapping->offset);
	}
}

/* Calls look for each whole line in buffer. Returns the size of these lines in bytes. */
static size_t look_at_lines(size_t size, void (*look)(const struct mapping *))
{
	size_t at = 0;
	const char *stop;

	while ((stop = memchr(buffer + at, '\n', size - at))) {
		struct mapping mapping = parse(buffer + at);

		look(&mapping);
		at = (size_t)(stop + 1 - buffer);
	}
	return at;
}

static void look_at_all(void (*look)(const struct mapping *))
{
	int fd = ep_sys_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	size_t n_left = 0, n_read = 0;

	while (fd >= 0 && n_read < MAX_READ_BYTES) {
		long n = ep_sys_read(fd, buffer + n_left, BUFFER_BYTES - n_left);
		size_t used;

		if (n <= 0)
			break;
		n_read += (size_t)n;
		used = look_at_lines(n_left + (size_t)n, look);
		n_left += (size_t)n - used;
		memmove(buffer, buffer + used, n_left);
		if (n_left == BUFFER_BYTES)
			break;
	}
	if (fd >= 0)
		ep_sys_close(fd);
}

/* Tells whether the mappings are read again: at the 1st, 2nd, 4th, 8th ... unknown address, unless another thread reads
 * them just then. */
static bool is_due(void)
{
	uint32_t n = atomic_fetch_add_explicit(&n_unknown, 1, memory_order_relaxed) + 1;

	return !(n & (n - 1)) && !atomic_flag_test_and_set(&is_looking);
}

static uint64_t find(uint64_t address)
{
	uint32_t n = atomic_load_explicit(&n_copies, memory_order_acquire);

	for (uint32_t i = 0; i < n; i++) {
		const struct mapping *copy = &copies[i].mapping;

		if (address - copy->start < copy->end - copy->start)
			return copies[i].home + (address - copy->start);
	}
	return 0;
}

/* Keeps the new copies that have a home, and drops the others. Code of a file that the loader has not mapped has no
 * home. */
static void keep_those_with_homes(void)
{
	uint32_t n = n_copies;

	for (uint32_t i = n; i < n_found; i++)
		if (copies[i].home)
			copies[n++] = copies[i];
	atomic_store_explicit(&n_copies, n, memory_order_release);
}

uint64_t ep_remapped_home(uint64_t address)
{
	uint64_t home = find(address);

	if (home || !is_due())
		return home;
	n_found = n_copies;
	look_at_all(find_copy);
	look_at_all(find_home);
	keep_those_with_homes();
	atomic_flag_clear(&is_looking);
	return find(address);
}
