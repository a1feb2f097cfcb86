/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an event's name says in words that every vendor uses. A hint for the networks, which learned
 * to do without: a name without any of the words is as good a name.
 */
#ifndef EVPROF_REPORTER_ESTIMATE_EVENT_WORDS_H
#define EVPROF_REPORTER_ESTIMATE_EVENT_WORDS_H

enum {
	EP_WORD_FETCH,
	EP_WORD_LOAD,
	EP_WORD_STORE,
	EP_WORD_BRANCH,
	EP_WORD_INDIRECT,
	EP_WORD_MISS,
	EP_WORD_LAST_LEVEL,
	EP_WORD_MISPREDICT,
	EP_N_WORDS,
};

/* A bit (1 << EP_WORD_...) for each thing said; 0 for nothing, and for NULL. */
unsigned ep_event_words(const char *name);

#endif
