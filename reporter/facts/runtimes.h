/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of programs and libraries that carry out code of another language (language_table.c). */
#ifndef EVPROF_REPORTER_FACTS_RUNTIMES_H
#define EVPROF_REPORTER_FACTS_RUNTIMES_H

#include <stdbool.h>

#include "reporter/load/load.h"

#define EP_RUNTIME_PYTHON "Python's interpreter"

/* "Python's interpreter" of /usr/lib/libpython3.11.so.1.0, by the beginning of the file's name; NULL: of none. A
 * program of a name that others may have (java, R) counts where the runtime's library was loaded, too. */
const char *ep_runtime_of_file(const struct ep_trace *trace, const char *path);

/* Is a script of Python's own library, installed beside it, or without a file? */
bool ep_script_is_of_library(const char *path);

#endif
