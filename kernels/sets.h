/* SPDX-License-Identifier: BSD-3-Clause */
/* The bases and signatures that are built into evcal: kernels/sets/NAME. */
#ifndef EVPROF_KERNELS_SETS_H
#define EVPROF_KERNELS_SETS_H

#include <stddef.h>

struct ep_builtin_set {
	const char *name;
	const char *basis, *signatures, *params; /* text of the files */
};

/* Finds a built-in set by its name; NULL: there is none. */
const struct ep_builtin_set *ep_builtin_set_find(const char *name);

/* Expectations for events of known meaning: texts "event,<expectations...>", whose event names are fnmatch patterns.
 * NULL follows the last text. */
extern const char *const ep_known_events[];

#endif
