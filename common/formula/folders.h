/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the folders of evprof's data, for the programs and for libevprof.so alike. Any thread; allocates. */
#ifndef EVPROF_COMMON_FORMULA_FOLDERS_H
#define EVPROF_COMMON_FORMULA_FOLDERS_H

/* Returns the folder that EVPROF_FORMULAS names, which takes the place of all others. NULL: it is not set. */
const char *ep_folder_named(void);

/* Returns the folder of the user's own files, which come before installed ones: $XDG_DATA_HOME/evprof
 * (~/.local/share/evprof). Allocated; NULL: the user has no home, or out of memory. */
char *ep_folder_of_user(void);

#endif
