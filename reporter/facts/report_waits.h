/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of the report that tells where threads waited, and for what. */
#ifndef EVPROF_REPORTER_FACTS_REPORT_WAITS_H
#define EVPROF_REPORTER_FACTS_REPORT_WAITS_H

#include <stdbool.h>
#include <stdint.h>

/* Wait time of threads: their wall time less their CPU time. */
struct ep_report_waits {
	uint64_t all_ns;
	uint64_t ready_ns; /* the part in which they were ready to run, but had no CPU */
	/* ready_ns is not known for some thread, and lacks that thread's time */
	bool has_unknown;
	/* neither all_ns nor ready_ns is known, since only the part of a region between two moments is shown */
	bool is_unknown;
};

/* Sums of waits while they are added up. n and ns may be fractions, since a wait may be partly in the shown part. */
struct ep_report_wait_sum {
	double n, ns;
	uint64_t longest_ns;
};

/* A place where the holder of a mutex was while others waited for the mutex. */
struct ep_report_holder {
	const char *path;      /* call path, as in struct ep_report_wait */
	const char *procedure; /* procedure, as in struct ep_report_wait */
	const char *kind;      /* title of what the holder itself waited for; NULL: it computed */
	uint64_t ns;           /* time of the waits for this holder */
};

#define EP_MAX_HOLDERS 4 /* the most places of holders that are kept */

/* The waits in one call path for one thing, of all threads. */
struct ep_report_wait {
	/* short name and title of the kind of wait: "mutex", "a mutex" */
	const char *kind, *title;
	/* procedures, outermost first, separated by " > "; "": not known */
	const char *path;
	/* the innermost procedure of the path that is the program's own; if there is none, the
	 * innermost one */
	const char *procedure;
	const char *what; /* name of the file, socket or lock; NULL: not known */
	struct ep_report_holder holders[EP_MAX_HOLDERS]; /* sorted by time, the largest first */
	uint32_t n_holders;                              /* 0: the holders are not known */
	uint32_t n_threads;
	uint32_t last_thread_idx, row_idx; /* only used while waits are added up */
	struct ep_report_wait_sum sum;     /* only used while waits are added up */
	uint64_t n_waits, ns, longest_ns;
	double share; /* share of the time of all recorded waits */
	/* n_waits and ns are estimates: a recorded wait stands for several, or only a part of
	 * it is in the shown part */
	bool is_estimate;
};

/* A lock, or another object in memory, that threads waited for. */
struct ep_report_lock {
	const char *kind, *title; /* kind and title, as in struct ep_report_wait */
	/* the variable's name, "cm" or "table+0x40"; NULL: not known, as for a lock on the heap */
	const char *name;
	/* process of the lock; for a lock with a name, the first process that waited */
	uint32_t pid;
	/* address in the process; for a lock with a name, address in its file */
	uint64_t address;
	const char *path;      /* call path with the most waiting time in one thread */
	const char *procedure; /* procedure of that path, as in struct ep_report_wait */
	double path_ns;        /* waiting time of that path in that thread */
	uint32_t n_threads, last_thread_idx;
	struct ep_report_wait_sum sum; /* only used while the row is added up */
	uint64_t n_waits, ns, longest_ns;
	double share;     /* share of the time of all recorded waits */
	bool is_estimate; /* as in struct ep_report_wait */
};

/* One thread's part of a row of waits. */
struct ep_report_thread_wait {
	uint32_t thread_idx, wait_idx; /* indexes in the report's threads and noted_waits */
	struct ep_report_wait_sum sum; /* only used while the row is added up */
	uint64_t n_waits, ns, longest_ns;
	uint64_t thread_ns; /* time of all recorded waits of the thread */
};

static inline void ep_waits_add(struct ep_report_waits *sum, const struct ep_report_waits *one)
{
	sum->all_ns += one->all_ns;
	sum->ready_ns += one->ready_ns;
	sum->has_unknown |= one->has_unknown;
	sum->is_unknown |= one->is_unknown;
}

#endif
