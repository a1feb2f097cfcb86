/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Forks many times: from the main thread, from four threads at once, and through twenty generations. Some children have
 * threads of their own. The program's fork handlers must be called once for each fork, in the right order.
 */
#include "probe.h"

enum { N_FORKS = 400, N_THREADS = 4, N_PER_THREAD = 60, N_GENERATIONS = 20 };

static atomic_int n_prepared, n_parents;
static int order;

static void prepare_first(void)
{
	EXPECT_INT(order, 1);
	order = 2;
	n_prepared++;
}

static void prepare_second(void)
{
	EXPECT_INT(order, 0);
	order = 1;
}

static void parent_first(void)
{
	EXPECT_INT(order, 2);
	order = 0;
	n_parents++;
}

static void child_first(void)
{
	order = 0;
}

static void *work(void *unused)
{
	burn_ms(2);
	return NULL;
}

static int live(int i)
{
	pthread_t thread;

	burn_us(i * 17 % 900);
	if (i % 10 == 0) {
		EXPECT_INT(pthread_create(&thread, NULL, work, NULL), 0);
		EXPECT_INT(pthread_join(thread, NULL), 0);
	}
	return probe_end() ? 255 : i % 200;
}

static void fork_often(int n_forks)
{
	for (int i = 0; i < n_forks; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(live(i));
		burn_us(i * 13 % 700);
		EXPECT_INT(probe_wait(pid), (i % 200) << 8);
	}
}

static void *fork_in_thread(void *unused)
{
	fork_often(N_PER_THREAD);
	return NULL;
}

static void descend(void)
{
	int generation = 0, status;
	pid_t pid = 0;

	while (generation < N_GENERATIONS && (pid = fork()) == 0)
		generation++;
	burn_us(500);
	if (pid) {
		EXPECT_INT(waitpid(pid, &status, 0), pid);
		if (generation)
			_exit(WEXITSTATUS(status) + 1);
		EXPECT_INT(WEXITSTATUS(status), N_GENERATIONS);
		return;
	}
	_exit(1);
}

int main(void)
{
	pthread_t threads[N_THREADS];

	for (int i = 0; i < N_THREADS; i++)
		pthread_create(&threads[i], NULL, fork_in_thread, NULL);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	descend();
	pthread_atfork(prepare_first, parent_first, child_first);
	pthread_atfork(prepare_second, NULL, NULL);
	fork_often(N_FORKS);
	EXPECT_INT(n_prepared, N_FORKS);
	EXPECT_INT(n_parents, N_FORKS);
	return probe_end();
}
