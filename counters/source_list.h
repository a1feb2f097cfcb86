/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The names of the counter sources, for the setting (settings.c) and for the table of sources (source.c). The list has
 * a file of its own so that the launcher and the tests can check settings without linking the sources.
 */
#ifndef EVPROF_COUNTERS_SOURCE_LIST_H
#define EVPROF_COUNTERS_SOURCE_LIST_H

/* X(name, argument). name: the source's name in the setting, and the end of ep_source_NAME. argument: what must follow
 * the name in the setting, as in sim:TABLE; NULL: nothing may follow. */
#define EP_SOURCES(X)                                                                              \
	X(perf, NULL)                                                                              \
	X(rusage, NULL)                                                                            \
	X(sim, "TABLE")                                                                            \
	X(valgrind, NULL)                                                                          \
	X(papi, NULL)                                                                              \
	/* the source program is for tests; messages and help texts do not name it */              \
	X(program, NULL)

#endif
