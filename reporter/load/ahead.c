// SPDX-License-Identifier: BSD-3-Clause
/* Implements ahead.h with a ring of chunks. Worker threads take turns in reading the next chunk of the files,
 * then inflate their chunks in parallel; the user's thread gets the chunks in the order of the files. */
#include "reporter/load/ahead.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reporter/load/chunk_private.h"

/* From this total size of the traces on, a further thread saves more time than it takes to start it. */
#define WORTH_BYTES (512 << 10)
/* One worker inflates slices five times as fast as the user's thread adds them up, so that more workers would
 * only wait. */
#define DEFAULT_THREADS_MOST 2

struct ep_ahead {
	/* Protects all members up to is_all_read: only the worker that holds this lock reads files. */
	pthread_mutex_t reading;
	const char *const *paths; /* files that are not open yet, the next one first */
	struct ep_trace_file file;
	uint64_t at;  /* the offset in the file at which the next chunk begins */
	size_t n_cut; /* bytes at the end of the last chunk that belong to the next chunk */
	uint8_t cut[EP_AHEAD_RAW_BYTES];
	bool is_all_read;

	pthread_mutex_t lock; /* protects all members below, and is_ready of the chunks */
	pthread_cond_t has_room, has_ready;
	/* how many chunks were begun by workers, and how many the user has finished with */
	uint64_t n_begun, n_used;
	bool is_stopped;
	struct ahead_chunk **ring; /* (n_ring) chunks that are used again and again */
	uint32_t n_ring;

	struct ahead_chunk *current; /* the chunk that the user has */
	/* the bytes of the current chunk were not given to the user yet */
	bool is_unread;
	pthread_t threads[EP_THREADS_MOST];
	uint32_t n_threads;
};

/* ---- reading: by the worker that holds the lock "reading" ---- */

static int open_next(struct ep_ahead *ahead, struct ahead_chunk *chunk)
{
	ahead->at = 0;
	return ep_trace_file_open(*ahead->paths++, &ahead->file, &chunk->err);
}

static int fill(struct ep_ahead *ahead, struct ahead_chunk *chunk)
{
	int rc;

	chunk->start_at = ahead->at;
	chunk->size = ahead->n_cut;
	memcpy(chunk->raw, ahead->cut, ahead->n_cut);
	rc = ep_trace_file_read(ahead->file.fd, chunk->raw, sizeof(chunk->raw), &chunk->size);
	if (rc < 0)
		return rc;
	chunk->at_eof = !rc;
	return 0;
}

static void cut_off(struct ep_ahead *ahead, struct ahead_chunk *chunk, size_t end)
{
	bool more;

	/* A member that is cut off by the end of the file is not kept for a next chunk, since none comes. */
	if (chunk->at_eof && !ep_member_size(chunk->raw + end, chunk->size - end, &more))
		end = chunk->size;
	ahead->n_cut = chunk->size - end;
	memcpy(ahead->cut, chunk->raw + end, ahead->n_cut);
	chunk->size = end;
	chunk->at_eof &= !ahead->n_cut;
	ahead->at += end;
}

static void close_file(struct ep_ahead *ahead)
{
	if (ahead->file.fd >= 0)
		close(ahead->file.fd);
	ahead->file.fd = -1;
}

static void read_chunk(struct ep_ahead *ahead, struct ahead_chunk *chunk)
{
	if (ahead->file.fd < 0)
		chunk->rc = open_next(ahead, chunk);
	chunk->file = ahead->file;
	chunk->file.fd = -1;
	if (!chunk->rc)
		chunk->rc = fill(ahead, chunk);
	if (!chunk->rc)
		cut_off(ahead, chunk, ep_chunk_find_members(chunk));
	if (chunk->rc || chunk->at_eof)
		close_file(ahead);
	ahead->is_all_read = chunk->rc || (chunk->at_eof && !*ahead->paths);
}

/* ---- workers ---- */

