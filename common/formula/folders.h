/* SPDX-License-Identifier: BSD-3-Clause */
/* Where data of evprof's may be, for evprof and for the library alike. Any thread; allocates. */
#ifndef EVPROF_COMMON_FORMULA_FOLDERS_H
#define EVPROF_COMMON_FORMULA_FOLDERS_H

/* EVPROF_FORMULAS: the folder that takes the place of all others. NULL: nobody named one. */
const char *ep_folder_named(void);

/* Where users keep what is theirs of evprof, which comes before what is installed: $XDG_DATA_HOME/evprof
 * (~/.local/share/evprof). Allocated; NULL: nowhere, or out of memory. */
char *ep_folder_of_user(void);

#endif
