// SPDX-License-Identifier: BSD-3-Clause
/* Implements crew.h. The crew's lock protects the data that threads share; while a part is made, it belongs to the
 * thread that makes it. */
#include "reporter/reduce/crew.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/containers/index.h"
#include "reporter/load/ahead.h"

/* Each thread takes about 100 MB, so that 8 threads need less than a gigabyte. */
#define DEFAULT_THREADS_MOST 8

/* The state of a part, with its traces that could not be read. */
struct crew_part {
	bool is_made;  /* the part is made, or making it has failed */
	bool is_empty; /* no trace of the part could be read, so that it has no file */
	struct skipped {
		char *path, *why;
	} * skipped; /* (n_skipped) */
	uint32_t n_skipped, capacity;
};

struct ep_reduce_crew {
	const struct ep_reduce_parts *of;
	pthread_mutex_t lock;
	pthread_cond_t has_made;
	uint32_t n_begun; /* parts that were given out; they are given out in their order */
	/* number of parts, from the first on, whose skipped traces were reported */
	uint32_t n_told;
	struct crew_part *parts; /* (n_parts) */
	bool is_stopped;
	uint32_t first_failed; /* the first part that failed; not valid if rc is 0 */
	struct ep_error err;
	int rc;
};

bool ep_reduce_crew_begin(struct ep_reduce_crew *crew, uint32_t *out_part)
{
	bool is_begun;

	pthread_mutex_lock(&crew->lock);
	is_begun = !crew->is_stopped && !crew->rc && crew->n_begun < crew->of->n_parts;
	if (is_begun)
		*out_part = crew->n_begun++;
	pthread_mutex_unlock(&crew->lock);
	return is_begun;
}

static void forget(const struct skipped *skipped)
{
	free(skipped->path);
	free(skipped->why);
}

/* Keeps a skipped trace until all parts before have ended, since parts end in any order but skipped traces are
 * reported in the order of the traces. Only the thread that makes the part calls it. */
static void keep_skipped(void *context, const char *path, const char *why)
{
	struct crew_part *part = context;
	struct skipped skipped = { strdup(path), strdup(why) };

	if (!skipped.path || !skipped.why ||
		EP_ARRAY_RESERVE(part->skipped, part->n_skipped, part->capacity))
		forget(&skipped);
	else
		part->skipped[part->n_skipped++] = skipped;
}

void ep_reduce_crew_skip(
	struct ep_reduce_crew *crew, uint32_t part, const char *path, const char *why)
{
	keep_skipped(&crew->parts[part], path, why);
}

static void tell_skipped(const struct ep_reduce_skipper *to, struct crew_part *part)
{
	for (uint32_t i = 0; i < part->n_skipped; i++) {
		to->skip(to->context, part->skipped[i].path, part->skipped[i].why);
		forget(&part->skipped[i]);
	}
	free(part->skipped);
	part->n_skipped = 0;
}

/* Ends a part. -ENODATA is no failure: a part without a trace that could be read is left out. */
void ep_reduce_crew_end(
	struct ep_reduce_crew *crew, uint32_t part, int rc, const struct ep_error *err)
{
	pthread_mutex_lock(&crew->lock);
	crew->parts[part].is_made = true;
	crew->parts[part].is_empty = rc == -ENODATA;
	while (crew->n_told < crew->n_begun && crew->parts[crew->n_told].is_made)
		tell_skipped(&crew->of->job.skipper, &crew->parts[crew->n_told++]);
	if (rc && rc != -ENODATA && (!crew->rc || part < crew->first_failed)) {
		crew->rc = rc;
		crew->err = *err;
		crew->first_failed = part;
	}
	pthread_cond_broadcast(&crew->has_made);
	pthread_mutex_unlock(&crew->lock);
}

/* Makes the next part. False: no part is left to be begun. */
static bool make_next(struct ep_reduce_crew *crew)
{
	struct ep_reduce_skipper skipper = { .skip = keep_skipped };
	struct ep_error err;
	uint32_t part;
	int rc;

	if (!ep_reduce_crew_begin(crew, &part))
		return false;
	skipper.context = &crew->parts[part];
	rc = ep_reduce_parts_make(crew->of, part, &skipper, &err);
	ep_reduce_crew_end(crew, part, rc, &err);
	return true;
}

