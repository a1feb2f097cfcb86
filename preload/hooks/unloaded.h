/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_PRELOAD_HOOKS_UNLOADED_H
#define EVPROF_PRELOAD_HOOKS_UNLOADED_H

/* Runs after dlclose, when addresses may mean other code: forgets what was known of them, unless no
 * module has gone. Any thread. */
void ep_forget_unloaded(void);

#endif
