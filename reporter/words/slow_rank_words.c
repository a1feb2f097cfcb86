// SPDX-License-Identifier: BSD-3-Clause
/* Writes the sentences on why a rank is slow although it has no more work than the others, for example
 * because of its machine. */
#include <math.h>
#include <string.h>

#include "words.h"

static const char *clock_words(struct ep_words *b, const struct ep_report_slow_rank *slow)
{
	double at_theirs_s = slow->rank->own_s - slow->cost_s;
	const char *host = slow->rank->host;

	return ep_text(b,
		"Its CPU ran at %.2f GHz, the other ranks' at %.2f: at their pace it would need %.3g s. Look at its machine%s%s (heat, a limit of power or clock, other work on the same core) before you look at its work.",
		slow->its, slow->others, at_theirs_s, host ? " " : "", host ? host : "");
}

static const char *faults_words(struct ep_words *b, const struct ep_report_slow_rank *slow)
{
	uint64_t n_read = slow->rank->n_major_faults;

	return ep_text(b,
		"It had %.3g page faults%s, the other ranks %.3g on average, and the thread with most of them was about %.3g s longer in the kernel: look at its memory (first touches, swapping, huge pages) before you look at its work.",
		slow->its,
		n_read ? ep_text(b, ", %llu of them from disk", (unsigned long long)n_read) : "",
		slow->others, slow->cost_s);
}

#define MOSTLY 0.5

/* Returns words on what may have had the CPUs while the rank had none: programs that are not of the job, or ranks
 * of it. */
static const char *who_had_them(struct ep_words *b, const struct ep_report_slow_rank *slow)
{
	const struct ep_report *r = b->report;

	for (uint32_t i = 0; slow->rank->host && i < r->n_host_rows; i++) {
		double others_s = slow->rank->machine_busy_s - (double)r->host_rows[i].cpu_ns / 1e9;

		if (!strcmp(r->host_rows[i].name, slow->rank->host) &&
			others_s >= MOSTLY * slow->cost_s)
			return ep_text(b,
				"Other programs used %.3g s of CPU time on %s meanwhile: run where no other program runs.",
				others_s, slow->rank->host);
	}
	return "Look at what else runs on its CPUs: other programs, or ranks and threads that are bound to the same ones.";
}

static const char *cpus_words(struct ep_words *b, const struct ep_report_slow_rank *slow)
{
	return ep_text(b,
		"Rank %s computes no longer than the others but is done later: it was ready to run for %.3g s without a CPU, they for %.3g on average. %s",
		slow->rank->name, slow->its, slow->others, who_had_them(b, slow));
}

static const char *stolen_words(struct ep_words *b, const struct ep_report_slow_rank *slow)
{
	const char *host = slow->rank->host;

	return ep_text(b,
		"Rank %s computes no longer than the others but is done later: the host took %.0f %% of the CPU time of its machine%s%s, of theirs %.0f %%, which costs it about %.3g s. Others share that host: ask for CPUs of your own.",
		slow->rank->name, 100 * slow->its, host ? " " : "", host ? host : "",
		100 * slow->others, slow->cost_s);
}

static const char *(*const words[])(struct ep_words *b, const struct ep_report_slow_rank *slow) = {
	[EP_SLOW_CLOCK] = clock_words,
	[EP_SLOW_FAULTS] = faults_words,
	[EP_SLOW_CPUS] = cpus_words,
	[EP_SLOW_STOLEN] = stolen_words,
};

const char *ep_slow_rank_words(struct ep_words *b)
{
	const struct ep_report_slow_rank *slow = &b->report->slow_rank;

	return words[slow->reason] ? words[slow->reason](b, slow) : NULL;
}
