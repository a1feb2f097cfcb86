// SPDX-License-Identifier: BSD-3-Clause
/*
 * Counts by callgrind's simulated machine. Outside of valgrind the source refuses; inside, this
 * same program counts loops of known length.
 */
#include "tests/unit/test.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "counters/sources/source.h"

static struct ep_plan the_plan;

static int prepare(const char *events, struct ep_error *err)
{
	struct ep_settings settings;

	ep_settings_init(&settings);
	settings.events = events;
	memset(&the_plan, 0, sizeof(the_plan));
	return ep_source_valgrind.prepare(&the_plan, &settings, err);
}

#if defined(HAVE_VALGRIND) && !defined(__SANITIZE_ADDRESS__)
/* ---- inside ---- */

/* n rounds of two instructions, one of them a conditional branch. */
static __attribute__((noinline)) void turn(unsigned long n)
{
#if defined(__x86_64__)
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n));
#else
	while (n--)
		__asm__ volatile("" : "+r"(n));
#endif
}

static bool count(struct ep_counters *counters, unsigned long n, struct ep_slice_counts *out)
{
	ep_source_valgrind.start(counters, 0);
	turn(n);
	ep_source_valgrind.stop(counters, 0, false, out);
	counters->n_stops++;
	return out->did_run;
}

enum { ROUNDS = 100000 };

/* Which the source has nothing to do with: what it asks callgrind is cut off again. */
static long log_bytes(void)
{
	char path[PATH_MAX];
	struct stat st = { .st_size = -1 };

	snprintf(path, sizeof(path), "%s/log.%d", getenv("EVPROF_VALGRIND_DIR"), (int)getpid());
	stat(path, &st);
	return st.st_size;
}

/* Callgrind writes before an exec, and counts on if that fails. */
static bool survives_exec(struct ep_counters *counters)
{
	struct ep_slice_counts lost, counts;
	char path[PATH_MAX];

	snprintf(
		path, sizeof(path), "%s/exec.%d.7.1", getenv("EVPROF_VALGRIND_DIR"), (int)getpid());
	ep_source_valgrind.before_exec();
	if (access(path, R_OK) || unlink(path))
		return false;
	count(counters, ROUNDS, &lost);
	return count(counters, ROUNDS, &counts) && counts.values[0] >= ROUNDS &&
	       counts.values[0] <= ROUNDS + 1000;
}

/* 0, or which expectation failed. */
static int inside(void)
{
	struct ep_counters counters = { .plan = &the_plan, .is_first = true };
	struct ep_process_key key = { (uint32_t)getpid(), 7 };
	struct ep_slice_counts warm, once, twice, remote;
	struct ep_error err = { 0 };
	long log_before = log_bytes();

	if (prepare("Bc,nosuch,instructions", &err) || the_plan.n_events != 2 ||
		the_plan.n_groups != 1)
		return 1;
	if (!strstr(the_plan.notes, "event 'nosuch' is not counted") ||
		!strstr(the_plan.notes, "simulated machine"))
		return 2;
	ep_source_valgrind.begin_process(key, "/the/trace");
	if (ep_source_valgrind.open(&counters, 0) || !count(&counters, 10, &warm) ||
		!count(&counters, ROUNDS, &once) || !count(&counters, 2 * ROUNDS, &twice))
		return 3;
	/* what start and stop add is the same each time: the difference is exact */
	if (twice.values[0] - once.values[0] != ROUNDS)
		return 4;
#if defined(__x86_64__)
	if (twice.values[1] - once.values[1] != 2 * ROUNDS)
		return 5;
#endif
	if (once.values[0] < ROUNDS || once.values[0] > ROUNDS + 1000)
		return 6;
	ep_source_valgrind.start(&counters, 0);
	ep_source_valgrind.stop(&counters, 0, true, &remote);
	if (remote.did_run)
		return 7;
	ep_source_valgrind.stop(&counters, 0, false, &remote); /* which that one did not */
	if (log_bytes() != log_before)
		return 12;
	if (!survives_exec(&counters))
		return 13;
	ep_source_valgrind.close(&counters);
	if (counters.is_open)
		return 8;
	if (prepare("", &err) || the_plan.n_events != 13)
		return 9;
	/* each event once, however often it is named */
	if (prepare("Ir,Ir,instructions,Ir,Ir,Ir,Ir,Ir,Ir,Ir,Ir,Ir,Ir,Ir,Ir,Ir,Ir,Bc", &err) ||
		the_plan.n_events != 2)
		return 11;
	return prepare("nosuch", &err) == -ENOENT ? 0 : 10;
}

__attribute__((constructor)) static void run_inside(void)
{
	if (getenv("EVPROF_TEST_INSIDE"))
		_exit(inside());
}

static int count_files(const char *path)
{
	DIR *folder = opendir(path);
	int n = 0;

	while (folder && readdir(folder))
		n++;
	if (folder)
		closedir(folder);
	return n - 2;
}

static void remove_files(const char *path)
{
	char command[PATH_MAX + 16];

	snprintf(command, sizeof(command), "rm -rf '%s'", path);
	CHECK_INT(system(command), 0);
}

static int run_under_callgrind(const char *folder)
{
	char self[PATH_MAX] = "", out_file[128], log_file[128];
	int status = -1;
	pid_t pid;

	CHECK(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	snprintf(out_file, sizeof(out_file), "--callgrind-out-file=%s/%%p", folder);
	snprintf(log_file, sizeof(log_file), "--log-file=%s/log.%%p", folder);
	setenv("EVPROF_VALGRIND_DIR", folder, 1);
	setenv("EVPROF_TEST_INSIDE", "1", 1);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		execlp("valgrind", "valgrind", "--tool=callgrind", "--quiet", log_file, "--vgdb=no",
			"--cache-sim=yes", "--branch-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64",
			"--LL=1048576,16,64", out_file, self, NULL);
		_exit(99);
	}
	waitpid(pid, &status, 0);
	unsetenv("EVPROF_VALGRIND_DIR");
	unsetenv("EVPROF_TEST_INSIDE");
	return WEXITSTATUS(status);
}

static void check_key(const char *folder)
{
	char command[128];

	snprintf(command, sizeof(command), "grep -qx /the/trace %s/key.*.7", folder);
	CHECK_INT(system(command), 0);
}

TEST(loops_of_known_length_inside_callgrind)
{
	char folder[] = "/tmp/evprof-valgrind-XXXXXX";

	if (system("command -v valgrind >/dev/null"))
		SKIP("valgrind is not installed");
	CHECK(mkdtemp(folder) != NULL);
	CHECK_INT(run_under_callgrind(folder), 0);
	CHECK_INT(count_files(folder), 3); /* callgrind's, its log, the key */
	check_key(folder);
	remove_files(folder);
}
#endif

TEST(outside_of_valgrind_it_says_how)
{
	struct ep_error err = { 0 };

	CHECK_INT(prepare("", &err), -ENOTSUP);
	CHECK(strstr(err.message, "evprof run --source valgrind -- PROGRAM"));
	CHECK_INT(ep_source_valgrind.resume(&the_plan, NULL, &err), -ENOTSUP);
	CHECK(ep_source_find("valgrind") == &ep_source_valgrind);
}
