// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "kernels/report/output.h"
#include "tests/unit/command.h"

static const char *name_of_part(const char *file, pid_t pid)
{
	static char name[64];

	snprintf(name, sizeof(name), "%s.%d.part", file, (int)pid);
	return name;
}

TEST(a_file_is_replaced_as_a_whole)
{
	struct ep_error err;

	write_file("table.csv", "old");
	CHECK_INT(ep_output_write("table.csv", "new", 3, &err), 0);
	EP_AUTOFREE char *text = read_file("table.csv");
	CHECK_STR(text, "new");
	CHECK(access(name_of_part("table.csv", getpid()), F_OK));
}

TEST(a_write_that_fails_leaves_nothing)
{
	struct ep_error err;

	CHECK_INT(mkdir("folder.csv", 0700), 0);
	CHECK(ep_output_write("folder.csv", "new", 3, &err) < 0);
	CHECK(access(name_of_part("folder.csv", getpid()), F_OK));
	rmdir("folder.csv");
}

static void interrupt_oneself(int number)
{
	(void)number;
	if (access(name_of_part("table.csv", getpid()), F_OK))
		_exit(8);
	raise(SIGINT);
}

/* SIGINT comes while the text, which cannot be read, is being written. */
TEST(an_interrupt_leaves_the_older_file_alone)
{
	struct ep_error err;
	int status = 0;
	pid_t pid;

	write_file("table.csv", "old");
	pid = fork();
	if (!pid) {
		const char *text = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		signal(SIGSEGV, interrupt_oneself);
		_exit(ep_output_write("table.csv", text, 100, &err) ? 6 : 7);
	}
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
	CHECK(access(name_of_part("table.csv", pid), F_OK));
	EP_AUTOFREE char *text = read_file("table.csv");
	CHECK_STR(text, "old");
}

TEST(files_beside_it_stay)
{
	struct ep_error err;

	write_file("table.csv.tmp", "mine");
	CHECK_INT(ep_output_write("table.csv", "new", 3, &err), 0);
	EP_AUTOFREE char *text = read_file("table.csv.tmp");
	CHECK_STR(text, "mine");
	unlink("table.csv.tmp");
}
