/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The environment that the program, its children and the kernel show must be the one that the program was started with.
 * A run without the preload has the same variables except LD_PRELOAD, so that LD_PRELOAD is compared but not printed.
 */
#include "probe.h"

static void print_or_compare(const char *who, const char *entry)
{
	const char *preload = getenv("LD_PRELOAD");

	if (strncmp(entry, "LD_PRELOAD=", 11))
		printf("%s: %s\n", who, entry);
	else
		EXPECT_MSG(preload && !strcmp(preload, entry + 11), "%s has %s", who, entry);
}

static void print_file(const char *who, const char *path)
{
	static char text[1 << 16];
	int fd = open(path, O_RDONLY);
	ssize_t size = read(fd, text, sizeof(text) - 1);

	for (char *e = text; e < text + size; e += strlen(e) + 1)
		print_or_compare(who, e);
	close(fd);
}

static void print_command(const char *who, const char *command)
{
	FILE *pipe = popen(command, "re");
	char line[4096];

	while (fgets(line, sizeof(line), pipe)) {
		line[strcspn(line, "\n")] = '\0';
		print_or_compare(who, line);
	}
	EXPECT_INT(pclose(pipe), 0);
}

static void print_names(void)
{
	char name[32] = "";

	pthread_getname_np(pthread_self(), name, sizeof(name));
	printf("names: %s %s\n", program_invocation_short_name, name);
}

int main(int argc, char **argv, char **envp)
{
	EXPECT(envp == environ);
	burn_ms(5);
	for (char **e = environ; *e; e++)
		print_or_compare("environ", *e);
	print_file("/proc/self/environ", "/proc/self/environ");
	print_file("cmdline", "/proc/self/cmdline");
	print_command("popen", "env");
	fflush(stdout);
	EXPECT_INT(system("env | grep -v '^LD_PRELOAD='"), 0);
	EXPECT_INT(setenv("ADDED", "1", 1), 0);
	EXPECT_INT(unsetenv("LD_PRELOAD"), 0);
	print_command("without preload", "env");
	print_names();
	return probe_end();
}
