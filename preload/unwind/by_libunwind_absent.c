// SPDX-License-Identifier: BSD-3-Clause
/* Replaces by_libunwind.c if libunwind's header was missing at build time: open reports that there is no libunwind. */
#include <errno.h>

#include "preload/unwind/unwinder.h"

static int open_nothing(struct ep_error *err)
{
	return ep_fail(err, -ENOSYS,
		"evprof was built without libunwind: install libunwind-dev and build again; evprof's own walker follows the stacks");
}

const struct ep_unwinder ep_unwinder_libunwind = {
	.name = "libunwind",
	.open = open_nothing,
	.walk = ep_unwind,
};
