/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares what the functions that look for findings share: how a finding is added, and small pieces of text. */
#ifndef EVPROF_REPORTER_WORDS_FINDINGS_H
#define EVPROF_REPORTER_WORDS_FINDINGS_H

#include <inttypes.h>

#include "words.h"

void ep_finding_add(struct ep_words *builder, enum ep_finding_kind kind, const char *text);

#define WARN(builder, ...)                                                                         \
	ep_finding_add(builder, EP_FINDING_WARNING, ep_text(builder, __VA_ARGS__))
#define NOTE(builder, ...) ep_finding_add(builder, EP_FINDING_NOTE, ep_text(builder, __VA_ARGS__))

/* Makes "1 sample" or "12 samples". */
static inline const char *ep_number_of(struct ep_words *b, uint64_t n, const char *thing)
{
	return ep_text(b, "%" PRIu64 " %s%s", n, thing, n == 1 ? "" : "s");
}

static inline double ep_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

/* The following function is in findings_became.c. */
void ep_find_became(struct ep_words *builder);
/* The following function is in findings_outside.c. */
void ep_find_outside(struct ep_words *builder);
/* The following functions are in findings_interpreter.c. */
void ep_find_interpreter(struct ep_words *builder);
void ep_find_run_time_code(struct ep_words *builder);
/* The following function is in findings_regions.c. */
void ep_find_regions(struct ep_words *builder);
/* The following function is in findings_run.c. */
void ep_find_run(struct ep_words *builder);
/* The following function is in findings_counters.c. */
void ep_find_counters(struct ep_words *builder);

#endif
