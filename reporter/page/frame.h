/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares the fixed pieces of a page. evreport writes the text and the data between these pieces. When evprof is
 * built, embed.py makes them from page.html or compare.html, page.css and a script. */
#ifndef EVPROF_REPORTER_PAGE_FRAME_H
#define EVPROF_REPORTER_PAGE_FRAME_H

extern const char ep_page_before_text[], ep_page_before_data[], ep_page_after_data[];
extern const char ep_compare_before_text[], ep_compare_before_data[], ep_compare_after_data[];

#endif
