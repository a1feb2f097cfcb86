// SPDX-License-Identifier: BSD-3-Clause
/* Code of the program's file that is mapped a second time is found where the loader has it. */
#include "tests/unit/test.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/unwind/modules.h"
#include "preload/unwind/remapped.h"

#define PAGE ((uint64_t)sysconf(_SC_PAGESIZE))

/* The file's offset of an address of the program, as the kernel tells it. */
static uint64_t offset_of(uint64_t address)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	uint64_t found = UINT64_MAX;
	unsigned long start, end, offset;
	char line[4400];

	CHECK(maps);
	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
			address >= start && address < end)
			found = offset + (address - start);
	if (maps)
		fclose(maps);
	return found;
}

static uint8_t *map_copy(uint64_t offset)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	void *copy = mmap(
		NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, (off_t)(offset & ~(PAGE - 1)));

	close(fd);
	CHECK(copy != MAP_FAILED);
	return copy;
}

TEST(a_copy_leads_home)
{
	uint64_t home = (uint64_t)map_copy, offset = offset_of(home);
	uint64_t copy = (uint64_t)map_copy(offset) + offset % PAGE;
	void *made = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t later;

	ep_modules_refresh();
	CHECK_INT(ep_remapped_home((uint64_t)made), 0);
	CHECK_INT(ep_remapped_home(copy), home);
	CHECK_INT(ep_remapped_home((uint64_t)made + 8), 0);
	later = (uint64_t)map_copy(offset) + offset % PAGE;
	for (int i = 0; i < 4; i++) /* looks become rare */
		(void)ep_remapped_home((uint64_t)made);
	CHECK_INT(ep_remapped_home(later), home);
	CHECK_INT(ep_remapped_home(later + 1), home + 1);
	CHECK_INT(ep_remapped_home(copy - offset % PAGE + PAGE), 0);
}
