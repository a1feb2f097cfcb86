/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_PRELOAD_HOOKS_UNLOADED_H
#define EVPROF_PRELOAD_HOOKS_UNLOADED_H

/* Forgets what is known of addresses, which may belong to other code after dlclose. Does nothing if no module has been
 * unloaded. Any thread may call this. */
void ep_forget_unloaded(void);

#endif
