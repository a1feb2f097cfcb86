// SPDX-License-Identifier: BSD-3-Clause
/* The account of a thread's run queues: read, and left alone where it is none. */
#include "tests/unit/test.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/os/fds.h"
#include "common/os/sys.h"
#include "preload/thread/ready.h"

TEST(what_an_account_looks_like)
{
	static const struct {
		const char *text;
		bool is_one;
		uint64_t ready_ns, n_turns;
	} rows[] = {
		{ "67531 48732 2\n", true, 48732, 2 }, { "1 0 1\n", true, 0, 1 },
		{ "18446744073709551615 9000000000 4294967296\n", true, 9000000000, 1ull << 32 },
		{ "0 0 0\n", false, 0, 0 }, /* a kernel that keeps none */
		{ "5 7\n", false, 0, 0 }, { "5 7 x\n", false, 0, 0 }, { " 5 7 1\n", false, 0, 0 },
		{ "-5 7 1\n", false, 0, 0 }, { "se.exec_start : 5\n", false, 0, 0 },
		{ "", false, 0, 0 }, { "5 7 1", false, 0, 0 }, /* cut */
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		uint64_t ready_ns = 77, n_turns = 78;

		CHECK_MSG(ep_ready_parse(rows[i].text, &ready_ns, &n_turns) == rows[i].is_one,
			"\"%s\"", rows[i].text);
		CHECK_INT(ready_ns, rows[i].is_one ? rows[i].ready_ns : 77);
		CHECK_INT(n_turns, rows[i].is_one ? rows[i].n_turns : 78);
	}
}

static bool has_account(void)
{
	char text[64];
	uint64_t ready_ns, n_turns;

	return ep_sys_read_file("/proc/thread-self/schedstat", text, sizeof(text)) > 0 &&
	       ep_ready_parse(text, &ready_ns, &n_turns);
}

static atomic_int n_opened;
static atomic_bool is_over;

struct crowd {
	cpu_set_t cpu;
	struct ep_ready ready;
};

static void *be_busy(void *argument)
{
	struct crowd *me = argument;

	sched_setaffinity(0, sizeof(me->cpu), &me->cpu);
	ep_ready_open(&me->ready);
	n_opened++;
	while (!is_over)
		;
	ep_ready_read(&me->ready, EP_READY_UNKNOWN);
	return NULL;
}

/* Two busy threads on one CPU: while one runs the other is ready. Read by a third, too. */
TEST(who_has_no_cpu_is_ready)
{
	struct crowd crowd[2];
	pthread_t threads[2];
	cpu_set_t all;
	uint64_t seen_ns = 0;
	int cpu = 0;

	if (!has_account())
		SKIP("this kernel keeps no account of its run queues");
	ep_fds_init();
	sched_getaffinity(0, sizeof(all), &all);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	for (int i = 0; i < 2; i++) {
		CPU_ZERO(&crowd[i].cpu);
		CPU_SET(cpu, &crowd[i].cpu);
		CHECK_INT(pthread_create(&threads[i], NULL, be_busy, &crowd[i]), 0);
	}
	while (n_opened < 2)
		usleep(1000);
	/* as long as it takes: each must have waited for the other at least once */
	while (!crowd[0].ready.ready_ns || !crowd[1].ready.ready_ns) {
		usleep(1000);
		for (int i = 0; i < 2; i++)
			ep_ready_read(&crowd[i].ready, EP_READY_UNKNOWN);
	}
	seen_ns = crowd[0].ready.ready_ns;
	is_over = true;
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		CHECK(crowd[i].ready.is_known && crowd[i].ready.n_turns > 0);
	}
	CHECK(crowd[0].ready.ready_ns >= seen_ns);
	/* a thread that is gone cannot be asked any more; what was known stays */
	seen_ns = crowd[0].ready.ready_ns;
	ep_ready_read(&crowd[0].ready, EP_READY_UNKNOWN);
	CHECK_INT(crowd[0].ready.ready_ns, seen_ns);
	for (int i = 0; i < 2; i++) {
		int fd = crowd[i].ready.fd;

		ep_ready_close(&crowd[i].ready);
		CHECK_INT(crowd[i].ready.fd, -1);
		CHECK_INT(fcntl(fd, F_GETFD), -1);
	}
}

/* The program's file at our number is not read, not even where it looks like an account. */
TEST(a_number_that_is_the_programs_now)
{
	char path[] = "/tmp/evprof-test-XXXXXX";
	static const char text[] = "1 999999999999 99999\n";
	struct ep_ready ready;
	struct rlimit limit;
	int fd;

	if (!has_account())
		SKIP("this kernel keeps no account of its run queues");
	ep_fds_init();
	ep_ready_open(&ready);
	CHECK(ready.is_known && ep_fds_is_ours(ready.fd));
	/* ours lie above the soft limit, where the program can put none of its own */
	CHECK_INT(getrlimit(RLIMIT_NOFILE, &limit), 0);
	if (limit.rlim_cur <= (rlim_t)ready.fd)
		limit.rlim_cur = (rlim_t)ready.fd + 1;
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &limit), 0);
	fd = mkstemp(path);
	CHECK_INT(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	CHECK_INT(dup2(fd, ready.fd), ready.fd);
	ep_ready_read(&ready, EP_READY_UNKNOWN);
	CHECK(ready.ready_ns < 999999999999);
	close(fd);
	unlink(path);
	ep_ready_close(&ready);
}

TEST(without_another_switch_nothing_is_read)
{
	struct ep_ready ready;

	if (!has_account())
		SKIP("this kernel keeps no account of its run queues");
	ep_fds_init();
	ep_ready_open(&ready);
	CHECK(ready.is_known);
	ready.n_turns = UINT64_MAX;
	ep_ready_read(&ready, 5);
	CHECK(ready.n_turns != UINT64_MAX);
	ready.n_turns = UINT64_MAX;
	ep_ready_read(&ready, 5);
	CHECK(ready.n_turns == UINT64_MAX);
	ep_ready_read(&ready, 6);
	CHECK(ready.n_turns != UINT64_MAX);
	ready.n_turns = UINT64_MAX;
	ep_ready_read(&ready, EP_READY_UNKNOWN);
	CHECK(ready.n_turns != UINT64_MAX);
	ready.n_turns = UINT64_MAX;
	ep_ready_read(&ready, EP_READY_UNKNOWN);
	CHECK(ready.n_turns != UINT64_MAX);
	ep_ready_close(&ready);
}

/* No descriptor left: not known, and nothing is held. */
TEST(a_program_that_has_used_all_its_numbers)
{
	struct rlimit old, none;
	struct ep_ready ready;
	int low;

	CHECK_INT(getrlimit(RLIMIT_NOFILE, &old), 0);
	low = dup(0);
	close(low);
	none = old;
	none.rlim_cur = (rlim_t)low;
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &none), 0);
	ep_ready_open(&ready);
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &old), 0);
	CHECK(!ready.is_known);
	CHECK_INT(ready.fd, -1);
	ep_ready_read(&ready, EP_READY_UNKNOWN);
	CHECK_INT(ready.ready_ns, 0);
	ep_ready_close(&ready);
}
