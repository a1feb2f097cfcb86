// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads mode bits, capabilities, script lines and ELF headers of a program that is about to start. Used by the launcher
 * only. Nothing in the file is trusted: all reads are bounded.
 */
#include "reach.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "common/os/elf_file.h"
#include "common/os/go.h"

#define SCRIPT_DEPTH_MAX 4 /* the kernel has the same limit */
#define SCRIPT_LINE_BYTES 256

/* ---- finding ---- */

static int is_program(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || access(path, X_OK))
		return -EACCES;
	return 0;
}

int ep_reach_find(const char *name, char out_path[PATH_MAX])
{
	const char *folders = getenv("PATH");
	int worst = -ENOENT;

	if (!name[0])
		return -ENOENT;
	if (strchr(name, '/')) {
		snprintf(out_path, PATH_MAX, "%s", name);
		return is_program(name);
	}
	for (const char *at = folders ? folders : "/bin:/usr/bin"; at; at = strchr(at, ':')) {
		at += *at == ':';
		int size = (int)strcspn(at, ":");
		int n = snprintf(out_path, PATH_MAX, "%.*s%s%s", size, at, size ? "/" : "./", name);
		int rc = n < PATH_MAX ? is_program(out_path) : -ENAMETOOLONG;

		if (!rc)
			return 0;
		worst = rc == -EACCES ? -EACCES : worst;
	}
	return worst;
}

/* ---- privileges ---- */

static bool can_gain_privileges(int fd)
{
	struct statvfs fs;

	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1 &&
	       !(fstatvfs(fd, &fs) == 0 && (fs.f_flag & ST_NOSUID));
}

/* Returns the privilege that makes the kernel set AT_SECURE, where the loader ignores LD_PRELOAD; NULL: none. */
static const char *find_privilege(int fd)
{
	struct stat st;

	if (fstat(fd, &st) || !can_gain_privileges(fd))
		return NULL;
	if ((st.st_mode & S_ISUID) && st.st_uid != getuid())
		return "set-user-ID";
	if ((st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st.st_gid != getgid())
		return "set-group-ID";
	if (getuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0)
		return "given file capabilities";
	return NULL;
}

/* ---- ELF ---- */

static const char *machine_name(unsigned machine)
{
	static const struct {
		unsigned machine;
		const char *name;
	} names[] = {
		{ EM_386, "i386" },
		{ EM_X86_64, "x86-64" },
		{ EM_ARM, "32-bit ARM" },
		{ EM_PPC64, "POWER" },
		{ EM_AARCH64, "AArch64" },
		{ EM_RISCV, "RISC-V" },
		{ EM_S390, "s390x" },
		{ EM_MIPS, "MIPS" },
		{ EM_LOONGARCH, "LoongArch" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(names); i++)
		if (names[i].machine == machine)
			return names[i].name;
	return "another architecture";
}

static bool needs_libraries(int fd, const ElfW(Ehdr) * header)
{
	struct ep_elf_needed needed;
	char name[2];

	ep_elf_needed_begin(fd, header, &needed);
	return ep_elf_needed_next(&needed, name, sizeof(name));
}

static bool is_loader(const char *path)
{
	const char *name = ep_base_name(path);

	return !strncmp(name, "ld-linux", 8) || !strncmp(name, "ld.so", 5) ||
	       !strncmp(name, "ld64.so", 7) || !strncmp(name, "ld-2.", 5);
}

static enum ep_reach check_elf(int fd, const char *path, struct ep_error *err)
{
	char loader[PATH_MAX];
	ElfW(Ehdr) header;

	if (!ep_elf_read_header(fd, &header))
		return EP_REACH_YES;
	if (ep_elf_is_foreign(&header)) {
		ep_fail(err, 0, "%s is for %s, libevprof.so for %s", path,
			machine_name(header.e_machine),
			machine_name(ep_elf_own_header()->e_machine));
		return EP_REACH_FOREIGN;
	}
	ep_elf_read_loader(fd, &header, loader, sizeof(loader));
	if (ep_go_is_in(fd) && !(loader[0] && needs_libraries(fd, &header))) {
		ep_fail(err, 0,
			"%s is a Go program without the C library: no preloaded library sees its threads (built with CGO_ENABLED=1, and cgo or package net in it, it can be measured)",
			path);
		return EP_REACH_NO;
	}
	if (ep_elf_is_musl_loader(loader)) {
		ep_fail(err, 0, "%s is linked with musl (%s), libevprof.so with glibc", path,
			loader);
		return EP_REACH_FOREIGN;
	}
	const char *sanitizer = ep_elf_sanitizer(fd, &header);
	if (sanitizer) {
		ep_fail(err, 0,
			"%s is built with %s, whose runtime has to be the first library that is loaded",
			path, sanitizer);
		return EP_REACH_FOREIGN;
	}
	if (loader[0] || is_loader(path))
		return EP_REACH_YES;
	ep_fail(err, 0, "%s is linked statically: there is no loader to preload anything", path);
	return EP_REACH_NO;
}

/* ---- scripts ---- */

static enum ep_reach check_file(
	const char *path, int depth, char out_program[PATH_MAX], struct ep_error *err);

/* Returns the program of "/usr/bin/env [-S] [OPTIONS] [NAME=VALUE] PROGRAM". words is changed. */
static const char *env_program(char *words)
{
	char *save = NULL;

	for (char *word = strtok_r(words, " \t", &save); word; word = strtok_r(NULL, " \t", &save))
		if (word[0] != '-' && !strchr(word, '='))
			return word;
	return NULL;
}

/* Checks the interpreter of a script. line is the text after "#!", NUL-terminated; it is changed. */
static enum ep_reach check_script(
	char *line, int depth, char out_program[PATH_MAX], struct ep_error *err)
{
	char path[PATH_MAX];

	line += strspn(line, " \t");
	char *arguments = line + strcspn(line, " \t");
	if (*arguments)
		*arguments++ = '\0';
	enum ep_reach reach = check_file(line, depth + 1, out_program, err);
	const char *name = strrchr(line, '/');
	const char *program = NULL;

	if (reach == EP_REACH_YES && name && !strcmp(name, "/env"))
		program = env_program(arguments);
	if (program)
		out_program[0] = '\0';
	if (!program || ep_reach_find(program, path))
		return reach;
	return check_file(path, depth + 1, out_program, err);
}

static enum ep_reach check_file(
	const char *path, int depth, char out_program[PATH_MAX], struct ep_error *err)
{
	char start[SCRIPT_LINE_BYTES] = "";
	EP_AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 || depth > SCRIPT_DEPTH_MAX)
		return EP_REACH_YES;
	ssize_t n_bytes = pread(fd, start, sizeof(start) - 1, 0);
	if (n_bytes > 2 && !memcmp(start, "#!", 2)) {
		start[strcspn(start, "\n")] = '\0';
		return check_script(start + 2, depth, out_program, err);
	}
	if (n_bytes < EI_NIDENT || memcmp(start, ELFMAG, SELFMAG))
		return EP_REACH_YES;
	if (!realpath(path, out_program))
		out_program[0] = '\0';
	const char *privilege = find_privilege(fd);
	if (privilege) {
		ep_fail(err, 0, "%s is %s: the loader ignores LD_PRELOAD", path, privilege);
		return EP_REACH_NO;
	}
	return check_elf(fd, path, err);
}

enum ep_reach ep_reach_check(const char *path, char out_program[PATH_MAX], struct ep_error *err)
{
	out_program[0] = '\0';
	return check_file(path, 0, out_program, err);
}
