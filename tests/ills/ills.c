// SPDX-License-Identifier: BSD-3-Clause
/* Eight known ills that need no simulated cache, or more than that, to be seen, each in a procedure of its own, and
 * repaired in the same procedure by another argument. Usage: ills NAME ill|repaired [TIMES]. */
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define N_THREADS 2
#define LINE_BYTES 64
#define PAGE_BYTES 4096

static bool is_repaired;
static int n_times = 1;
static volatile double sink;

static void run_threads(void *(*work)(void *))
{
	pthread_t threads[N_THREADS];

	for (intptr_t i = 0; i < N_THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)i))
			exit(3);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* ---- false sharing: threads count in one line of the cache; repaired: a line each ---- */

alignas(LINE_BYTES) static volatile long counters[N_THREADS * LINE_BYTES / sizeof(long)];

__attribute__((noinline)) static void count_up(volatile long *counter, long n)
{
	for (long i = 0; i < n; i++) /* loop: false_sharing */
		*counter += 1;
}

static void *count_thread(void *number)
{
	size_t step = is_repaired ? LINE_BYTES / sizeof(long) : 1;

	count_up(&counters[(size_t)number * step], 1000000L * n_times);
	return NULL;
}

static void false_sharing(void)
{
	run_threads(count_thread);
}

/* ---- store-to-load stalls: a wide load of two narrow stores; repaired: the halves are joined in registers ---- */

__attribute__((noinline)) static uint64_t join_halves(volatile uint32_t halves[2], uint32_t n)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++) { /* loop: store_to_load */
		halves[0] = i;
		halves[1] = (uint32_t)sum;
		if (is_repaired)
			sum += (uint64_t)halves[1] << 32 | halves[0];
		else
			sum += *(volatile uint64_t *)halves;
	}
	return sum;
}

static void store_to_load(void)
{
	alignas(8) volatile uint32_t halves[2];

	sink = (double)join_halves(halves, 1000000);
}

/* ---- a chain of divisions; repaired: one division, then products ---- */

__attribute__((noinline)) static double divide_down(double x, double divisor, unsigned n)
{
	double factor = 1 / divisor;

	if (is_repaired)
		for (unsigned i = 0; i < n; i++) /* loop: divide_chain repaired */
			x *= factor;
	else
		for (unsigned i = 0; i < n; i++) /* loop: divide_chain */
			x /= divisor;
	return x;
}

static void divide_chain(void)
{
	sink = divide_down(1e300, 1.0000001, 24000000);
}

/* ---- a gather: elements anywhere in a large array; repaired: in the array's own order ---- */

#define N_ELEMENTS (1u << 18)

__attribute__((noinline)) static double sum_indexed(
	const double *values, const uint32_t *index, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++) /* loop: gather */
		sum += values[index[i]];
	return sum;
}

static void gather(void)
{
	double *values = calloc(N_ELEMENTS, sizeof(*values));
	uint32_t *index = calloc(N_ELEMENTS, sizeof(*index));

	for (uint32_t i = 0; index && i < N_ELEMENTS; i++) /* an odd factor: each element once */
		index[i] = is_repaired ? i : i * 2654435761u % N_ELEMENTS;
	for (int i = 0; values && index && i < 4; i++)
		sink = sum_indexed(values, index, N_ELEMENTS);
	free(values);
	free(index);
}

#define SHARE 3000000 /* milliseconds */

/* ---- imbalance: one thread has nearly all of the work; repaired: as much as the other ---- */

__attribute__((noinline)) static double do_share(unsigned n)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++) { /* loop: share */
		sum += i;
		__asm__ volatile(
			""
			: "+m"(sum)); /* an addition that is stored, in turns of the same length */
	}
	return sum;
}

static void *share_thread(void *number)
{
	const unsigned all = 40 * SHARE, most = 36 * SHARE;

	for (int i = 0; i < n_times; i++)
		sink = do_share(is_repaired ? all / 2 : number ? most : all - most);
	return NULL;
}

static void imbalance(void)
{
	run_threads(share_thread);
}

