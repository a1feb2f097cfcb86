// SPDX-License-Identifier: BSD-3-Clause
/* Chooses events, runs the loop over kernels and groups, and shows progress. */
#include "kernels/measure/campaign.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "common/table.h"
#include "kernels/measure/latency.h"
#include "kernels/measure/measure.h"
#include "kernels/report/output.h"

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- choosing events ---- */

/* Marks the candidates that match a word of the pattern list in keep (words are separated by commas, blanks or
 * newlines). If no candidate matches a word without wildcards, tries the word as an event's name. */
static int match_word(struct ep_campaign *campaign, const char *word, bool *keep, size_t n_listed)
{
	bool is_found = false;

	for (size_t i = 0; i < n_listed; i++)
		if (!fnmatch(word, campaign->candidates.items[i].event.name, FNM_CASEFOLD))
			is_found = keep[i] = true;
	if (is_found || strpbrk(word, "*?[") || !campaign->source->add)
		return 0;
	return campaign->source->add(&campaign->candidates, word);
}

static void drop_unwanted(struct ep_candidates *candidates, const bool *keep, size_t n_listed)
{
	size_t n = 0;

	for (size_t i = 0; i < candidates->n; i++)
		if (i >= n_listed || keep[i])
			candidates->items[n++] = candidates->items[i];
	candidates->n = n;
}

static int match_words(struct ep_campaign *campaign, char *words, const char *separators)
{
	size_t n_listed = campaign->candidates.n;
	EP_AUTOFREE bool *keep = calloc(n_listed + 1, sizeof(*keep));
	char *rest = NULL;
	int rc = keep ? 0 : -ENOMEM;

	for (char *word = strtok_r(words, separators, &rest); word && !rc;
		word = strtok_r(NULL, separators, &rest))
		if (*word != '#')
			rc = match_word(campaign, word, keep, n_listed);
	if (!rc)
		drop_unwanted(&campaign->candidates, keep, n_listed);
	return rc;
}

static int filter_events(struct ep_campaign *campaign, struct ep_error *err)
{
	EP_AUTOFREE char *words = NULL;
	size_t size;
	int rc;

	if (!strcmp(campaign->events, "all"))
		return 0;
	if (access(campaign->events, R_OK)) {
		words = strdup(campaign->events);
		rc = words ? match_words(campaign, words, ", ") : -ENOMEM;
		return rc ? ep_fail(err, rc, "out of memory") : 0;
	}
	rc = ep_file_read(campaign->events, &words, &size, err);
	if (rc)
		return rc;
	rc = match_words(campaign, words, "\r\n");
	return rc ? ep_fail(err, rc, "out of memory") : 0;
}

static int collect_usable(struct ep_campaign *campaign, struct ep_error *err)
{
	const struct ep_candidates *candidates = &campaign->candidates;

	campaign->usable = calloc(candidates->n + 1, sizeof(*campaign->usable));
	if (!campaign->usable)
		return ep_fail(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < candidates->n; i++)
		if (candidates->items[i].is_usable)
			campaign->usable[campaign->n_usable++] = candidates->items[i].event;
	if (campaign->n_usable)
		return 0;
	if (!candidates->n)
		return ep_fail(err, -ENODEV,
			"no event is called \"%s\"; evcal measure --list lists them",
			campaign->events);
	return ep_fail(err, -ENODEV,
		"nothing can be counted here: %zu events tried, none counts (%s: %s); software events and --source valgrind need no counters",
		candidates->n, candidates->items[0].event.name, candidates->items[0].reason);
}

/* Excludes events whose names hold a comma, which would break the table. */
static void refuse_commas(struct ep_candidates *candidates)
{
	for (size_t i = 0; i < candidates->n; i++)
		if (strchr(candidates->items[i].event.name, ',')) {
			candidates->items[i].is_usable = false;
			snprintf(candidates->items[i].reason, sizeof(candidates->items[i].reason),
				"its name holds a comma; use a raw code");
		}
}

/* Uses the source's CPU in place of the machine's, so that derived formulas serve the CPU whose events were
 * counted. */
static void take_cpu(struct ep_campaign *campaign)
{
	const char *cpuid = campaign->source->cpuid ? campaign->source->cpuid() : NULL;

	if (!cpuid)
		return;
	campaign->machine.cpu[0] = '\0';
	ep_cal_machine_set_cpu(&campaign->machine, cpuid);
}

