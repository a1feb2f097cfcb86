/* SPDX-License-Identifier: BSD-3-Clause */
/* Shortens long names of C++ and Rust to the parts that distinguish them. */
#ifndef EVPROF_REPORTER_TEXT_SHORT_NAMES_H
#define EVPROF_REPORTER_TEXT_SHORT_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* Shortens a name that has more than width columns. First the template arguments are replaced by the ellipsis,
 * then namespaces are removed from the left. In Rust's <a::Type<T> as b::Trait>::method, the namespaces are
 * removed first, then the trait. A name that is still longer is not shortened further. out may be cut at size. */
void ep_name_fit(const char *name, uint32_t width, const char *ellipsis, char *out, size_t size);

#define EP_SPOKEN_WIDTH 60 /* columns of a name inside a sentence */

#endif
