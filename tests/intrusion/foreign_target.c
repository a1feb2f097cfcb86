/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * foreign_target [N]: starts a program by every exec call, with N more variables in the environment. The program is a
 * copy of this one whose loader has the name of musl's. No library that is linked with glibc can be preloaded there:
 * musl's loader would end the program because of it.
 */
#include "probe.h"

#include <elf.h>
#include <link.h>
#include <spawn.h>
#include <sys/stat.h>

#define COPY "./linked-with-musl"
#define LOADER "./ld-musl.so"
#define SCRIPT "./script"

static char *const arguments[] = { COPY, "look", NULL };

static void by_execve(void)
{
	execve(COPY, arguments, environ);
}

static void by_execv(void)
{
	execv(COPY, arguments);
}

static void by_execvp(void)
{
	setenv("PATH", "/no/such:.:/bin", 1);
	execvp(&COPY[2], arguments);
}

static void by_execvpe(void)
{
	setenv("PATH", "/no/such::/bin", 1);
	execvpe(&COPY[2], arguments, environ);
}

static void by_execl(void)
{
	execl(COPY, COPY, "look", NULL);
}

static void by_fexecve(void)
{
	fexecve(open(COPY, O_RDONLY | O_CLOEXEC), arguments, environ);
}

static void by_execveat(void)
{
	execveat(open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), &COPY[2], arguments, environ, 0);
}

static void by_script(void)
{
	execl(SCRIPT, SCRIPT, NULL);
}

static void by_shell(void)
{
	execl("/bin/sh", "sh", "-c", COPY " look", NULL);
}

static void by_spawn(void)
{
	pid_t pid;
	int status;

	EXPECT_INT(posix_spawn(&pid, COPY, NULL, NULL, arguments, environ), 0);
	status = probe_wait(pid);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

static void by_spawnp(void)
{
	pid_t pid;
	int status;

	setenv("PATH", ".", 1);
	EXPECT_INT(posix_spawnp(&pid, &COPY[2], NULL, NULL, arguments, environ), 0);
	status = probe_wait(pid);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

static void by_vfork(void)
{
	for (int i = 0; i < 2; i++) {
		pid_t pid = vfork();
		int status;

		if (!pid) {
			execve(COPY, arguments, environ);
			_exit(9);
		}
		status = probe_wait(pid);
		if (!WIFEXITED(status) || WEXITSTATUS(status))
			_exit(1);
	}
	_exit(0);
}

static void fill_environment(int n)
{
	char name[16];

	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "MORE_%d", i);
		setenv(name, "x", 1);
	}
}

static void write_file(const char *path, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

	EXPECT_INT(write(fd, bytes, size), size);
	close(fd);
}

/* Finds the loader's name in bytes, which hold a whole program. */
static char *loader_of(char *bytes, size_t *out_capacity)
{
	const ElfW(Ehdr) *header = (const void *)bytes;
	const ElfW(Phdr) *segments = (const void *)(bytes + header->e_phoff);

	for (unsigned i = 0; i < header->e_phnum; i++)
		if (segments[i].p_type == PT_INTERP) {
			*out_capacity = segments[i].p_filesz;
			return bytes + segments[i].p_offset;
		}
	return NULL;
}

static void make_files(void)
{
	static const char script[] = "#! " COPY " look\n";
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;
	size_t capacity = 0;
	char *bytes, *loader;

	EXPECT_INT(fstat(fd, &st), 0);
	bytes = malloc(st.st_size);
	EXPECT_INT(read(fd, bytes, st.st_size), st.st_size);
	close(fd);
	loader = loader_of(bytes, &capacity);
	EXPECT(loader && capacity >= sizeof(LOADER));
	EXPECT_INT(symlink(loader, LOADER), 0);
	memcpy(loader, LOADER, sizeof(LOADER));
	write_file(COPY, bytes, st.st_size);
	write_file(SCRIPT, script, sizeof(script) - 1);
	free(bytes);
}

/* Runs in the copy: LD_PRELOAD must not name the library there. */
static int look(void)
{
	const char *preload = getenv("LD_PRELOAD");

	EXPECT_MSG(!preload || !strstr(preload, "libevprof"), "LD_PRELOAD=%s", preload);
	return probe_end();
}

int main(int argc, char **argv)
{
	static void (*const ways[])(void) = { by_execve, by_execv, by_execvp, by_execvpe, by_execl,
		by_fexecve, by_execveat, by_script, by_shell, by_spawn, by_spawnp, by_vfork };

	if (argc > 1 && !strcmp(argv[1], "look"))
		return look();
	if (argc > 1)
		fill_environment(atoi(argv[1]));
	burn_ms(5);
	make_files();
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		pid_t pid = probe_fork();

		if (pid == 0) {
			ways[i]();
			_exit(9);
		}
		EXPECT_INT(probe_wait(pid), 0);
	}
	return probe_end();
}
