/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_PRELOAD_HOOKS_UNLOADED_H
#define EVPROF_PRELOAD_HOOKS_UNLOADED_H

/* Forgets what is known of addresses, after dlclose, when they may belong to other code. Does nothing where no module
 * has been unloaded. Any thread may call this. */
void ep_forget_unloaded(void);

#endif