/* Returns the next free chunk; NULL: the user has stopped the workers. */
static struct ahead_chunk *wait_for_room(struct ep_ahead *ahead)
{
	struct ahead_chunk *chunk = NULL;

	pthread_mutex_lock(&ahead->lock);
	while (!ahead->is_stopped && ahead->n_begun - ahead->n_used >= ahead->n_ring)
		pthread_cond_wait(&ahead->has_room, &ahead->lock);
	if (!ahead->is_stopped)
		chunk = ahead->ring[ahead->n_begun++ % ahead->n_ring];
	pthread_mutex_unlock(&ahead->lock);
	return chunk;
}

/* Reads the next chunk; NULL: all files are read, or the user has stopped the workers. */
static struct ahead_chunk *next_read(struct ep_ahead *ahead)
{
	struct ahead_chunk *chunk = NULL;

	pthread_mutex_lock(&ahead->reading);
	if (!ahead->is_all_read)
		chunk = wait_for_room(ahead);
	if (chunk)
		read_chunk(ahead, chunk);
	pthread_mutex_unlock(&ahead->reading);
	return chunk;
}

static void give(struct ep_ahead *ahead, struct ahead_chunk *chunk)
{
	pthread_mutex_lock(&ahead->lock);
	chunk->is_ready = true;
	pthread_cond_signal(&ahead->has_ready);
	pthread_mutex_unlock(&ahead->lock);
}

/* Runs on each worker. If a worker has no memory for an inflater, the user's thread inflates the members that
 * the worker has read. */
static void *work(void *context)
{
	struct ep_ahead *ahead = context;
	struct ep_inflater *inflater = ep_inflater_create();
	struct ahead_chunk *chunk;

	while ((chunk = next_read(ahead))) {
		if (inflater)
			ep_chunk_inflate(chunk, inflater);
		else
			chunk->n_members = 0;
		give(ahead, chunk);
	}
	ep_inflater_destroy(inflater);
	return NULL;
}

/* ---- beginning and end ---- */

static bool is_worth_it(const char *const *paths)
{
	uint64_t size = 0;
	struct stat st;

	for (; *paths; paths++) {
		if (!strcmp(*paths, "-") || stat(*paths, &st) || !S_ISREG(st.st_mode))
			return false;
		size += (uint64_t)st.st_size;
	}
	return size >= WORTH_BYTES;
}

uint32_t ep_threads_allowed(uint32_t most)
{
	cpu_set_t cpus;
	long n = sched_getaffinity(0, sizeof(cpus), &cpus) ? sysconf(_SC_NPROCESSORS_ONLN)
							   : CPU_COUNT(&cpus);

	if (n < 1)
		return 1;
	return n < most ? (uint32_t)n : most;
}

static int make_ring(struct ep_ahead *ahead, uint32_t n)
{
	ahead->ring = calloc(n, sizeof(struct ahead_chunk *));
	for (; ahead->ring && ahead->n_ring < n; ahead->n_ring++) {
		struct ahead_chunk *chunk = malloc(sizeof(*chunk));

		if (!chunk)
			return -ENOMEM;
		memset(chunk, 0, offsetof(struct ahead_chunk, raw));
		ahead->ring[ahead->n_ring] = chunk;
	}
	return ahead->ring ? 0 : -ENOMEM;
}

static void start_threads(struct ep_ahead *ahead, uint32_t n)
{
	while (ahead->n_threads < n &&
		!pthread_create(&ahead->threads[ahead->n_threads], NULL, work, ahead))
		ahead->n_threads++;
}

