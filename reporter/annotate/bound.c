// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/annotate/bound.h"

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"

extern char **environ;

/* ---- names of CPUs ---- */

static const struct {
	const char *pattern; /* regular expression for the beginning of the key */
	const char *cpu, *march;
} cpus[] = {
	{ "GenuineIntel-6-(2A|2D)", "sandybridge", "x86-64" },
	{ "GenuineIntel-6-(3A|3E)", "ivybridge", "x86-64" },
	{ "GenuineIntel-6-(3C|3F|45|46)", "haswell", "x86-64" },
	{ "GenuineIntel-6-(3D|47|4F|56)", "broadwell", "x86-64" },
	{ "GenuineIntel-6-(4E|5E|8E|9E|A5|A6)", "skylake", "x86-64" },
	{ "GenuineIntel-6-55", "skylake-avx512", "x86-64" },
	{ "GenuineIntel-6-6[AC]", "icelake-server", "x86-64" },
	{ "GenuineIntel-6-(97|9A|B7|BA|BF)", "alderlake", "x86-64" },
	{ "GenuineIntel-6-(8F|CF)", "sapphirerapids", "x86-64" },
	{ "AuthenticAMD-23-[3-9A]", "znver2", "x86-64" },
	{ "AuthenticAMD-23-", "znver1", "x86-64" },
	{ "AuthenticAMD-25-(1[0-9A-F]|[6-9A][0-9A-F])", "znver4", "x86-64" },
	{ "AuthenticAMD-25-", "znver3", "x86-64" },
	{ "AuthenticAMD-26-", "znver5", "x86-64" },
	{ "arm-0x41-0xd0c", "neoverse-n1", "aarch64" },
	{ "arm-0x41-0xd40", "neoverse-v1", "aarch64" },
	{ "arm-0x41-0xd49", "neoverse-n2", "aarch64" },
	{ "arm-0x46-0x001", "a64fx", "aarch64" },
	{ "arm-0x48-0xd01", "tsv110", "aarch64" },
};

static bool begins_like(const char *pattern, const char *text)
{
	char whole[100];
	regex_t regex;
	bool does;

	snprintf(whole, sizeof(whole), "^%s", pattern);
	if (regcomp(&regex, whole, REG_EXTENDED | REG_NOSUB))
		return false;
	does = !regexec(&regex, text, 0, NULL, 0);
	regfree(&regex);
	return does;
}

const char *ep_bound_cpu_of(const char *cpuid, const char **out_march)
{
	*out_march = NULL;
	for (size_t i = 0; cpuid && i < EP_ARRAY_SIZE(cpus); i++)
		if (begins_like(cpus[i].pattern, cpuid)) {
			*out_march = cpus[i].march;
			return cpus[i].cpu;
		}
	return NULL;
}

/* ---- output of llvm-mca ---- */

/* Returns the number after a title that begins a line; negative: there is no such title. */
static double number_behind(const char *text, const char *title)
{
	const char *at = strstr(text, title);

	while (at && at != text && at[-1] != '\n')
		at = strstr(at + 1, title);
	return at ? strtod(at + strlen(title), NULL) : -1;
}

/* An iteration that takes more than this multiple of its ports' cycles waits for results. A smaller excess may be
 * due to the simulation: its first iterations are slower than the others, and it does not assign instructions to
 * ports in the best way. */
#define NEAR 1.25

int ep_loop_bound_parse(const char *text, struct ep_loop_bound *out)
{
	double n = number_behind(text, "Iterations:"),
	       cycles = number_behind(text, "Total Cycles:"),
	       uops = number_behind(text, "Total uOps:"),
	       width = number_behind(text, "Dispatch Width:"),
	       ports = number_behind(text, "Block RThroughput:");

	if (n <= 0 || cycles <= 0 || uops <= 0 || width <= 0 || ports < 0)
		return -EINVAL;
	*out = (struct ep_loop_bound){ .cycles = cycles / n, .ports_cycles = ports };
	if (out->cycles > NEAR * ports)
		out->limit = EP_LIMIT_CHAIN;
	else
		out->limit = 1.05 * uops / n / width >= ports ? EP_LIMIT_FRONT_END : EP_LIMIT_PORTS;
	return 0;
}

/* ---- running llvm-mca ---- */

/* Writes the input into a file in memory. A pipe would cause SIGPIPE in evreport if llvm-mca ended before it
 * read all input. */
static int write_input(const char *assembly)
{
	EP_AUTOCLOSE int fd = memfd_create("evprof-loop", MFD_CLOEXEC);
	size_t size = strlen(assembly);
	int made;

	if (fd < 0 || write(fd, assembly, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET))
		return -1;
	made = fd;
	fd = -1;
	return made;
}

static int spawn(const struct ep_bound_question *question, int input, int output, pid_t *out_pid)
{
	char cpu[64], march[64];
	char *const words[] = { "llvm-mca", cpu, "-iterations=1000", "-instruction-info=false",
		"-resource-pressure=false", question->march ? march : NULL, NULL };
	posix_spawn_file_actions_t actions;
	int rc;

	snprintf(cpu, sizeof(cpu), "-mcpu=%s", question->cpu);
	snprintf(march, sizeof(march), "-march=%s", question->march ? question->march : "");
	if (posix_spawn_file_actions_init(&actions))
		return -ENOMEM;
	rc = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	if (!rc)
		rc = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	if (!rc)
		rc = posix_spawn_file_actions_addopen(
			&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (!rc)
		rc = posix_spawnp(out_pid, "llvm-mca", &actions, NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -rc;
}

static void read_all(int fd, char *out, size_t size)
{
	size_t n = 0;
	ssize_t got = 1;

	while (n + 1 < size && got) {
		got = read(fd, out + n, size - n - 1);
		if (got < 0 && errno != EINTR)
			break;
		n += got > 0 ? (size_t)got : 0;
	}
	out[n] = '\0';
}

int ep_loop_bound_find(const struct ep_bound_question *question, struct ep_loop_bound *out)
{
	EP_AUTOCLOSE int input = write_input(question->assembly);
	EP_AUTOCLOSE int from = -1;
	int ends[2], status = -1, rc;
	char text[4096];
	pid_t pid;

	if (input < 0 || pipe2(ends, O_CLOEXEC))
		return -errno;
	from = ends[0];
	rc = spawn(question, input, ends[1], &pid);
	close(ends[1]);
	if (rc)
		return rc;
	read_all(from, text, sizeof(text));
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return -ENOENT;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? ep_loop_bound_parse(text, out) : -EINVAL;
}
