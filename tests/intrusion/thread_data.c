/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thread-specific data: enough keys are left for the program, destructors run as often as the standard says and in the
 * right order, and the thread can still work and be measured while they run.
 */
#include "probe.h"

#include <limits.h>

static pthread_key_t stubborn, keys[PTHREAD_KEYS_MAX];
static atomic_int n_stubborn;

static void refuse_to_go(void *value)
{
	n_stubborn++;
	burn_us(1500);
	pthread_setspecific(stubborn, value);
}

static void tell(void *value)
{
	printf("destroyed %s\n", (char *)value);
	burn_us(1500);
}

static int make_all_keys(void)
{
	int n_keys = 0;

	while (n_keys < PTHREAD_KEYS_MAX && !pthread_key_create(&keys[n_keys], NULL))
		n_keys++;
	return n_keys;
}

static void *use_keys(void *unused)
{
	pthread_setspecific(stubborn, &n_stubborn);
	pthread_setspecific(keys[0], "first");
	pthread_setspecific(keys[1], "second");
	burn_us(1500);
	return NULL;
}

static void *use_thread(void *unused)
{
	static __thread char many[40000];

	many[39999] = 1;
	burn_us(500);
	EXPECT_INT(many[0], 0);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int n_keys;

	EXPECT_INT(pthread_key_create(&stubborn, refuse_to_go), 0);
	EXPECT_INT(pthread_key_create(&keys[0], tell), 0);
	EXPECT_INT(pthread_key_create(&keys[1], tell), 0);
	for (int i = 0; i < 5; i++) {
		pthread_create(&thread, NULL, use_keys, NULL);
		pthread_join(thread, NULL);
	}
	EXPECT_INT(n_stubborn, 5 * PTHREAD_DESTRUCTOR_ITERATIONS);
	n_keys = make_all_keys();
	EXPECT_MSG(n_keys > PTHREAD_KEYS_MAX - 16, "only %d keys are left", n_keys);
	for (int i = 0; i < 5; i++) {
		EXPECT_INT(pthread_create(&thread, NULL, use_thread, NULL), 0);
		pthread_join(thread, NULL);
	}
	return probe_end();
}
