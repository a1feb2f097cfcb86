/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C++ programs: exceptions through many frames in several threads, forced unwinding by pthread_cancel and
 * pthread_exit, thread_local and static destructors, and their order.
 */
#include <atomic>
#include <cstdio>
#include <exception>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

static std::atomic<int> n_destroyed, n_caught;

static void burn_us(long cpu_us)
{
	timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	long end = now.tv_sec * 1000000 + now.tv_nsec / 1000 + cpu_us;
	while (now.tv_sec * 1000000 + now.tv_nsec / 1000 < end)
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
}

struct counted {
	~counted()
	{
		n_destroyed++;
	}
};

struct talkative {
	const char *name;
	~talkative()
	{
		burn_us(2000);
		std::printf("%s destroyed\n", name);
	}
};

static talkative static_one{ "static" };
static thread_local talkative thread_one{ "thread_local" };

__attribute__((noinline)) static void descend(int n_levels)
{
	counted local;
	if (n_levels == 0) {
		burn_us(20);
		throw std::runtime_error("deep");
	}
	descend(n_levels - 1);
	asm volatile("");
}

static void throw_often()
{
	for (int i = 0; i < 3000; i++) {
		try {
			descend(50);
		} catch (const std::exception &e) {
			n_caught += e.what()[0] == 'd';
		}
	}
}

static void rethrow()
{
	std::exception_ptr kept;
	try {
		descend(5);
	} catch (...) {
		kept = std::current_exception();
	}
	std::thread([kept] {
		try {
			std::rethrow_exception(kept);
		} catch (const std::runtime_error &) {
			n_caught++;
		}
	}).join();
}

__attribute__((noinline)) static void hold(int n_levels)
{
	counted local;
	if (n_levels > 0)
		hold(n_levels - 1);
	for (;;) {
		burn_us(100);
		pthread_testcancel();
	}
}

static void *be_cancelled(void *)
{
	hold(10);
	return nullptr;
}

static void *leave(void *)
{
	counted local;
	burn_us(1000);
	pthread_exit(nullptr);
}

static void unwind_by_force()
{
	for (int i = 0; i < 100; i++) {
		pthread_t thread;
		void *result;
		pthread_create(&thread, nullptr, i % 2 ? be_cancelled : leave, nullptr);
		usleep(i % 7 * 500);
		if (i % 2)
			pthread_cancel(thread);
		pthread_join(thread, &result);
		if ((result == PTHREAD_CANCELED) != (i % 2 == 1))
			std::printf("thread %d ended wrongly\n", i);
	}
}

int main()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 4; i++)
		threads.emplace_back(throw_often);
	for (auto &thread : threads)
		thread.join();
	rethrow();
	unwind_by_force();
	std::thread([] { std::printf("%s\n", thread_one.name); }).join();
	std::printf("%s, caught %d, destroyed %d\n", thread_one.name, n_caught.load(),
		n_destroyed.load());
	return 0;
}
