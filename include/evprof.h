/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names for parts of a program, which evreport then shows like procedures and phases:
 *
 *     #include <evprof.h>
 *
 *     evprof_region_begin("assemble");
 *     ...
 *     evprof_region_end("assemble");
 *
 * The compiler may need -I PREFIX/include, or, before installation, the source tree's include/. There is nothing to
 * link: the names are weak, and a program that runs without libevprof.so only tests a pointer twice for each region.
 * A region belongs to the thread that begins it, and may lie in another region; any number of threads may use the same
 * name. Beginning or ending a region takes no lock and no memory, and is allowed in signal handlers. -DEVPROF_OFF
 * compiles regions away.
 */
#ifndef EVPROF_H
#define EVPROF_H

#ifdef EVPROF_OFF

#define evprof_region_begin(name) ((void)(name))
#define evprof_region_end(name) ((void)(name))

#else

#ifdef __cplusplus
extern "C" {
#endif

/* In a program that is linked at fixed addresses, the linker would set the address of a weak function to 0, and the
 * loader could not change it. So the address is read from the table that the loader fills: GCC does so for noplt, and
 * clang with -fPIE. */
#if defined(__has_attribute)
#if __has_attribute(noplt)
#define EVPROF_WEAK __attribute__((weak, noplt))
#endif
#endif
#ifndef EVPROF_WEAK
#if defined(__clang__) && !defined(__PIC__)
#warning "evprof.h: without -fPIE clang leaves regions out"
#endif
#define EVPROF_WEAK __attribute__((weak))
#endif

EVPROF_WEAK void evprof_region_begin(const char *name);
EVPROF_WEAK void evprof_region_end(const char *name);

#ifdef __cplusplus
}
#endif

#define evprof_region_begin(name) (evprof_region_begin ? evprof_region_begin(name) : (void)0)
#define evprof_region_end(name) (evprof_region_end ? evprof_region_end(name) : (void)0)

#endif
#endif
