/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of C++ and Rust that fill a screen, cut to what tells them apart. */
#ifndef EVPROF_REPORTER_TEXT_SHORT_NAMES_H
#define EVPROF_REPORTER_TEXT_SHORT_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* A name of more than width columns: template arguments give way to the ellipsis, then namespaces
 * from the left; of Rust's <a::Type<T> as b::Trait>::method the namespaces, then the trait. What is
 * still longer stays so. out may be cut. */
void ep_name_fit(const char *name, uint32_t width, const char *ellipsis, char *out, size_t size);

#define EP_SPOKEN_WIDTH 60 /* columns of a name inside a sentence */

#endif
