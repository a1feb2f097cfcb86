// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/reduce/parts.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "reporter/fill/fill_choose.h"
#include "reporter/symbolize/namer.h"

/* This number of parts keeps some dozens of processes busy. When a process dies, the work on its current part is lost,
 * so parts must not be large. */
#define N_PARTS 64
#define LEAST_BYTES                                                                                \
	(16u << 20) /* read in seconds; a part's names and call paths take a third of a second */
#define MOST_BYTES (64u << 20)
#define NAP_MS 100
#define PATIENCE_MS 65000

static uint64_t part_bytes(const struct ep_reduce_parts *parts)
{
	const struct ep_reduce_inputs *inputs = &parts->inputs;
	uint64_t bytes = 0;

	if (parts->job.part_bytes)
		return parts->job.part_bytes;
	for (uint32_t i = 0; i < inputs->n; i++)
		bytes += inputs->sizes_bytes[i];
	bytes = bytes / N_PARTS + 1;
	if (bytes < LEAST_BYTES)
		return LEAST_BYTES;
	return bytes < MOST_BYTES ? bytes : MOST_BYTES;
}

static int divide(struct ep_reduce_parts *parts)
{
	const struct ep_reduce_inputs *inputs = &parts->inputs;
	uint64_t most = inputs->has_pipe ? UINT64_MAX : part_bytes(parts), bytes = 0;

	parts->firsts = calloc(inputs->n + 2, sizeof(*parts->firsts));
	parts->hashes = calloc(inputs->n + 2, sizeof(*parts->hashes));
	parts->paths = calloc(inputs->n + 2, sizeof(*parts->paths));
	if (!parts->firsts || !parts->hashes || !parts->paths)
		return -ENOMEM;
	for (uint32_t i = 0; i < inputs->n; i++) {
		if (!i || bytes >= most) {
			parts->firsts[parts->n_parts++] = i;
			bytes = 0;
		}
		bytes += inputs->sizes_bytes[i];
	}
	parts->firsts[parts->n_parts] = inputs->n;
	return 0;
}

/* Returns a hash of what a part is made of. It differs if the part has other traces, another estimator, or programs
 * from another sysroot. */
