// SPDX-License-Identifier: BSD-3-Clause
/* crew.h. What threads share is behind the crew's lock; a part is its thread's own while it is made. */
#include "reporter/reduce/crew.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/containers/index.h"
#include "reporter/load/ahead.h"

/* Each thread takes about 100 MB: so many stay below a gigabyte. */
#define DEFAULT_THREADS_MOST 8

/* A part, and its traces that could not be read. */
struct crew_part {
	bool is_made;  /* or has failed */
	bool is_empty; /* none of its traces could be read: it has no file */
	struct skipped {
		char *path, *why;
	} * skipped; /* (n_skipped) */
	uint32_t n_skipped, capacity;
};

struct ep_reduce_crew {
	const struct ep_reduce_parts *of;
	pthread_mutex_t lock;
	pthread_cond_t has_made;
	uint32_t n_begun;        /* parts, in their order */
	uint32_t n_told;         /* of them, whose skipped traces are told */
	struct crew_part *parts; /* (n_parts) */
	bool is_stopped;
	uint32_t first_failed; /* the part that err is of; rc 0: none */
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

/* Parts end in any order, and are told in that of the traces. Only the thread that makes the part comes here. */
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

/* A part of which no trace could be read is left out. */
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

/* False: no part is left to begin. */
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

/* The thread that merges makes parts in place of waiting. */
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
	n_started =
		start_threads(crew, n_threads - 1, threads); /* fewer where a limit forbids them */
	rc = ep_reduce_crew_merge(crew, err);
	for (uint32_t i = 0; i < n_started; i++) /* a part that was begun is made to its end */
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
