/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sig_handlers HOW: sets a handler for every signal, and sends each signal by every call that can send it, while all
 * threads work. The handler must see exactly what was sent, with the right sender and value, and no other signals.
 */
#include "probe.h"

enum { N_ROUNDS = 5 };

static atomic_int n_seen[65], n_strangers;
static atomic_int stop;
static int flags;

static void note(int s, siginfo_t *info, void *context)
{
	bool from_me = info->si_pid == getpid() &&
		       (info->si_code == SI_USER || info->si_code == SI_TKILL ||
			       (info->si_code == SI_QUEUE && info->si_value.sival_int == s * 7));

	n_seen[s]++;
	if (!from_me || info->si_signo != s)
		n_strangers++;
	burn_us(300);
}

static bool can_catch(int s)
{
	return s != SIGKILL && s != SIGSTOP && (s < 32 || s >= SIGRTMIN);
}

static void install(int s)
{
	struct sigaction own = { .sa_sigaction = note, .sa_flags = SA_SIGINFO | flags };

	sigfillset(&own.sa_mask);
	EXPECT_INT(sigaction(s, &own, NULL), 0);
}

/* Signals that are sent to the process may be handled in this thread. main waits until all were seen. */
static void *work(void *unused)
{
	while (!stop)
		burn_us(500);
	return NULL;
}

static void wait_for(int s, int n_expected)
{
	for (int i = 0; i < 2000 && n_seen[s] < n_expected; i++)
		usleep(1000);
	EXPECT_MSG(n_seen[s] == n_expected, "signal %d: seen %d times, sent %d times", s, n_seen[s],
		n_expected);
}

/* Sends the signal by each call, one at a time, since a standard signal is not queued while another one is pending. */
static void send_one_by_one(int s, int *n_sent)
{
	raise(s);
	wait_for(s, ++*n_sent);
	kill(getpid(), s);
	wait_for(s, ++*n_sent);
	pthread_kill(pthread_self(), s);
	wait_for(s, ++*n_sent);
	sigqueue(getpid(), s, (union sigval){ .sival_int = s * 7 });
	wait_for(s, ++*n_sent);
	pthread_sigqueue(pthread_self(), s, (union sigval){ .sival_int = s * 7 });
	wait_for(s, ++*n_sent);
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	int n_sent[65] = { 0 };

	flags = argc > 1 && !strcmp(argv[1], "onstack") ? SA_ONSTACK : SA_RESTART;
	for (int s = 1; s <= 64; s++)
		if (can_catch(s))
			install(s);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int round = 0; round < N_ROUNDS; round++)
		for (int s = 1; s <= 64; s++)
			if (can_catch(s))
				send_one_by_one(s, &n_sent[s]);
	burn_ms(50);
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int s = 1; s <= 64; s++)
		EXPECT_MSG(n_seen[s] == n_sent[s], "signal %d: %d seen, %d sent", s, n_seen[s],
			n_sent[s]);
	EXPECT_INT(n_strangers, 0);
	return probe_end();
}
