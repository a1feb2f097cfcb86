/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of programs and libraries that carry out code of another language (language_table.c). */
#ifndef EVPROF_REPORTER_FACTS_RUNTIMES_H
#define EVPROF_REPORTER_FACTS_RUNTIMES_H

#define EP_RUNTIME_PYTHON "Python's interpreter"

/* "Python's interpreter" of /usr/lib/libpython3.11.so.1.0, by the beginning of the file's name; NULL: of none. */
const char *ep_runtime_of_file(const char *path);

#endif