/* ---- page faults: memory mapped anew for each turn; repaired: once ---- */

#define N_PAGES 512

static unsigned char *map_pages(void)
{
	unsigned char *pages = mmap(NULL, (size_t)N_PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		exit(3);
	madvise(pages, (size_t)N_PAGES * PAGE_BYTES, MADV_NOHUGEPAGE);
	return pages;
}

__attribute__((noinline)) static void fill_pages(unsigned char *pages, unsigned turn)
{
	for (unsigned i = 0; i < N_PAGES; i++) /* loop: page_faults */
		pages[(size_t)i * PAGE_BYTES] = (unsigned char)turn;
}

static void page_faults(void)
{
	unsigned char *pages = map_pages();

	for (unsigned turn = 0; turn < 400; turn++) {
		fill_pages(pages, turn);
		if (!is_repaired) {
			munmap(pages, (size_t)N_PAGES * PAGE_BYTES);
			pages = map_pages();
		}
	}
	munmap(pages, (size_t)N_PAGES * PAGE_BYTES);
}

/* ---- denormals: numbers that decay below the smallest normal one; repaired: they stay above it ---- */

__attribute__((noinline)) static double damp(double *x, unsigned n, double start, unsigned n_rounds)
{
	for (unsigned i = 0; i < n; i++)
		x[i] = start;
	for (unsigned round = 0; round < n_rounds; round++)
		for (unsigned i = 0; i < n; i++) /* loop: denormals */
			x[i] = x[i] * 0.5 + start * 0.5;
	return x[n - 1];
}

static void denormals(void)
{
	static double x[1024];

	sink = damp(x, 1024, is_repaired ? 1e-200 : 1e-310, 1000);
}

/* ---- a lock convoy: all work in the lock; repaired: only what is shared ---- */

#define N_TURNS 20

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int tids[N_THREADS]; /* 0: it has not begun */
static atomic_bool is_other_done;
static double total;

static bool does_sleep(int tid)
{
	char path[64], text[256] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	return strstr(text, ") S ") != NULL;
}

/* The holder computes once the other thread sleeps, which it does at the lock alone, or has done all its turns:
 * they meet however the machine lets them run. */
static void wait_for_other(int number)
{
	for (;;) {
		int tid = atomic_load(&tids[1 - number]);

		if (atomic_load(&is_other_done) || (tid && does_sleep(tid)))
			return;
		usleep(200);
	}
}

__attribute__((noinline)) static void add_shares(int number)
{
	for (int i = 0; i < N_TURNS * n_times; i++) { /* loop: lock_convoy */
		double share = is_repaired ? do_share(SHARE) : 0;

		pthread_mutex_lock(&lock);
		if (!is_repaired) {
			wait_for_other(number);
			share = do_share(SHARE);
		}
		total += share;
		pthread_mutex_unlock(&lock);
	}
}

static void *add_thread(void *number)
{
	atomic_store(&tids[(intptr_t)number], gettid());
	add_shares((int)(intptr_t)number);
	atomic_store(&is_other_done, true);
	return NULL;
}

static void lock_convoy(void)
{
	run_threads(add_thread);
}

static const struct {
	const char *name;
	void (*run)(void);
	bool has_threads; /* which do it several times themselves */
} ills[] = {
	{ "false_sharing", false_sharing, true },
	{ "store_to_load", store_to_load, false },
	{ "divide_chain", divide_chain, false },
	{ "gather", gather, false },
	{ "imbalance", imbalance, true },
	{ "page_faults", page_faults, false },
	{ "denormals", denormals, false },
	{ "lock_convoy", lock_convoy, true },
};

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	n_times = argc == 4 ? atoi(argv[3]) : 1;
	is_repaired = !strcmp(argv[2], "repaired");
	for (size_t i = 0; i < sizeof(ills) / sizeof(ills[0]); i++)
		if (!strcmp(ills[i].name, argv[1])) {
			for (int k = 0; k < (ills[i].has_threads ? 1 : n_times); k++)
				ills[i].run();
			return 0;
		}
	return 2;
}
