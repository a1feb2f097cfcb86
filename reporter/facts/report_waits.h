/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of the report that says where threads waited, and for what. */
#ifndef EVPROF_REPORTER_FACTS_REPORT_WAITS_H
#define EVPROF_REPORTER_FACTS_REPORT_WAITS_H

#include <stdbool.h>
#include <stdint.h>

/* Wall time of threads less their CPU time. */
struct ep_report_waits {
	uint64_t all_ns;
	uint64_t ready_ns; /* of it, ready to run, without a CPU */
	bool has_unknown;  /* ready_ns is without some thread's, which is not known */
	bool is_unknown;   /* neither is known: that of a region between two moments */
};

/* Shares of sums are no whole numbers. */
struct ep_report_wait_sum {
	double n, ns;
	uint64_t longest_ns;
};

/* Where the holders of a mutex were while others waited for it. */
struct ep_report_holder {
	const char *path;      /* as of the wait */
	const char *procedure; /* likewise */
	const char *kind;      /* title of what the holder itself waited for; NULL: it computed */
	uint64_t ns;           /* of the waits */
};

#define EP_MAX_HOLDERS 4 /* places that are told apart */

/* Calls that waited in one call path for one thing, of all threads. */
struct ep_report_wait {
	const char *kind, *title; /* "mutex", "a mutex" */
	const char *path;         /* procedures, outermost first, " > " between; "": not known */
	const char *procedure;    /* the last of them that is the program's own, else the last */
	const char *what;         /* name of the file, socket or lock; NULL: not known */
	struct ep_report_holder holders[EP_MAX_HOLDERS]; /* most time first */
	uint32_t n_holders;                              /* 0: not known */
	uint32_t n_threads;
	uint32_t last_thread_idx, row_idx; /* while the row is added up */
	struct ep_report_wait_sum sum;     /* likewise */
	uint64_t n_waits, ns, longest_ns;
	double share; /* of all that was noted */
	bool is_estimate; /* n_waits and ns: some stand for others, or only a part is in what is shown */
};

/* A lock, or another thing in memory, that threads waited for. */
struct ep_report_lock {
	const char *kind, *title; /* as of waits */
	const char *name; /* its variable, "cm" or "table+0x40"; NULL: not known, as on the heap */
	uint32_t pid;     /* of the process, of one with a name the first that waited */
	uint64_t address; /* in the process; in its file where it has a name */
	const char *path; /* with most of its time in one thread */
	const char *procedure; /* of that path, as of waits */
	double path_ns;        /* that time, while it is added up */
	uint32_t n_threads, last_thread_idx;
	struct ep_report_wait_sum sum; /* while it is added up */
	uint64_t n_waits, ns, longest_ns;
	double share;     /* of all that was noted */
	bool is_estimate; /* as of waits */
};

/* The part of a row of waits that is one thread's. */
struct ep_report_thread_wait {
	uint32_t thread_idx, wait_idx; /* in the report's threads and noted_waits */
	struct ep_report_wait_sum sum; /* while it is added up */
	uint64_t n_waits, ns, longest_ns;
	uint64_t thread_ns; /* of all that the thread waited for */
};

static inline void ep_waits_add(struct ep_report_waits *sum, const struct ep_report_waits *one)
{
	sum->all_ns += one->all_ns;
	sum->ready_ns += one->ready_ns;
	sum->has_unknown |= one->has_unknown;
	sum->is_unknown |= one->is_unknown;
}

#endif
