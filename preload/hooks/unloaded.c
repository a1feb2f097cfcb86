// SPDX-License-Identifier: BSD-3-Clause
#include "unloaded.h"

#include <stdatomic.h>

#include "common/os/loader.h"
#include "preload/interpreter/find.h"
#include "preload/sample/thread_life.h"
#include "preload/unwind/unwind.h"

/* Many calls of dlclose unload nothing, since the module has other users. The loader's new state is noted last, when
 * all is forgotten: otherwise another thread could believe that the work is done while this thread is still doing
 * it. */
void ep_forget_unloaded(void)
{
	static _Atomic uint64_t forgotten;
	uint64_t state;
	bool is_known = ep_loader_state(&state);

	if (is_known && state == forgotten)
		return;
	ep_unwind_forget();
	ep_interpreters_forget();
	ep_thread_forget_paths();
	if (is_known)
		forgotten = state;
}
