/* SPDX-License-Identifier: BSD-3-Clause */
/* Names the ways in which a loop accesses its data. */
#ifndef EVPROF_REPORTER_LOOPS_ACCESS_H
#define EVPROF_REPORTER_LOOPS_ACCESS_H

enum ep_access {
	EP_ACCESS_UNKNOWN,
	EP_ACCESS_CONTIGUOUS, /* one element after the other */
	EP_ACCESS_VARIABLE,   /* in steps that a variable gives: one element, or a stride */
	EP_ACCESS_STRIDED,    /* in steps that leave out more than they access */
	EP_ACCESS_GATHER,     /* x[index[i]]: the index is loaded from memory */
	EP_ACCESS_LINKED,     /* p = p->next: each load waits for the one before */
	EP_N_ACCESSES,
};

/* Returns a name such as "strided"; NULL: the access is unknown. */
const char *ep_access_name(enum ep_access access);

#endif
