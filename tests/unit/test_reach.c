// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "launcher/reach.h"

static char folder[] = "/tmp/evprof-reach-XXXXXX";
static char path[PATH_MAX];

static const char *in_folder(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void write_file(const char *name, const void *bytes, size_t size)
{
	EP_AUTOFCLOSE FILE *file = fopen(in_folder(name), "w");

	CHECK(file && fwrite(bytes, 1, size, file) == size);
	CHECK_INT(chmod(path, 0755), 0);
}

/* A program of this machine: header, loader and dynamic segment, two sections and their names. */
struct program {
	ElfW(Ehdr) header;
	ElfW(Phdr) segments[2];
	ElfW(Shdr) sections[2];
	ElfW(Dyn) dynamic[2];
	char loader[64];
	char names[64];
};

static struct program program(const char *loader, const char *section)
{
	struct program p;
	ElfW(Ehdr) own;
	EP_AUTOFCLOSE FILE *self = fopen("/proc/self/exe", "r");

	memset(&p, 0, sizeof(p));
	CHECK(self && fread(&own, sizeof(own), 1, self) == 1);
	memcpy(p.header.e_ident, own.e_ident, EI_NIDENT);
	p.header.e_machine = own.e_machine;
	p.header.e_type = ET_DYN;
	p.header.e_phoff = offsetof(struct program, segments);
	p.header.e_phentsize = sizeof(p.segments[0]);
	p.header.e_phnum = 2;
	p.header.e_shoff = offsetof(struct program, sections);
	p.header.e_shentsize = sizeof(p.sections[0]);
	p.header.e_shnum = 2;
	p.segments[0].p_type = loader ? PT_INTERP : PT_LOAD;
	p.segments[0].p_offset = offsetof(struct program, loader);
	p.segments[0].p_filesz = loader ? strlen(loader) + 1 : 0;
	strcpy(p.loader, loader ? loader : "");
	p.segments[1].p_type = PT_DYNAMIC;
	p.segments[1].p_offset = offsetof(struct program, dynamic);
	p.segments[1].p_filesz = sizeof(p.dynamic);
	p.sections[0].sh_offset = p.sections[1].sh_offset = offsetof(struct program, names);
	p.sections[1].sh_name = 1;
	strcpy(p.names + 1, section);
	return p;
}

static void check(const char *name, enum ep_reach expected, const char *in_message)
{
	struct ep_error err = { .message = "" };
	char program[PATH_MAX];
	enum ep_reach reach = ep_reach_check(in_folder(name), program, &err);

	CHECK_MSG(reach == expected, "%s: %d", name, reach);
	CHECK_MSG(strstr(err.message, in_message), "%s: '%s'", name, err.message);
}

TEST(programs)
{
	struct program p;

	CHECK(mkdtemp(folder) != NULL);
	p = program("/lib64/ld-linux-x86-64.so.2", ".text");
	write_file("dynamic", &p, sizeof(p));
	check("dynamic", EP_REACH_YES, "");

	p = program(NULL, ".text");
	write_file("static", &p, sizeof(p));
	check("static", EP_REACH_NO, "is linked statically");
	write_file("ld-linux-x86-64.so.2", &p, sizeof(p));
	check("ld-linux-x86-64.so.2", EP_REACH_YES, "");

	p = program(NULL, ".note.go.buildid");
	write_file("go-static", &p, sizeof(p));
	check("go-static", EP_REACH_NO, "is a Go program without the C library");
	p = program("/lib64/ld-linux-x86-64.so.2", ".go.buildinfo");
	write_file("go-alone", &p, sizeof(p));
	check("go-alone", EP_REACH_NO, "is a Go program without the C library:");
	p.dynamic[0].d_tag = DT_NEEDED;
	write_file("go", &p, sizeof(p));
	check("go", EP_REACH_YES, "");

	p = program("/lib/ld-musl-x86_64.so.1", ".text");
	write_file("musl", &p, sizeof(p));
	check("musl", EP_REACH_FOREIGN, "is linked with musl");

	p = program("/lib/ld-linux.so", ".text");
	p.header.e_machine = EM_RISCV;
	write_file("riscv", &p, sizeof(p));
	check("riscv", EP_REACH_FOREIGN, "is for RISC-V");
	p.header.e_machine = EM_386;
	p.header.e_ident[EI_CLASS] = ELFCLASS32;
	write_file("i386", &p, sizeof(p));
	check("i386", EP_REACH_FOREIGN, "is for i386");
}

TEST(scripts_follow_their_interpreter)
{
	char line[PATH_MAX + 64];

	snprintf(line, sizeof(line), "#! %s -x\necho\n", in_folder("static"));
	write_file("script", line, strlen(line));
	check("script", EP_REACH_NO, "static is linked statically");
	snprintf(line, sizeof(line), "#!%s\n", in_folder("script"));
	write_file("script2", line, strlen(line));
	check("script2", EP_REACH_NO, "static is linked statically");

	EP_AUTOFREE char *old = strdup(getenv("PATH"));
	setenv("PATH", folder, 1);
	write_file("env-script", "#!/usr/bin/env -S A=1 static -x\n", 32);
	check("env-script", EP_REACH_NO, "static is linked statically");
	setenv("PATH", old, 1);

	snprintf(line, sizeof(line), "#!%s\n", in_folder("loop"));
	write_file("loop", line, strlen(line));
	check("loop", EP_REACH_YES, "");
	check("absent", EP_REACH_YES, "");
	write_file("text", "echo hello\n", 11);
	check("text", EP_REACH_YES, "");
}

static void check_runs(const char *name, const char *expected)
{
	struct ep_error err;
	char program[PATH_MAX];

	(void)ep_reach_check(in_folder(name), program, &err);
	CHECK_STR(program[0] ? strrchr(program, '/') + 1 : program, expected);
}

TEST(what_runs_is_the_executable)
{
	char line[PATH_MAX + 64];

	snprintf(line, sizeof(line), "#!%s\n", in_folder("dynamic"));
	write_file("of-dynamic", line, strlen(line));
	CHECK(!symlink("of-dynamic", in_folder("link")));
	check_runs("dynamic", "dynamic");
	check_runs("link", "dynamic");
	check_runs("script2", "static");
	check_runs("text", "");
	check_runs("absent", "");
	CHECK(!symlink("dynamic", in_folder("other-name")));
	check_runs("other-name", "dynamic"); /* as /proc/self/exe has it */
}

/* Cut anywhere: an answer, no crash, no reading past the end. */
TEST(cut_programs)
{
	struct program p = program("/lib64/ld-linux-x86-64.so.2", ".text");

	for (size_t size = 0; size < sizeof(p); size++) {
		struct ep_error err;
		char program[PATH_MAX];

		write_file("cut", &p, size);
		(void)ep_reach_check(in_folder("cut"), program, &err);
	}
	check("cut", EP_REACH_YES, "");
}

TEST(privileged_programs)
{
	struct program p = program("/lib64/ld-linux-x86-64.so.2", ".text");
	uid_t other = getuid() + 1;

	write_file("mine", &p, sizeof(p));
	CHECK_INT(chmod(in_folder("mine"), 04755), 0);
	check("mine", EP_REACH_YES, ""); /* it gains nothing: the loader is not in secure mode */
	if (getuid() != 0) {
		printf("# not root, who alone can give a file away: other owners not tried\n");
		return;
	}
	write_file("theirs", &p, sizeof(p));
	CHECK_INT(chown(in_folder("theirs"), other, (gid_t)-1), 0);
	CHECK_INT(chmod(path, 04755), 0);
	check("theirs", EP_REACH_NO, "is set-user-ID: the loader ignores LD_PRELOAD");
	CHECK_INT(chown(path, 0, getgid() + 1), 0);
	CHECK_INT(chmod(path, 02755), 0);
	check("theirs", EP_REACH_NO, "is set-group-ID");
}

TEST(finding_in_the_path)
{
	char found[PATH_MAX], expected[PATH_MAX], search[PATH_MAX + 64];
	EP_AUTOFREE char *old = strdup(getenv("PATH"));

	snprintf(search, sizeof(search), "/nonexistent:%s", folder);
	setenv("PATH", search, 1);
	CHECK_INT(ep_reach_find("dynamic", found), 0);
	snprintf(expected, sizeof(expected), "%s", in_folder("dynamic"));
	CHECK_STR(found, expected);
	CHECK_INT(ep_reach_find("absent", found), -ENOENT);
	CHECK_INT(ep_reach_find("", found), -ENOENT);
	CHECK_INT(ep_reach_find("/tmp", found), -EACCES);
	write_file("closed", "x", 1);
	CHECK_INT(chmod(in_folder("closed"), 0644), 0);
	CHECK_INT(ep_reach_find("closed", found), -EACCES);
	setenv("PATH", old, 1);
	snprintf(search, sizeof(search), "rm -r %s", folder);
	CHECK_INT(system(search), 0);
}
