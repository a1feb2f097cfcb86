/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The names of the counter sources, once for the setting (settings.c) and once for the table of sources (source.c). The
 * launcher and the tests check settings without linking the sources themselves.
 */
#ifndef EVPROF_COUNTERS_SOURCE_LIST_H
#define EVPROF_COUNTERS_SOURCE_LIST_H

/* X(name, argument): NAME in ep_source_NAME and in the setting; what must follow it there, as in sim:TABLE, or NULL. */
#define EP_SOURCES(X)                                                                              \
	X(perf, NULL)                                                                              \
	X(rusage, NULL)                                                                            \
	X(sim, "TABLE")                                                                            \
	X(valgrind, NULL)                                                                          \
	X(papi, NULL)                                                                              \
	/* for tests; messages and helps do not name it */                                         \
	X(program, NULL)

#endif
