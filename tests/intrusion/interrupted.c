/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program without signal handlers must never see EINTR, and every wait must last as long as asked for. The waits are
 * short and come between short pieces of work, so that slices end inside of waits.
 */
#include "probe.h"

#include <linux/futex.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>

enum { N_ROUNDS = 250, N_THREADS = 4, WAIT_NS = 200000 };

static __thread int epoll_fd, socket_fd, pipe_fds[2];
static __thread sem_t semaphore;
static __thread int sem_id, queue_id;

static struct timespec deadline(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += WAIT_NS;
	if (t.tv_nsec >= 1000000000) {
		t.tv_sec++;
		t.tv_nsec -= 1000000000;
	}
	return t;
}

static void with_nanosleep(void)
{
	struct timespec wait = { 0, WAIT_NS };

	EXPECT_INT(nanosleep(&wait, NULL), 0);
	EXPECT_INT(clock_nanosleep(CLOCK_MONOTONIC, 0, &wait, NULL), 0);
	wait = deadline(CLOCK_MONOTONIC);
	EXPECT_INT(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wait, NULL), 0);
	EXPECT_INT(usleep(200), 0);
}

static void with_poll(void)
{
	struct pollfd own = { .fd = socket_fd, .events = POLLIN };
	struct timespec wait = { 0, WAIT_NS };

	EXPECT_INT(poll(&own, 1, 1), 0);
	EXPECT_INT(ppoll(&own, 1, &wait, NULL), 0);
}

static void with_select(void)
{
	struct timeval wait = { 0, WAIT_NS / 1000 };
	struct timespec precise = { 0, WAIT_NS };

	EXPECT_INT(select(0, NULL, NULL, NULL, &wait), 0);
	EXPECT_INT(pselect(0, NULL, NULL, NULL, &precise, NULL), 0);
}

static void with_epoll(void)
{
	struct epoll_event event;

	EXPECT_INT(epoll_wait(epoll_fd, &event, 1, 1), 0);
}

static void with_semaphores(void)
{
	struct timespec until = deadline(CLOCK_REALTIME), wait = { 0, WAIT_NS };
	struct sembuf take = { 0, -1, 0 };

	EXPECT_INT(sem_timedwait(&semaphore, &until), -1);
	EXPECT_INT(errno, ETIMEDOUT);
	EXPECT_INT(semtimedop(sem_id, &take, 1, &wait), -1);
	EXPECT_INT(errno, EAGAIN);
}

static void with_futex(void)
{
	struct timespec wait = { 0, WAIT_NS };
	int word = 1;

	EXPECT_INT(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, &wait, NULL, 0), -1);
	EXPECT_INT(errno, ETIMEDOUT);
}

/* If a socket has a time-out, the kernel does not restart an interrupted call, even with SA_RESTART. */
static void with_sockets(void)
{
	char byte;

	EXPECT_INT(recv(socket_fd, &byte, 1, 0), -1);
	EXPECT_INT(errno, EAGAIN);
}

static void with_pipe(void)
{
	char byte = 1;

	EXPECT_INT(write(pipe_fds[1], &byte, 1), 1);
	EXPECT_INT(read(pipe_fds[0], &byte, 1), 1);
}

static void with_queue(void)
{
	struct {
		long type;
		char text[8];
	} message = { 1, "" };

	EXPECT_INT(msgsnd(queue_id, &message, 8, 0), 0);
	EXPECT_INT(msgrcv(queue_id, &message, 8, 0, 0), 8);
}

static void with_sigwait(void)
{
	struct timespec wait = { 0, WAIT_NS };
	sigset_t usr1;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	EXPECT_INT(sigtimedwait(&usr1, NULL, &wait), -1);
	EXPECT_INT(errno, EAGAIN);
}

static void open_all(void)
{
	struct timeval wait = { 0, WAIT_NS / 1000 };
	int pair[2];

	EXPECT_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	socket_fd = pair[0];
	setsockopt(socket_fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	EXPECT_INT(pipe(pipe_fds), 0);
	epoll_fd = epoll_create1(0);
	sem_init(&semaphore, 0, 0);
	sem_id = semget(IPC_PRIVATE, 1, 0600);
	queue_id = msgget(IPC_PRIVATE, 0600);
}

static void *wait_and_work(void *unused)
{
	static void (*const ways[])(void) = { with_nanosleep, with_poll, with_select, with_epoll,
		with_semaphores, with_futex, with_sockets, with_pipe, with_queue, with_sigwait };

	open_all();
	for (int i = 0; i < N_ROUNDS; i++)
		for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++) {
			burn_us(20 + (i * 31 + w * 7) % 90);
			ways[w]();
		}
	semctl(sem_id, 0, IPC_RMID);
	msgctl(queue_id, IPC_RMID, NULL);
	return NULL;
}

int main(void)
{
	pthread_t threads[N_THREADS];

	for (int i = 0; i < N_THREADS; i++)
		pthread_create(&threads[i], NULL, wait_and_work, NULL);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	EXPECT_INT(sleep(1), 0);
	return probe_end();
}
