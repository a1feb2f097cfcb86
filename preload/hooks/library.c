// SPDX-License-Identifier: BSD-3-Clause
/* libevprof.so's constructor, and the hook of dlclose, after which addresses may belong to other code. */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/os/sys.h"
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

#ifndef MADV_POPULATE_READ /* Linux 5.14 has it; older kernels refuse it */
#define MADV_POPULATE_READ 22
#endif

/* Makes the kernel map the library's code by one call. A start touches most of the library's pieces of 64 KiB, and the
 * kernel maps each at a page fault: six such faults take 74 us on a virtual machine, this call takes 13 us. */
static void map_code(void)
{
	extern const char __ehdr_start[] __attribute__((visibility("hidden")));
	uintptr_t start = (uintptr_t)__ehdr_start, data = (uintptr_t)_DYNAMIC;

	ep_sys(__NR_madvise, start, data - data % 4096 - start, MADV_POPULATE_READ);
}

static bool has_begun;

static void begin(int argc, char **argv, char **envp)
{
	int saved_errno = errno;

	has_begun = true;
	map_code();
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

/* Called before evprof's constructor has run, in another library's constructor. libc is ready, since that library
 * depends on libc. All libraries that evprof depends on are ready, too: they come after the program's own libraries in
 * the order of loading, and constructors run from the end of that order. */
void ep_library_begin_early(void)
{
	if (!has_begun && environ)
		begin(0, NULL, environ);
}
