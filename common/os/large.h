/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_COMMON_OS_LARGE_H
#define EVPROF_COMMON_OS_LARGE_H

/* Puts a large variable that begins as zero after all small variables of the library (--sort-section=name in
 * preload/meson.build). If large variables lay between the small ones, the small ones would be spread over many pages:
 * each process would touch a page for nearly each file, and the child of a fork would copy these pages. */
#define EP_LARGE __attribute__((section(".bss.large")))

#endif