static void *work(void *context)
{
	while (make_next(context))
		;
	return NULL;
}

static bool is_made(struct ep_reduce_crew *crew, uint32_t part)
{
	bool answer;

	pthread_mutex_lock(&crew->lock);
	answer = crew->parts[part].is_made || crew->rc;
	pthread_mutex_unlock(&crew->lock);
	return answer;
}

/* Waits until a part is made. The thread that merges makes other parts in the meantime, as long as any is left. */
static int wait_for(void *context, uint32_t part, struct ep_error *err)
{
	struct ep_reduce_crew *crew = context;
	int rc;

	while (!is_made(crew, part) && make_next(crew))
		;
	pthread_mutex_lock(&crew->lock);
	while (!crew->parts[part].is_made && !crew->rc)
		pthread_cond_wait(&crew->has_made, &crew->lock);
	rc = crew->rc;
	if (rc)
		*err = crew->err;
	else if (crew->parts[part].is_empty)
		rc = 1;
	pthread_mutex_unlock(&crew->lock);
	return rc;
}

int ep_reduce_crew_merge(struct ep_reduce_crew *crew, struct ep_error *err)
{
	struct ep_reduce_waiter waiter = { wait_for, crew };
	int rc = ep_reduce_parts_merge(crew->of, &waiter, err);

	pthread_mutex_lock(&crew->lock);
	crew->is_stopped = true;
	pthread_mutex_unlock(&crew->lock);
	return rc;
}

struct ep_reduce_crew *ep_reduce_crew_create(const struct ep_reduce_parts *parts)
{
	struct ep_reduce_crew *crew = calloc(1, sizeof(*crew));

	if (!crew)
		return NULL;
	crew->of = parts;
	crew->parts = calloc(parts->n_parts + 1, sizeof(*crew->parts));
	if (!crew->parts) {
		free(crew);
		return NULL;
	}
	pthread_mutex_init(&crew->lock, NULL);
	pthread_cond_init(&crew->has_made, NULL);
	return crew;
}

void ep_reduce_crew_destroy(struct ep_reduce_crew *crew)
{
	if (!crew)
		return;
	pthread_cond_destroy(&crew->has_made);
	pthread_mutex_destroy(&crew->lock);
	free(crew->parts);
	free(crew);
}

static uint32_t start_threads(struct ep_reduce_crew *crew, uint32_t n, pthread_t *threads)
{
	uint32_t n_started = 0;

	while (n_started < n && !pthread_create(&threads[n_started], NULL, work, crew))
		n_started++;
	return n_started;
}

static int run_threads(
	const struct ep_reduce_parts *parts, uint32_t n_threads, struct ep_error *err)
{
	struct ep_reduce_crew *crew = ep_reduce_crew_create(parts);
	pthread_t threads[EP_THREADS_MOST];
	uint32_t n_started;
	int rc;

	if (!crew)
		return ep_fail(err, -ENOMEM, "out of memory");
	/* n_started is less than asked for if a limit forbids more threads; the threads that run make all parts */
	n_started = start_threads(crew, n_threads - 1, threads);
	rc = ep_reduce_crew_merge(crew, err);
	for (uint32_t i = 0; i < n_started; i++) /* each thread ends the part that it has begun */
		pthread_join(threads[i], NULL);
	ep_reduce_crew_destroy(crew);
	return ep_reduce_parts_end(parts, rc, err);
}

int ep_reduce_parts_run(
	const struct ep_reduce_parts *parts, uint32_t n_threads, struct ep_error *err)
{
	if (parts->n_parts < 2)
		return ep_reduce(&parts->job, err);
	n_threads = n_threads ? n_threads : ep_threads_allowed(DEFAULT_THREADS_MOST);
	n_threads = n_threads < parts->n_parts ? n_threads : parts->n_parts;
	n_threads = n_threads < EP_THREADS_MOST ? n_threads : EP_THREADS_MOST;
	return run_threads(parts, n_threads, err);
}
