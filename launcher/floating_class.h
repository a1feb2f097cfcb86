/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_LAUNCHER_FLOATING_CLASS_H
#define EVPROF_LAUNCHER_FLOATING_CLASS_H

/* The class of floating-point arithmetic that an x86 instruction is of, an EP_FLOATING_CLASS of
 * common/callgrind.h, by capstone's text; -1: none. x87's are scalar and double. */
int ep_floating_class_of(const char *mnemonic, const char *operands);

#endif
