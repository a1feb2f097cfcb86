/* SPDX-License-Identifier: BSD-3-Clause */
/* Recognizes files of programs and libraries that run code of another language (language_table.c). */
#ifndef EVPROF_REPORTER_FACTS_RUNTIMES_H
#define EVPROF_REPORTER_FACTS_RUNTIMES_H

#include <stdbool.h>

#include "reporter/load/load.h"

#define EP_RUNTIME_PYTHON "Python's interpreter"

/* Returns the name of the runtime to which a file belongs, by the beginning of the file's name: "Python's
 * interpreter" for /usr/lib/libpython3.11.so.1.0; NULL: it belongs to none. A program whose name other
 * programs may have, too (java, R), counts only if the runtime's library was loaded as well. */
const char *ep_runtime_of_file(const struct ep_trace *trace, const char *path);

/* Tells whether a script belongs to Python's own library or to a package installed beside it, or has no file. */
bool ep_script_is_of_library(const char *path);

#endif
