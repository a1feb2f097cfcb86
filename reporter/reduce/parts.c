// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/reduce/parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "reporter/fill/fill_choose.h"

/* As many parts keep some dozens of processes busy; larger ones would be lost as a whole. */
#define N_PARTS 64
#define LEAST_BYTES                                                                                \
	(16u << 20) /* seconds of reading: each part takes a third of one for names and call paths */
#define MOST_BYTES (64u << 20)

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
	uint64_t most = part_bytes(parts), bytes = 0;

	parts->firsts = calloc(inputs->n + 2, sizeof(*parts->firsts));
	parts->paths = calloc(inputs->n + 2, sizeof(*parts->paths));
	if (!parts->firsts || !parts->paths)
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

/* Tells a part of other traces, of another estimator, or of programs found elsewhere. */
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

static int name_parts(struct ep_reduce_parts *parts)
{
	if (asprintf(&parts->folder, "%s.parts", parts->job.output) < 0) {
		parts->folder = NULL;
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < parts->n_parts; i++)
		if (asprintf(&parts->paths[i], "%s/%05" PRIu32 "-%016" PRIx64 ".gz", parts->folder,
			    i, hash_of(parts, i)) < 0) {
			parts->paths[i] = NULL;
			return -ENOMEM;
		}
	return 0;
}

/* The clock of the first trace that can be read. */
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

int ep_reduce_parts_init(struct ep_reduce_parts *parts, const char *const *names,
	const struct ep_reduce_job *job, struct ep_error *err)
{
	int rc;

	*parts = (struct ep_reduce_parts){ .job = *job };
	rc = ep_reduce_inputs_find(names, job->output, &parts->inputs, err);
	if (rc)
		return rc;
	parts->job.paths = (const char *const *)parts->inputs.paths;
	parts->job.n_traces = parts->inputs.n;
	if (!parts->job.filler)
		parts->job.filler = ep_filler_default(parts->job.paths).filler;
	if (find_origin(parts) || divide(parts) || name_parts(parts))
		return ep_fail(err, -ENOMEM, "out of memory");
	if (parts->run)
		parts->job.origin = &parts->origin;
	return 0;
}

void ep_reduce_parts_finish(struct ep_reduce_parts *parts)
{
	for (uint32_t i = 0; parts->paths && i < parts->n_parts; i++)
		free(parts->paths[i]);
	free(parts->paths);
	free(parts->firsts);
	free(parts->folder);
	free(parts->run);
	ep_reduce_inputs_finish(&parts->inputs);
	*parts = (struct ep_reduce_parts){ 0 };
}

static bool is_there(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && st.st_size;
}

int ep_reduce_parts_make(const struct ep_reduce_parts *parts, uint32_t part, struct ep_error *err)
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
	return ep_reduce(&job, err);
}

/* Another call's parts may lie in the folder: it stays then. */
static void remove_parts(const struct ep_reduce_parts *parts)
{
	for (uint32_t i = 0; i < parts->n_parts; i++)
		remove(parts->paths[i]);
	remove(parts->folder);
}

/* A part of which no trace could be read is not there. */
static void see_left_out(
	const struct ep_reduce_parts *parts, uint32_t part, struct ep_reduce_job *job)
{
	if (!job->n_left_out)
		job->first_left_out = parts->inputs.paths[parts->firsts[part]];
	job->n_left_out += parts->firsts[part + 1] - parts->firsts[part];
}

int ep_reduce_parts_merge(const struct ep_reduce_parts *parts, struct ep_error *err)
{
	EP_AUTOFREE const char **paths = calloc(parts->n_parts + 1, sizeof(*paths));
	struct ep_reduce_job job = parts->job;
	uint32_t n = 0;
	int rc;

	if (!paths)
		return ep_fail(err, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < parts->n_parts; i++)
		if (is_there(parts->paths[i]))
			paths[n++] = parts->paths[i];
		else
			see_left_out(parts, i, &job);
	if (!n)
		return ep_fail(err, -ENODATA, "no trace could be read: nothing is written");
	job.paths = paths;
	rc = ep_reduce(&job, err);
	if (!rc)
		remove_parts(parts);
	return rc;
}
