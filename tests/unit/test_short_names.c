// SPDX-License-Identifier: BSD-3-Clause
/* Names of C++ and Rust inside sentences, and where the room is not enough. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "reporter/text/short_names.h"
#include "reporter/words/words.h"

TEST(sentences_have_names_of_a_line_at_most)
{
	static const char *const rows[][2] = {
		{ "solve", "solve" },
		{ "std::vector<double>::push_back", "std::vector<double>::push_back" },
		{ "std::_Hashtable<int, std::pair<int const, int>, std::allocator<std::pair<int const, int> > "
		  ">::_M_find_before_node",
			"std::_Hashtable<...>::_M_find_before_node" },
		{ "std::__detail::_Map_base<int, std::pair<int const, int>, true>::operator[]",
			"std::__detail::_Map_base<...>::operator[]" },
		{ "company::department::physics::solvers::iterative::multigrid::Laplace<double, "
		  "2>::apply",
			"...::solvers::iterative::multigrid::Laplace<...>::apply" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_report_said said = { 0 };
		struct ep_words words = { .said = &said };

		CHECK_STR(ep_name_say(&words, rows[i][0]), rows[i][1]);
		ep_said_finish(&said);
	}
}

TEST(what_fits_stays_and_the_ellipsis_is_the_caller_s)
{
	static const struct {
		const char *name, *ellipsis, *expected;
		uint32_t width;
	} rows[] = {
		{ "a::B<int>::c", "..", "a::B<int>::c", 12 },
		{ "a::B<int>::c", "..", "a::B<..>::c", 11 },
		{ "a::B<int>::c", "\u2026", "\u2026::B<\u2026>::c", 9 },
		{ "operator<<", "..", "operator<<", 3 },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		char out[64];

		ep_name_fit(rows[i].name, rows[i].width, rows[i].ellipsis, out, sizeof(out));
		CHECK_STR(out, rows[i].expected);
	}
}

TEST(methods_of_rust_keep_type_and_trait)
{
	static const struct {
		const char *name, *expected;
		uint32_t width;
	} rows[] = {
		{ "<f64 as core::iter::traits::accum::Sum>::sum::<core::iter::Map<i32>>::{closure#0}",
			"<f64 as Sum>::sum::<..>::{closure#0}", 40 },
		{ "<alloc::raw_vec::RawVecInner>::finish_grow", "<RawVecInner>::finish_grow", 30 },
		{ "<core::iter::adapters::map::Map<core::ops::range::Range<i32>, <m::geo::P>::norm::"
		  "{closure#0}> as core::iter::traits::iterator::Iterator>::fold::<f64>",
			"<Map<..> as Iterator>::fold::<..>", 40 },
		{ "<core::iter::adapters::map::Map<i32> as core::iter::traits::iterator::Iterator>::fold",
			"<Map<..>>::fold", 20 },
		{ "<&str as core::fmt::Display>::fmt", "<&str as Display>::fmt", 30 },
		{ "<fn() -> core::Result<u8> as core::ops::function::FnOnce<()>>::call_once",
			"<fn() -> core::Result<..> as FnOnce<..>>::call_once", 60 },
		{ "<unfinished as core::fmt::Display", "<..", 3 },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		char out[128];

		ep_name_fit(rows[i].name, rows[i].width, "..", out, sizeof(out));
		CHECK_STR(out, rows[i].expected);
	}
}
