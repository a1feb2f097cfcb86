/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Detects Go's runtime in the process. Goroutines run on stacks of a few KiB, which have no room for a signal frame. So
 * handlers must run on the alternate stack that Go gives each of its threads, as the documentation of os/signal demands
 * ("Go programs that use cgo or SWIG").
 */
#ifndef EVPROF_COMMON_OS_GO_H
#define EVPROF_COMMON_OS_GO_H

#include <stdbool.h>

/* Tells by the section headers of an open ELF file whether Go's linker has made it. The file is not trusted. */
bool ep_go_is_in(int fd);

/* Tells whether a Go program or shared object is loaded, by the program's sections and the notes of other modules. Must
 * not be called in a signal handler. */
bool ep_go_is_loaded(void);

/* Tells whether the program is Go and uses no library. Go's runtime then uses the thread pointer for itself, also in
 * the main thread, so that evprof's thread-local variables cannot be read. */
bool ep_go_runs_alone(void);

#endif
