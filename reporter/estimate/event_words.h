/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds words in an event's name that all vendors use. They are a hint for the networks, which were also
 * trained without them: a name without any of the words is valid.
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

/* Returns a bit (1 << EP_WORD_...) for each meaning; 0 for none, and for NULL. */
unsigned ep_event_words(const char *name);

#endif
