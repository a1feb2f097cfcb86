// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/reduce/reduce.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "reporter/load/reduced_put.h"
#include "reporter/symbolize/namer.h"

struct work {
	const struct ep_reduce_job *job;
	struct ep_reduced_writer *writer;
	uint64_t n_files, n_skipped;
	uint64_t shown_bytes; /* bytes of the current file that progress was told of so far */
	char first_skipped[768];
};

static void keep_block(void *context, const struct ep_block *block)
{
	struct work *work = context;

	ep_reduced_writer_keep(work->writer, block);
}

static int end_file(void *context, struct ep_trace *trace, const struct ep_reader_stats *stats)
{
	struct work *work = context;

	work->n_files++;
	return ep_reduced_writer_put_file(work->writer, trace, stats);
}

#define SKIPPED                                                                                    \
	"%llu of %llu traces could not be read, so that their ranks are not in this report; the first: "

/* Takes a note about traces that a part of the job could not read, and adds the number in the note to this job's
 * number. False: the note is about something else. */
static bool take_note(void *context, const char *text, size_t size)
{
	struct work *work = context;
	unsigned long long n_skipped, n_traces;
	char copy[1024] = "";
	int n_read = 0;

	if (size >= sizeof(copy))
		return false;
	memcpy(copy, text, size);
	if (sscanf(copy, SKIPPED "%n", &n_skipped, &n_traces, &n_read) != 2 || !n_read)
		return false;
	if (!work->n_skipped)
		snprintf(work->first_skipped, sizeof(work->first_skipped), "%.760s", copy + n_read);
	work->n_skipped += n_skipped;
	return true;
}

static bool skip_file(void *context, const char *path, const struct ep_error *err)
{
	struct work *work = context;

	if (!work->n_skipped++)
		snprintf(work->first_skipped, sizeof(work->first_skipped), "%.250s %.500s", path,
			err->message);
	work->job->skipper.skip(work->job->skipper.context, path, err->message);
	return true;
}

static void show(void *context, uint64_t done_bytes, uint64_t size_bytes)
{
	struct work *work = context;
	uint64_t more_bytes = done_bytes - work->shown_bytes;

	work->shown_bytes = done_bytes;
	if (work->job->progress)
		work->job->progress(work->job->context, more_bytes);
}

static int await_file(void *context, struct ep_error *err)
{
	struct work *work = context;

	work->shown_bytes = 0;
	return work->job->await_file ? work->job->await_file(work->job->context, err) : 0;
}

static int load(struct work *work, struct ep_namer *namer, struct ep_trace **out_trace,
	struct ep_error *err)
{
	const struct ep_load_options options = {
		.filler = work->job->filler,
		.keep_block = keep_block,
		.end_file = end_file,
		.take_note = take_note,
		.await_file = await_file,
		.skip_file = skip_file,
		.progress = show,
		.context = work,
		.name_places = ep_namer_name_places,
		.forget_names = ep_namer_forget,
		.namer = namer,
		.origin = work->job->origin,
		.n_threads = work->job->n_threads,
	};
	int rc = ep_traces_load(work->job->paths, &options, out_trace, err);

	if (rc && ep_reduced_writer_error(work->writer))
		*err = *ep_reduced_writer_error(work->writer);
	return rc;
}

static void note_skipped(struct work *work)
{
	const struct ep_reduce_job *job = work->job;
	char text[1024];

	if (!work->n_skipped && job->n_left_out)
		snprintf(work->first_skipped, sizeof(work->first_skipped), "%.700s",
			job->first_left_out);
	work->n_skipped += job->n_left_out;
	if (!work->n_skipped)
		return;
	snprintf(text, sizeof(text), SKIPPED "%s", (unsigned long long)work->n_skipped,
		(unsigned long long)(work->n_skipped + work->n_files), work->first_skipped);
	ep_reduced_writer_put_note(work->writer, text);
}

int ep_reduce(const struct ep_reduce_job *job, struct ep_error *err)
{
	struct work work = { .job = job, .writer = ep_reduced_writer_create(job->output, err) };
	struct ep_namer namer = { .sysroot = job->sysroot, .shared = job->names };
	struct ep_trace *trace = NULL;
	int rc = work.writer ? load(&work, &namer, &trace, err) : -EIO;

	if (!rc && !work.n_files)
		rc = ep_fail(err, -ENODATA, "no trace could be read: nothing is written");
	if (!rc) {
		note_skipped(&work);
		rc = ep_reduced_writer_finish(work.writer, trace, err);
	}
	ep_symbols_destroy(namer.symbols);
	ep_trace_destroy(trace);
	ep_reduced_writer_destroy(work.writer);
	return rc;
}
