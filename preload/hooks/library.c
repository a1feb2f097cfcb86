// SPDX-License-Identifier: BSD-3-Clause
/* libevprof.so's constructor, and dlclose, after which addresses may mean other code. */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#include "preload/hooks/hooks.h"
#include "preload/hooks/unloaded.h"
#include "preload/process/process.h"
#include "preload/thread/thread.h"

EP_REAL(dlclose)

EP_HOOK int dlclose(void *handle)
{
	int rc = find_dlclose()(handle);

	if (ep_recording.is_on)
		ep_forget_unloaded();
	return rc;
}

static bool has_begun;

static void begin(int argc, char **argv, char **envp)
{
	int saved_errno = errno;

	has_begun = true;
	ep_process_begin(argc, argv, envp);
	if (ep_recording.is_on) {
		ep_hooks_thread_begin();
		ep_hooks_process_begin();
		ep_hooks_thread_mark(ep_self);
	}
	errno = saved_errno;
}

__attribute__((constructor(103))) static void begin_in_order(int argc, char **argv, char **envp)
{
	if (!has_begun)
		begin(argc, argv, envp);
}

/* libc is ready, since the library that calls us depends on it. So is all that we depend on: it stands
 * behind the program's own libraries in the order of loading, and constructors run from the end. */
void ep_library_begin_early(void)
{
	if (!has_begun && environ)
		begin(0, NULL, environ);
}
