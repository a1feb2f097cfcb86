// SPDX-License-Identifier: BSD-3-Clause
/* The table of ways to follow a stack. One of these ways is chosen while a process starts. */
#include "preload/unwind/unwinder.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "common/cleanup.h"

static const struct ep_unwinder *const unwinders[] = { &ep_unwinder_own,
	&ep_unwinder_frame_pointers, &ep_unwinder_libunwind };

const struct ep_unwinder *ep_unwinder_chosen = &ep_unwinder_own;

void ep_unwinder_after_fork(void)
{
	if (ep_unwinder_chosen->takes_locks)
		ep_unwinder_chosen = &ep_unwinder_own;
}

int ep_unwinder_choose(const char *name, struct ep_error *err)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(unwinders); i++) {
		const struct ep_unwinder *row = unwinders[i];
		int rc;

		if (name[0] && strcmp(row->name, name))
			continue;
		rc = row->open ? row->open(err) : 0;
		if (!rc)
			ep_unwinder_chosen = row;
		return rc;
	}
	return ep_fail(
		err, -EINVAL, "unwind '%.100s' is none of own, frame-pointers, libunwind", name);
}
