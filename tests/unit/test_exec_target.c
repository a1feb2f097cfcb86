// SPDX-License-Identifier: BSD-3-Clause
/* Which programs cannot take the library, and how they are found. */
#include "tests/unit/test.h"

#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/os/elf_file.h"
#include "preload/hooks/exec_target.h"

static char folder[] = "/tmp/evprof-exec-target-XXXXXX";

#define LOADED_AT 0x10000

struct program {
	ElfW(Ehdr) header;
	ElfW(Phdr) segments[3]; /* loader, dynamic, all that is loaded */
	char loader[64];
	ElfW(Dyn) dynamic[4];
	char strings[64];
};

static void write_file(const char *name, const void *bytes, size_t size)
{
	EP_AUTOFCLOSE FILE *file = fopen(name, "w");

	CHECK(file && fwrite(bytes, 1, size, file) == size);
	CHECK_INT(chmod(name, 0755), 0);
}

static struct program own_program(const char *loader)
{
	struct program p = { .header = *ep_elf_own_header() };

	p.header.e_phoff = offsetof(struct program, segments);
	p.header.e_phentsize = sizeof(p.segments[0]);
	p.header.e_phnum = 3;
	p.segments[0].p_type = loader ? PT_INTERP : PT_NULL;
	p.segments[0].p_offset = offsetof(struct program, loader);
	p.segments[0].p_filesz = loader ? strlen(loader) + 1 : 0;
	p.segments[1].p_type = PT_DYNAMIC;
	p.segments[1].p_offset = offsetof(struct program, dynamic);
	p.segments[1].p_filesz = sizeof(p.dynamic);
	p.segments[2].p_type = PT_LOAD;
	p.segments[2].p_vaddr = LOADED_AT;
	p.segments[2].p_filesz = sizeof(p);
	strcpy(p.loader, loader ? loader : "");
	return p;
}

/* It needs libc and the library. */
static void write_needing(const char *name, const char *library)
{
	struct program p = own_program("/lib/ld-linux.so.2");
	ElfW(Dyn) dynamic[] = {
		{ .d_tag = DT_NEEDED, .d_un.d_val = 1 }, { .d_tag = DT_NEEDED, .d_un.d_val = 11 },
		{ .d_tag = DT_STRTAB, .d_un.d_ptr = LOADED_AT + offsetof(struct program, strings) }
	};

	memcpy(p.dynamic, dynamic, sizeof(dynamic));
	strcpy(p.strings + 1, "libc.so.6");
	strcpy(p.strings + 11, library);
	write_file(name, &p, sizeof(p));
}

static void write_program(const char *name, const char *loader, int machine, int class)
{
	struct program p = own_program(loader);

	p.header.e_machine += machine;
	if (class)
		p.header.e_ident[EI_CLASS] = ELFCLASS32;
	write_file(name, &p, sizeof(p));
}

/* a folder of programs, where the test is then at home */
static void make_programs(void)
{
	CHECK(mkdtemp(folder));
	CHECK_INT(chdir(folder), 0);
	write_program("glibc", "/lib/ld-linux.so.2", 0, 0);
	write_program("static", NULL, 0, 0);
	write_program("musl", "/lib/ld-musl-any.so.1", 0, 0);
	write_program("foreign", "/lib/ld-linux.so.2", 1, 0);
	write_program("narrow", "/lib/ld-linux.so.2", 0, 1);
	write_needing("needs-math", "libm.so.6");
	write_needing("needs-asan", "libasan.so.8");
	write_needing("needs-tsan", "libtsan.so.2");
	write_needing("needs-clang-asan", "libclang_rt.asan-x86_64.so");
	write_needing("needs-ubsan", "libubsan.so.1");
	write_file("script", "#!./glibc\n", 10);
	write_file("musl-script", "#! \t./musl -x y\n", 16);
	write_file("script-of-script", "#!musl-script", 13);
	write_file("loop", "#!loop\n", 7);
	write_file("text", "musl", 4);
	write_file("empty", "", 0);
	write_file("cut", "\177ELF", 4);
}

static const struct {
	const char *name;
	bool refuses;
} rows[] = {
	{ "glibc", false },
	{ "static", false },
	{ "musl", true },
	{ "foreign", true },
	{ "narrow", true },
	{ "needs-math", false },
	{ "needs-asan", true },
	{ "needs-tsan", true },
	{ "needs-clang-asan", true },
	{ "needs-ubsan", false },
	{ "script", false },
	{ "musl-script", true },
	{ "script-of-script", true },
	{ "loop", false },
	{ "text", false },
	{ "empty", false },
	{ "cut", false },
	{ "none", false },
};

static void check_ways(const char *name, bool refuses)
{
	EP_AUTOCLOSE int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	EP_AUTOCLOSE int fd = open(name, O_RDONLY | O_CLOEXEC);
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	CHECK_MSG(ep_exec_target_refuses(AT_FDCWD, name, 0) == refuses, "%s", name);
	CHECK_MSG(ep_exec_target_refuses(AT_FDCWD, path, 0) == refuses, "%s", path);
	CHECK_MSG(ep_exec_target_refuses(here, name, 0) == refuses, "%s at", name);
	CHECK_MSG(ep_exec_target_refuses(fd, "", AT_EMPTY_PATH) == refuses, "%s empty", name);
	CHECK(!ep_exec_target_refuses(fd, "", 0));
	CHECK_MSG(ep_exec_target_refuses_fd(fd) == refuses, "%s fd", name);
	CHECK_MSG(ep_exec_target_refuses_file(path) == refuses, "%s file", path);
	CHECK_MSG(ep_exec_target_refuses_file(name) == refuses, "%s in PATH", name);
}

TEST(what_refuses_is_known_by_every_way)
{
	char search[300];

	make_programs();
	snprintf(search, sizeof(search), "/no/such:%s:/bin", folder);
	setenv("PATH", search, 1);
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++)
		check_ways(rows[i].name, rows[i].refuses);
	CHECK(!ep_exec_target_refuses(AT_FDCWD, NULL, 0));
	CHECK(!ep_exec_target_refuses_file(NULL));
	CHECK(!ep_exec_target_refuses_file(""));
}

/* The first of the name that may be executed, an empty folder is this one, and no PATH is no
 * search here. */
TEST(the_search_is_execvps)
{
	char other[300], search[700];

	snprintf(other, sizeof(other), "%s/other", folder);
	CHECK_INT(mkdir(other, 0755), 0);
	snprintf(other, sizeof(other), "%s/other/musl", folder);
	write_file(other, "", 0);
	snprintf(search, sizeof(search), "%s/other:%s", folder, folder);
	setenv("PATH", search, 1);
	CHECK(!ep_exec_target_refuses_file("musl"));
	CHECK_INT(chmod(other, 0644), 0);
	CHECK(ep_exec_target_refuses_file("musl"));
	setenv("PATH", ":/bin", 1);
	CHECK(ep_exec_target_refuses_file("musl"));
	setenv("PATH", "/bin:", 1);
	CHECK(ep_exec_target_refuses_file("musl"));
	unsetenv("PATH");
	CHECK(!ep_exec_target_refuses_file("musl"));
}

TEST(cleanup)
{
	char command[300];

	snprintf(command, sizeof(command), "/bin/rm -r %s", folder);
	CHECK_INT(system(command), 0);
}