int ep_campaign_choose(struct ep_campaign *campaign, struct ep_error *err)
{
	int rc;

	ep_cal_machine_probe(&campaign->machine);
	if (campaign->source == &ep_count_source_valgrind) {
		campaign->machine.l2 = (struct ep_cache){ EP_SIMULATED_CACHE_BYTES, 1 };
		campaign->machine.l3 = (struct ep_cache){ 0, 0 };
	}
	rc = campaign->source->list(&campaign->candidates, campaign->source_argument, err);
	if (!rc)
		rc = filter_events(campaign, err);
	if (rc)
		return rc;
	take_cpu(campaign);
	refuse_commas(&campaign->candidates);
	return collect_usable(campaign, err);
}

/* ---- the loop over kernels and groups ---- */

struct progress {
	const char *kernel;
	size_t n_done, n_events;
	double kernel_start_s, last_print_s;
};

static void show_progress(struct progress *progress, bool is_last)
{
	double now = now_s(), elapsed = now - progress->kernel_start_s, left;
	bool is_terminal = isatty(STDERR_FILENO);

	if (!is_last && now - progress->last_print_s < (is_terminal ? 0.2 : 10))
		return;
	progress->last_print_s = now;
	left = progress->n_done ? elapsed / (double)progress->n_done *
					  (double)(progress->n_events - progress->n_done)
				: 0;
	fprintf(stderr, "%sevcal measure: %s: %zu of %zu events, about %.0f s left%s",
		is_terminal ? "\r" : "", progress->kernel, progress->n_done, progress->n_events,
		left, is_terminal && !is_last ? "  " : "\n");
}

/* Lists the events that earlier runs have not measured with this kernel. */
static size_t list_pending(const struct ep_campaign *campaign, const struct ep_measure_table *rows,
	struct ep_event *pending)
{
	size_t n = 0;

	for (size_t i = 0; i < campaign->n_usable; i++)
		if (ep_labels_find(&rows->done, campaign->usable[i].name) < 0)
			pending[n++] = campaign->usable[i];
	return n;
}

/* The measurement of one kernel in the campaign. */
struct campaign_job {
	struct ep_campaign *campaign;
	struct ep_measurement m;
	struct ep_measure_table rows;
	FILE *skipped;
};

static int append_group(
	struct campaign_job *job, const struct ep_event *events, size_t n, struct ep_error *err)
{
	const char *names[EP_COUNT_GROUP_MAX];

	for (size_t i = 0; i < n; i++)
		names[i] = events[i].name;
	return ep_measure_table_append(&job->rows, names, n, job->m.values, err);
}

static void put_skipped(FILE *out, const char *name, const char *reason)
{
	ep_table_put_text(out, name);
	fputc(',', out);
	ep_table_put_text(out, reason);
	fputc('\n', out);
}

static void skip_event(struct campaign_job *job, const char *name, const char *reason)
{
	char text[sizeof(((struct ep_error *)0)->message) + 64];

	snprintf(text, sizeof(text), "%.60s: %s", job->m.run->set.name, reason);
	put_skipped(job->skipped, name, text);
}

/* Measures one group of events. If the group fails, its first event is measured alone. */
static int measure_some(struct campaign_job *job, const struct ep_event *events, size_t n_events,
	size_t *out_n, struct ep_error *err)
{
	int rc = ep_measurement_group(&job->m, events, n_events, out_n, err);

	if (rc && *out_n > 1)
		rc = ep_measurement_group(&job->m, events, 1, out_n, err);
	if (!rc)
		return append_group(job, events, *out_n, err);
	if (rc == -ENOMEM)
		return rc;
	skip_event(job, events->name, err->message);
	*out_n = 1;
	return 0;
}

static bool is_over_budget(const struct ep_campaign *campaign, double last_group_s)
{
	return campaign->budget_s > 0 &&
	       now_s() - campaign->start_s + last_group_s > campaign->budget_s;
}

static int measure_pending(struct campaign_job *job, const struct ep_event *pending,
	size_t n_pending, struct ep_error *err)
{
	struct ep_campaign *campaign = job->campaign;
	struct progress progress = { job->m.run->set.name, campaign->n_usable - n_pending,
		campaign->n_usable, now_s(), now_s() };
	double group_s = 0;
	size_t n = 0, n_group;
	int rc = 0;

	while (!rc && n < n_pending &&
		!(campaign->is_over_budget = is_over_budget(campaign, group_s))) {
		double start = now_s();

		rc = measure_some(job, pending + n, n_pending - n, &n_group, err);
		group_s = now_s() - start;
		n += n_group;
		progress.n_done += n_group;
		if (n < n_pending)
			show_progress(&progress, false);
	}
	show_progress(&progress, true);
	return rc;
}

