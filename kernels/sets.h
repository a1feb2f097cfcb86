/* SPDX-License-Identifier: BSD-3-Clause */
/* The bases and signatures that evcal carries inside itself: kernels/sets/NAME. */
#ifndef EVPROF_KERNELS_SETS_H
#define EVPROF_KERNELS_SETS_H

#include <stddef.h>

struct ep_builtin_set {
	const char *name;
	const char *basis, *signatures, *params; /* the files' text */
};

/* NULL when there is none of that name. */
const struct ep_builtin_set *ep_builtin_set_find(const char *name);

/* The expectations for events of known meaning: texts "event,<expectations...>" with fnmatch
 * patterns as names; ends with NULL. */
extern const char *const ep_known_events[];

#endif
