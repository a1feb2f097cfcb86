// SPDX-License-Identifier: BSD-3-Clause
/* Copies of programs by build-id, in a cache of the test's own. The files are ELF headers with one note. */
#include "tests/unit/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/os/elf_file.h"
#include "common/programs/kept.h"

#define ID_BYTES 20

struct small_elf {
	ElfW(Ehdr) header;
	ElfW(Phdr) segments[2];
	ElfW(Nhdr) other_note;
	char other_name[4];
	ElfW(Nhdr) note;
	char name[4];
	uint8_t id[ID_BYTES];
	char rest[4000];
};

static char root[64], path[96];
static const struct ep_kept_limits wide = { 1 << 20, 1 << 20 };

/* A program whose build-id is of bytes number, number + 1, ... */
static void make_program(uint8_t number, uint32_t id_bytes)
{
	struct small_elf elf = { .header = *ep_elf_own_header() };

	elf.header.e_phoff = offsetof(struct small_elf, segments);
	elf.header.e_phnum = 2;
	elf.header.e_phentsize = sizeof(elf.segments[0]);
	elf.segments[0].p_type = PT_LOAD;
	elf.segments[1] = (ElfW(Phdr)){ .p_type = PT_NOTE,
		.p_offset = offsetof(struct small_elf, other_note),
		.p_filesz =
			offsetof(struct small_elf, rest) - offsetof(struct small_elf, other_note),
		.p_align = 4 };
	elf.other_note = (ElfW(Nhdr)){ sizeof(elf.other_name), 0, NT_GNU_BUILD_ID };
	memcpy(elf.other_name, "abc", 4);
	elf.note = (ElfW(Nhdr)){ sizeof(elf.name), id_bytes, NT_GNU_BUILD_ID };
	memcpy(elf.name, "GNU", 4);
	for (int i = 0; i < ID_BYTES; i++)
		elf.id[i] = (uint8_t)(number + i);
	snprintf(path, sizeof(path), "%s/program", root);
	FILE *file = fopen(path, "w");
	CHECK(file && fwrite(&elf, sizeof(elf), 1, file) == 1);
	CHECK(file && !fclose(file));
}

static void start(void)
{
	char cache[80];

	snprintf(root, sizeof(root), "/tmp/evprof-kept-XXXXXX");
	CHECK(mkdtemp(root) != NULL);
	snprintf(cache, sizeof(cache), "%s/cache", root);
	setenv("XDG_CACHE_HOME", cache, 1);
}

static void finish(void)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -r %s", root);
	CHECK_INT(system(command), 0);
}

static bool is_kept(uint8_t number)
{
	uint8_t id[ID_BYTES];
	char found[4096];
	struct stat st;

	for (int i = 0; i < ID_BYTES; i++)
		id[i] = (uint8_t)(number + i);
	return ep_kept_find(id, sizeof(id), found, sizeof(found)) && !stat(found, &st) &&
	       st.st_size == sizeof(struct small_elf);
}

static void age(uint8_t number, time_t seconds)
{
	struct timespec times[2] = { { time(NULL) - seconds, 0 }, { time(NULL) - seconds, 0 } };
	uint8_t id[ID_BYTES];
	char found[4096];

	for (int i = 0; i < ID_BYTES; i++)
		id[i] = (uint8_t)(number + i);
	CHECK(ep_kept_find(id, sizeof(id), found, sizeof(found)));
	CHECK_INT(utimensat(AT_FDCWD, found, times, 0), 0);
}

static int count_files(void)
{
	char folder[96];
	int n = 0;

	snprintf(folder, sizeof(folder), "%s/cache/evprof/programs", root);
	DIR *dir = opendir(folder);
	for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir))
		n += entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return n;
}

TEST(a_build_stays_when_the_next_is_there)
{
	start();
	make_program(1, ID_BYTES);
	CHECK(!is_kept(1));
	CHECK_INT(ep_kept_add(path, &wide), 0);
	CHECK_INT(ep_kept_add(path, &wide), 0);
	make_program(2, ID_BYTES);
	CHECK_INT(ep_kept_add(path, &wide), 0);
	unlink(path);
	CHECK(is_kept(1) && is_kept(2) && !is_kept(3));
	CHECK_INT(count_files(), 2);
	finish();
}