int ep_ahead_create(const char *const *paths, uint32_t n_threads, struct ep_ahead **out_ahead)
{
	struct ep_ahead *ahead;

	*out_ahead = NULL;
	n_threads = n_threads ? n_threads : ep_threads_allowed(DEFAULT_THREADS_MOST);
	n_threads = n_threads < EP_THREADS_MOST ? n_threads : EP_THREADS_MOST;
	if (n_threads < 2 || !is_worth_it(paths))
		return 0;
	ahead = calloc(1, sizeof(*ahead));
	if (!ahead)
		return -ENOMEM;
	ahead->paths = paths;
	ahead->file.fd = -1;
	pthread_mutex_init(&ahead->reading, NULL);
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->has_room, NULL);
	pthread_cond_init(&ahead->has_ready, NULL);
	if (make_ring(ahead, 2 * n_threads)) {
		ep_ahead_destroy(ahead);
		return -ENOMEM;
	}
	start_threads(ahead, n_threads - 1);
	/* If no thread could be started, the user's thread does all the work. */
	if (!ahead->n_threads) {
		ep_ahead_destroy(ahead);
		return 0;
	}
	*out_ahead = ahead;
	return 0;
}

static void stop(struct ep_ahead *ahead)
{
	pthread_mutex_lock(&ahead->lock);
	ahead->is_stopped = true;
	pthread_cond_broadcast(&ahead->has_room);
	pthread_mutex_unlock(&ahead->lock);
	for (uint32_t i = 0; i < ahead->n_threads; i++)
		pthread_join(ahead->threads[i], NULL);
}

void ep_ahead_destroy(struct ep_ahead *ahead)
{
	if (!ahead)
		return;
	stop(ahead);
	close_file(ahead);
	for (uint32_t i = 0; i < ahead->n_ring; i++)
		ep_chunk_destroy(ahead->ring[i]);
	free(ahead->ring);
	pthread_cond_destroy(&ahead->has_room);
	pthread_cond_destroy(&ahead->has_ready);
	pthread_mutex_destroy(&ahead->reading);
	pthread_mutex_destroy(&ahead->lock);
	free(ahead);
}

/* ---- the user ---- */

static void give_back(struct ep_ahead *ahead)
{
	if (!ahead->current)
		return;
	ep_chunk_clear(ahead->current);
	pthread_mutex_lock(&ahead->lock);
	ahead->n_used++;
	pthread_cond_signal(&ahead->has_room);
	pthread_mutex_unlock(&ahead->lock);
	ahead->current = NULL;
}

static void wait_for_next(struct ep_ahead *ahead)
{
	struct ahead_chunk *next;

	give_back(ahead);
	next = ahead->ring[ahead->n_used % ahead->n_ring];
	pthread_mutex_lock(&ahead->lock);
	while (!next->is_ready)
		pthread_cond_wait(&ahead->has_ready, &ahead->lock);
	pthread_mutex_unlock(&ahead->lock);
	ahead->current = next;
	ahead->is_unread = true;
}

int ep_ahead_open(struct ep_ahead *ahead, struct ep_trace_file *out_file, struct ep_error *err)
{
	wait_for_next(ahead);
	if (ahead->current->err.message[0]) { /* the file could not be opened, and reading ends */
		*err = ahead->current->err;
		return ahead->current->rc;
	}
	*out_file = ahead->current->file;
	return 0;
}

int ep_ahead_next(struct ep_ahead *ahead, struct ep_ahead_bytes *out_bytes)
{
	const struct ahead_chunk *chunk;

	if (!ahead->is_unread)
		wait_for_next(ahead);
	ahead->is_unread = false;
	chunk = ahead->current;
	if (chunk->rc)
		return chunk->rc;
	*out_bytes = (struct ep_ahead_bytes){ chunk->raw, chunk->size, chunk->at_eof };
	return 0;
}

const struct ep_ahead_member *ep_ahead_member_at(struct ep_ahead *ahead, uint64_t at)
{
	struct ahead_chunk *chunk = ahead->current;
	const struct chunk_member *member;

	while (chunk->n_passed < chunk->n_members &&
		chunk->start_at + chunk->members[chunk->n_passed].at < at)
		chunk->n_passed++;
	if (chunk->n_passed == chunk->n_members)
		return NULL;
	member = &chunk->members[chunk->n_passed];
	return chunk->start_at + member->at == at ? &member->content : NULL;
}
