// SPDX-License-Identifier: BSD-3-Clause
/* Facts from executable files, whole and cut. */
#include "tests/unit/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/os/elf_file.h"

static int own_file(void)
{
	return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
}

TEST(this_program_is_its_own_kind)
{
	EP_AUTOCLOSE int fd = own_file();
	ElfW(Ehdr) header;
	ElfW(Phdr) segment;
	char loader[200], piece[6];

	CHECK(ep_elf_read_header(fd, &header));
	CHECK(!memcmp(&header, ep_elf_own_header(), sizeof(header)));
	CHECK(!ep_elf_is_foreign(&header));
	CHECK(ep_elf_find_segment(fd, &header, PT_LOAD, &segment));
	CHECK(!ep_elf_find_segment(fd, &header, PT_LOPROC + 77, &segment));
	ep_elf_read_loader(fd, &header, loader, sizeof(loader));
	CHECK_INT(access(loader, X_OK), 0);
	CHECK(!ep_elf_is_musl_loader(loader));
	CHECK(ep_elf_is_musl_loader("/lib/ld-musl-x86_64.so.1"));
	ep_elf_read_loader(fd, &header, piece, sizeof(piece));
	CHECK_INT(strlen(piece), sizeof(piece) - 1);
	CHECK(!strncmp(piece, loader, sizeof(piece) - 1));
}

TEST(each_difference_is_foreign)
{
	ElfW(Ehdr) header = *ep_elf_own_header();

	header.e_machine++;
	CHECK(ep_elf_is_foreign(&header));
	header = *ep_elf_own_header();
	header.e_ident[EI_CLASS] ^= 3;
	CHECK(ep_elf_is_foreign(&header));
	header = *ep_elf_own_header();
	header.e_ident[EI_DATA] ^= 3;
	CHECK(ep_elf_is_foreign(&header));
}

TEST(what_lies_is_not_followed)
{
	EP_AUTOCLOSE int fd = own_file();
	ElfW(Ehdr) header = *ep_elf_own_header();
	ElfW(Phdr) segment;
	char loader[200] = "x";

	header.e_phoff = UINT64_MAX / 2;
	CHECK(!ep_elf_find_segment(fd, &header, PT_INTERP, &segment));
	ep_elf_read_loader(fd, &header, loader, sizeof(loader));
	CHECK_STR(loader, "");
	header = *ep_elf_own_header();
	header.e_phentsize = 1;
	CHECK(!ep_elf_find_segment(fd, &header, PT_INTERP, &segment));
	CHECK(!ep_elf_read_header(-1, &header));
}

TEST(what_is_cut_or_no_program_has_no_header)
{
	FILE *file = tmpfile();
	ElfW(Ehdr) header = *ep_elf_own_header();

	CHECK(!ep_elf_read_header(fileno(file), &header));
	CHECK_INT(fwrite(ep_elf_own_header(), 20, 1, file), 1);
	fflush(file);
	CHECK(!ep_elf_read_header(fileno(file), &header));
	rewind(file);
	for (size_t i = 0; i < sizeof(header); i++)
		fputc('#', file);
	fflush(file);
	CHECK(!ep_elf_read_header(fileno(file), &header));
	fclose(file);
}

TEST(what_this_program_needs)
{
	EP_AUTOCLOSE int fd = own_file();
	struct ep_elf_needed needed;
	ElfW(Ehdr) header = *ep_elf_own_header();
	char name[100];
	int n = 0, n_libc = 0;

	ep_elf_needed_begin(fd, &header, &needed);
	while (ep_elf_needed_next(&needed, name, sizeof(name))) {
		n++;
		n_libc += !strncmp(name, "libc.so", 7);
		CHECK_MSG(strstr(name, ".so") != NULL, "'%s'", name);
	}
	CHECK(n >= 1);
	CHECK_INT(n_libc, 1);
	CHECK(!ep_elf_needed_next(&needed, name, sizeof(name)));
	ep_elf_needed_begin(fd, &header, &needed);
	CHECK(ep_elf_needed_next(&needed, name, 4));
	CHECK_INT(strlen(name), 3);
	ep_elf_needed_begin(-1, &header, &needed);
	CHECK(!ep_elf_needed_next(&needed, name, sizeof(name)));
}

/* Names that nobody can find are none. */
TEST(dynamic_sections_that_lie)
{
	EP_AUTOCLOSE int fd = own_file();
	struct ep_elf_needed needed = { .fd = fd,
		.strings_at = UINT64_MAX - 5,
		.entries = { { .d_tag = DT_NEEDED }, { .d_tag = DT_SONAME },
			{ .d_tag = DT_NEEDED } },
		.n_entries = 3 };
	char name[10] = "x";

	CHECK(ep_elf_needed_next(&needed, name, sizeof(name)));
	CHECK_STR(name, "");
	needed.strings_at = 0;
	strcpy(name, "x");
	CHECK(ep_elf_needed_next(&needed, name, sizeof(name)));
	CHECK_STR(name, "");
	CHECK(!ep_elf_needed_next(&needed, name, sizeof(name)));
}
