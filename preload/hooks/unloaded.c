// SPDX-License-Identifier: BSD-3-Clause
#include "unloaded.h"

#include <stdatomic.h>

#include "common/os/loader.h"
#include "preload/interpreter/find.h"
#include "preload/sample/thread_life.h"
#include "preload/unwind/unwind.h"

/* Many calls unload nothing, since others use the module, too. The new number is noted when all is
 * forgotten, so that no thread takes for forgotten what another one is still at. */
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