static int measure_run(
	struct ep_campaign *campaign, struct ep_run *run, FILE *skipped, struct ep_error *err)
{
	EP_AUTOFREE struct ep_event *pending = calloc(campaign->n_usable + 1, sizeof(*pending));
	struct campaign_job job = { .campaign = campaign, .skipped = skipped };
	char folder[PATH_MAX];
	int rc;

	snprintf(folder, sizeof(folder), "%s/%s", campaign->folder, run->set.name);
	if (!pending)
		return ep_fail(err, -ENOMEM, "out of memory");
	rc = ep_measure_table_open(&job.rows, folder, run, campaign->n_reps, err);
	if (rc)
		return rc;
	if (run->kernel->has_latency && campaign->source->has_own_speed)
		rc = ep_latency_write(run, folder, err);
	if (!rc)
		rc = ep_measurement_init(&job.m, run, campaign->source, campaign->n_reps, err);
	if (!rc) {
		size_t n = list_pending(campaign, &job.rows, pending);

		rc = measure_pending(&job, pending, n, err);
	}
	ep_measurement_finish(&job.m);
	ep_measure_table_close(&job.rows);
	return rc;
}

static bool is_wanted(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, name, length) && (!at[length] || at[length] == ','))
			return true;
	}
	return !list;
}

static int measure_kernel(struct ep_campaign *campaign, const struct ep_micro_kernel *kernel,
	FILE *skipped, struct ep_error *err)
{
	size_t n_max = campaign->source->n_threads_max, n_threads = campaign->n_threads;
	struct ep_run run;
	int rc;

	n_threads = n_max && n_threads > n_max ? n_max : n_threads;
	rc = ep_run_open(&run, kernel, &campaign->machine, n_threads, campaign->n_copies, err);
	if (rc == -ENOTSUP) {
		fprintf(stderr, "evcal measure: %s left out: %s\n", kernel->name, err->message);
		return 0;
	}
	if (rc)
		return rc;
	rc = measure_run(campaign, &run, skipped, err);
	ep_run_close(&run);
	return rc;
}

static void print_skipped(const struct ep_candidates *candidates, FILE *out)
{
	fprintf(out, "event,reason\n");
	for (size_t i = 0; i < candidates->n; i++)
		if (!candidates->items[i].is_usable)
			put_skipped(
				out, candidates->items[i].event.name, candidates->items[i].reason);
}

static int check_kernels(const char *list, struct ep_error *err)
{
	EP_AUTOFREE char *copy = list ? strdup(list) : NULL;
	char *rest = NULL;

	for (char *word = copy ? strtok_r(copy, ",", &rest) : NULL; word;
		word = strtok_r(NULL, ",", &rest)) {
		const struct ep_micro_kernel *const *kernel = ep_kernels;

		while (*kernel && strcmp((*kernel)->name, word))
			kernel++;
		if (!*kernel)
			return ep_fail(err, -EINVAL,
				"there is no kernel \"%s\"; evcal measure --list lists them", word);
	}
	return 0;
}

int ep_campaign_run(struct ep_campaign *campaign, struct ep_error *err)
{
	EP_AUTOFREE char *skipped_text = NULL;
	char path[PATH_MAX];
	size_t size;
	int rc = check_kernels(campaign->kernels, err);

	if (rc)
		return rc;
	if (mkdir(campaign->folder, 0777) && errno != EEXIST)
		return ep_fail_at(err, -errno, (struct ep_place){ campaign->folder, 0, 0 },
			"cannot make the folder: %s", strerror(errno));
	FILE *skipped = open_memstream(&skipped_text, &size);
	if (!skipped)
		return ep_fail(err, -ENOMEM, "out of memory");
	print_skipped(&campaign->candidates, skipped);
	campaign->start_s = now_s();
	for (const struct ep_micro_kernel *const *kernel = ep_kernels; *kernel && !rc; kernel++)
		if (is_wanted(campaign->kernels, (*kernel)->name) && !campaign->is_over_budget)
			rc = measure_kernel(campaign, *kernel, skipped, err);
	fclose(skipped);
	snprintf(path, sizeof(path), "%s/skipped.csv", campaign->folder);
	return rc ? rc : ep_output_write(path, skipped_text, size, err);
}

void ep_campaign_finish(struct ep_campaign *campaign)
{
	ep_candidates_finish(&campaign->candidates);
	free(campaign->usable);
	campaign->usable = NULL;
}
