// SPDX-License-Identifier: BSD-3-Clause
/* libevprof.so's constructor, and dlclose, after which addresses mean other code. */
#include <dlfcn.h>
#include <errno.h>

#include "preload/hooks/hooks.h"
#include "preload/unwind/unwind.h"
#include "process.h"
#include "thread.h"

EP_REAL(dlclose)

EP_HOOK int dlclose(void *handle)
{
	int rc = find_dlclose()(handle);

	if (ep_process.is_on) {
		ep_unwind_forget();
		ep_thread_forget_paths();
	}
	return rc;
}

__attribute__((constructor(103))) static void begin(int argc, char **argv, char **envp)
{
	int saved_errno = errno;

	ep_process_begin(argc, argv, envp);
	if (ep_process.is_on) {
		ep_hooks_thread_begin();
		ep_hooks_process_begin();
		ep_hooks_thread_mark(ep_self);
	}
	errno = saved_errno;
}