TEST(what_has_no_build_id_is_not_kept)
{
	static const uint32_t sizes[] = { 0, 7, 200, 0xfffffff0 };

	start();
	for (size_t i = 0; i < EP_ARRAY_SIZE(sizes); i++) {
		make_program(1, sizes[i]);
		CHECK_INT(ep_kept_add(path, &wide), -ENODATA);
	}
	CHECK_INT(truncate(path, sizeof(ElfW(Ehdr)) + 10), 0);
	CHECK_INT(ep_kept_add(path, &wide), -ENODATA);
	CHECK_INT(truncate(path, 10), 0);
	CHECK_INT(ep_kept_add(path, &wide), -ENODATA);
	CHECK_INT(ep_kept_add(root, &wide), -ENODATA);
	CHECK_INT(ep_kept_add("/nowhere/program", &wide), -ENOENT);
	CHECK_INT(count_files(), 0);
	finish();
}

TEST(the_longest_unused_goes_first)
{
	struct ep_kept_limits limits = { sizeof(struct small_elf), 3 * sizeof(struct small_elf) };

	start();
	for (uint8_t number = 1; number <= 3; number++) {
		make_program(number, ID_BYTES);
		CHECK_INT(ep_kept_add(path, &limits), 0);
		age(number, 1000 - number);
	}
	CHECK(is_kept(1)); /* a look is a use */
	make_program(4, ID_BYTES);
	CHECK_INT(ep_kept_add(path, &limits), 0);
	CHECK_INT(count_files(), 3);
	CHECK(is_kept(1) && !is_kept(2) && is_kept(3) && is_kept(4));
	limits.file_bytes--;
	make_program(5, ID_BYTES);
	CHECK_INT(ep_kept_add(path, &limits), -EFBIG);
	CHECK_INT(count_files(), 3);
	finish();
}

/* All of them would write the same part: the one that creates it does. */
TEST(processes_that_keep_at_the_same_time)
{
	enum { N = 8 };
	int status, n_failed = 0;

	start();
	make_program(1, ID_BYTES);
	for (int i = 0; i < N; i++)
		if (!fork())
			_exit(ep_kept_add(path, &wide) ? 1 : 0);
	while (wait(&status) > 0)
		n_failed += status != 0;
	CHECK_INT(n_failed, 0);
	CHECK(is_kept(1));
	CHECK_INT(count_files(), 1);
	finish();
}

TEST(a_part_of_a_process_that_was_killed)
{
	struct timespec old[2] = { { time(NULL) - 4000, 0 }, { time(NULL) - 4000, 0 } };
	char part[160];

	start();
	make_program(0, ID_BYTES);
	CHECK_INT(ep_kept_add(path, &wide), 0);
	snprintf(part, sizeof(part),
		"%s/cache/evprof/programs/0102030405060708090a0b0c0d0e0f1011121314.part", root);
	close(open(part, O_CREAT | O_WRONLY, 0600));
	make_program(1, ID_BYTES);
	CHECK_INT(ep_kept_add(path, &wide), 0);
	CHECK(!is_kept(1)); /* another process is at it */
	CHECK_INT(utimensat(AT_FDCWD, part, old, 0), 0);
	CHECK_INT(ep_kept_add(path, &wide), 0);
	CHECK(is_kept(1));
	CHECK_INT(count_files(), 2);
	finish();
}

TEST(without_a_home_nothing_is_kept)
{
	char found[64];
	uint8_t id[ID_BYTES] = { 1 };

	start();
	make_program(1, ID_BYTES);
	setenv("XDG_CACHE_HOME", "relative", 1);
	unsetenv("HOME");
	CHECK_INT(ep_kept_add(path, &wide), -ENOENT);
	CHECK(!ep_kept_find(id, sizeof(id), found, sizeof(found)));
	setenv("XDG_CACHE_HOME", path, 1); /* a file */
	CHECK_INT(ep_kept_add(path, &wide), -ENOTDIR);
	setenv("XDG_CACHE_HOME", "/tmp/a-path-that-does-not-fit-into-so-few-bytes", 1);
	CHECK(!ep_kept_find(id, sizeof(id), found, sizeof(found)));
	finish();
}

TEST(files_of_the_system)
{
	CHECK(ep_kept_is_systems("/usr/bin/python3"));
	CHECK(ep_kept_is_systems("/lib64/ld-linux-x86-64.so.2"));
	CHECK(!ep_kept_is_systems("/usr/local/bin/app"));
	CHECK(!ep_kept_is_systems("/home/user/app"));
	CHECK(!ep_kept_is_systems("/library/app"));
}
