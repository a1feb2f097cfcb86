/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_LAUNCHER_FLOATING_CLASS_H
#define EVPROF_LAUNCHER_FLOATING_CLASS_H

/* Returns the class of floating-point arithmetic that an x86 instruction belongs to, an EP_FLOATING_CLASS of
 * common/callgrind.h; -1: none. The instruction is given by capstone's text. x87's instructions are scalar and double. */
int ep_floating_class_of(const char *mnemonic, const char *operands);

#endif