static uint64_t hash_of(const struct ep_reduce_parts *parts, uint32_t part)
{
	const char *filler = parts->job.filler->name;
	const char *sysroot = parts->job.sysroot ? parts->job.sysroot : "";
	uint64_t hash = ep_hash_bytes(0, filler, strlen(filler));
	struct stat st;

	hash = ep_hash_bytes(hash, sysroot, strlen(sysroot));
	hash = ep_hash_mix(hash, parts->origin.birth_ns);
	for (uint32_t i = parts->firsts[part]; i < parts->firsts[part + 1]; i++) {
		const char *path = parts->inputs.paths[i];

		hash = ep_hash_bytes(hash, path, strlen(path));
		if (stat(path, &st))
			continue;
		hash = ep_hash_mix(hash, (uint64_t)st.st_size);
		hash = ep_hash_mix(hash,
			(uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec);
	}
	return hash;
}

static void forget_names(struct ep_reduce_parts *parts)
{
	for (uint32_t i = 0; parts->paths && i < parts->n_parts; i++) {
		free(parts->paths[i]);
		parts->paths[i] = NULL;
	}
}

int ep_reduce_parts_name(struct ep_reduce_parts *parts)
{
	forget_names(parts);
	for (uint32_t i = 0; i < parts->n_parts; i++)
		if (asprintf(&parts->paths[i], "%s/%05" PRIu32 "-%016" PRIx64 ".gz", parts->folder,
			    i, parts->hashes[i]) < 0) {
			parts->paths[i] = NULL;
			return -ENOMEM;
		}
	return 0;
}

static int name_all(struct ep_reduce_parts *parts)
{
	if (asprintf(&parts->folder, "%s.parts", parts->job.output) < 0) {
		parts->folder = NULL;
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < parts->n_parts; i++)
		parts->hashes[i] = hash_of(parts, i);
	return ep_reduce_parts_name(parts);
}

/* Takes the clock and the name of the run from the first trace that can be read. */
static int find_origin(struct ep_reduce_parts *parts)
{
	const struct ep_load_options options = {
		.filler = &ep_filler_fixed, .skip_samples = true, .n_threads = 1
	};
	struct ep_error err;

	for (uint32_t i = 0; i < parts->inputs.n; i++) {
		struct ep_trace *trace;

		if (ep_trace_load(parts->inputs.paths[i], &options, &trace, &err))
			continue;
		parts->origin = trace->origin;
		parts->run = trace->origin.run ? strdup(trace->origin.run) : NULL;
		parts->origin.run = parts->run;
		ep_trace_destroy(trace);
		return parts->run || !parts->origin.birth_ns ? 0 : -ENOMEM;
	}
	return 0;
}

/* Sets up what all parts share: the clock and the names of procedures. */
static int share(struct ep_reduce_parts *parts)
{
	struct ep_symbols_options where;

	if (find_origin(parts))
		return -ENOMEM;
	where = ep_namer_options(parts->job.sysroot, parts->origin.realtime_ns);
	parts->job.names = ep_shared_names_create(&where);
	if (parts->run)
		parts->job.origin = &parts->origin;
	return parts->job.names ? 0 : -ENOMEM;
}

int ep_reduce_parts_init(struct ep_reduce_parts *parts, const char *const *names,
	const struct ep_reduce_job *job, struct ep_error *err)
{
	int rc;

	*parts = (struct ep_reduce_parts){ .job = *job };
	rc = ep_reduce_inputs_find(names, job->output, &parts->inputs, err);
	if (rc)
		return rc;
	parts->job.paths = (const char *const *)parts->inputs.paths;
	if (!parts->job.filler)
		parts->job.filler = ep_filler_default(parts->job.paths).filler;
	if (divide(parts) || (parts->n_parts > 1 && share(parts)) || name_all(parts))
		return ep_fail(err, -ENOMEM, "out of memory");
	return 0;
}

void ep_reduce_parts_finish(struct ep_reduce_parts *parts)
{
	forget_names(parts);
	free(parts->paths);
	free(parts->hashes);
	free(parts->firsts);
	free(parts->folder);
	free(parts->run);
	ep_shared_names_destroy(parts->job.names);
	ep_reduce_inputs_finish(&parts->inputs);
	*parts = (struct ep_reduce_parts){ 0 };
}

static bool is_there(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && st.st_size;
}

int ep_reduce_parts_make(const struct ep_reduce_parts *parts, uint32_t part,
	const struct ep_reduce_skipper *skipper, struct ep_error *err)
{
	uint32_t first = parts->firsts[part], n = parts->firsts[part + 1] - first;
	EP_AUTOFREE const char **paths = calloc(n + 1, sizeof(*paths));
	struct ep_reduce_job job = parts->job;

	if (!paths)
		return ep_fail(err, -ENOMEM, "out of memory");
	if (is_there(parts->paths[part]))
		return 0;
	if (mkdir(parts->folder, 0777) && errno != EEXIST)
		return ep_fail_at(err, -errno, (struct ep_place){ .file = parts->folder },
			"cannot make the folder: %s", strerror(errno));
	memcpy(paths, parts->inputs.paths + first, n * sizeof(*paths));
	job.paths = paths;
	job.output = parts->paths[part];
	job.n_threads = 1; /* one thread reads a part, since other threads make other parts */
	if (skipper)
		job.skipper = *skipper;
	return ep_reduce(&job, err);
}

static bool ends_with(const char *text, const char *end)
{
	size_t size = strlen(text), size_end = strlen(end);

	return size >= size_end && !strcmp(text + size - size_end, end);
}

/* Removes files NAME.PID.part, which a reducer began and did not finish since it was killed. The folder is read,
 * because glob would take special characters in the folder's name as a pattern. */
static void remove_begun(const char *folder, const char *path)
{
	const char *name = ep_base_name(path);
	DIR *entries = opendir(folder);
	const struct dirent *entry;

	while (entries && (entry = readdir(entries)))
		if (!strncmp(entry->d_name, name, strlen(name)) &&
			entry->d_name[strlen(name)] == '.' && ends_with(entry->d_name, ".part"))
			unlinkat(dirfd(entries), entry->d_name, 0);
	if (entries)
		closedir(entries);
}

/* Removes the files of this job's parts, and the folder unless it has files of another call. */
static void remove_parts(const struct ep_reduce_parts *parts)
{
	for (uint32_t i = 0; i < parts->n_parts; i++) {
		remove(parts->paths[i]);
		remove_begun(parts->folder, parts->paths[i]);
	}
	remove(parts->folder);
}

/* The state of a merge, which reads the files of parts in their order. */
struct merger {
	const struct ep_reduce_parts *parts;
	const struct ep_reduce_waiter *waiter; /* NULL: no more parts will be made */
	struct ep_reduce_job job;
	uint32_t n_awaited;
};

/* Counts the traces of a part that has no file, since none of them could be read. */
static void see_left_out(struct merger *merger, uint32_t part)
{
	const struct ep_reduce_parts *parts = merger->parts;

	if (!merger->job.n_left_out)
		merger->job.first_left_out = parts->inputs.paths[parts->firsts[part]];
	merger->job.n_left_out += parts->firsts[part + 1] - parts->firsts[part];
}

/* Waits until this process can see a part's file. A node's view of a network file system may be some seconds old (NFS:
 * a minute at most). */
static bool is_there_in_time(const struct merger *merger, uint32_t part)
{
	const struct timespec nap = { .tv_nsec = NAP_MS * 1000000 };
	uint32_t patience_ms = merger->job.patience_ms ? merger->job.patience_ms : PATIENCE_MS;

	for (uint32_t ms = 0; !is_there(merger->parts->paths[part]); ms += NAP_MS) {
		if (ms >= patience_ms)
			return false;
		nanosleep(&nap, NULL);
	}
	return true;
}

static int await_part(void *context, struct ep_error *err)
{
	struct merger *merger = context;
	uint32_t part = merger->n_awaited++;
	int rc = merger->waiter ? merger->waiter->wait(merger->waiter->context, part, err)
				: !is_there(merger->parts->paths[part]);

	if (!rc && merger->waiter && !is_there_in_time(merger, part))
		rc = ep_fail(err, -ENOENT,
			"%s: another process made it, and it is not there: the folder of the output must be one that all processes see",
			merger->parts->paths[part]);
	if (rc == 1)
		see_left_out(merger, part);
	return rc;
}

int ep_reduce_parts_merge(const struct ep_reduce_parts *parts,
	const struct ep_reduce_waiter *waiter, struct ep_error *err)
{
	struct merger merger = { parts, waiter, parts->job, 0 };

	merger.job.paths = (const char *const *)parts->paths;
	merger.job.n_threads = 1;
	merger.job.progress = NULL;
	merger.job.await_file = await_part;
	merger.job.context = &merger;
	return ep_reduce(&merger.job, err);
}

/* Tells whether an error is caused by the traces themselves, so that the same call would fail again. */
static bool is_of_traces(int rc)
{
	return rc == -EEXIST || rc == -ENOTSUP || rc == -EBADMSG || rc == -ENODATA;
}

int ep_reduce_parts_end(const struct ep_reduce_parts *parts, int rc, struct ep_error *err)
{
	size_t size;

	if (!rc || is_of_traces(rc)) {
		remove_parts(parts);
	} else if (!access(parts->folder, F_OK)) {
		size = strlen(err->message);
		snprintf(err->message + size, sizeof(err->message) - size,
			"; what is added up is in %s, and the same call goes on from there",
			parts->folder);
	}
	return rc;
}
