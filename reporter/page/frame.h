/* SPDX-License-Identifier: BSD-3-Clause */
/* The pieces of the page around what evreport puts in, made of page.html or compare.html, page.css and a script by
 * embed.py when evprof is built. */
#ifndef EVPROF_REPORTER_PAGE_FRAME_H
#define EVPROF_REPORTER_PAGE_FRAME_H

extern const char ep_page_before_text[], ep_page_before_data[], ep_page_after_data[];
extern const char ep_compare_before_text[], ep_compare_before_data[], ep_compare_after_data[];

#endif
