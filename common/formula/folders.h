/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the folders of evprof's data, for the programs and for libevprof.so alike. Any thread may call these
 * functions. */
#ifndef EVPROF_COMMON_FORMULA_FOLDERS_H
#define EVPROF_COMMON_FORMULA_FOLDERS_H

/* Returns the folder that EVPROF_FORMULAS names, which replaces all others. NULL: the variable is not set. */
const char *ep_folder_named(void);

/* Returns the folder of the user's own files, which have priority over installed ones: $XDG_DATA_HOME/evprof
 * (~/.local/share/evprof). Allocated; NULL: the user has no home, or there is no memory. */
char *ep_folder_of_user(void);

#endif
