// SPDX-License-Identifier: BSD-3-Clause
/* evreport compare-ocoe on traces written here; tests/estimate has it on recorded ones. */
#include "reporter/command/estimate_commands.h"
#include "tests/unit/command.h"
#include "tests/unit/runs.h"

static void write_all(void)
{
	write_run("mpx.gz", (struct run_of){ true, 0, RUN_SLICES, 1000, 1 });
	write_run("all.gz", (struct run_of){ false, 0, RUN_SLICES, 1000, 1 });
	write_run("slow.gz", (struct run_of){ false, 0, RUN_SLICES, 2000, 1 });
	write_run("late.gz", (struct run_of){ true, 12, RUN_SLICES, 1000, 1 });
}

/* Figure number k of the row that begins so. */
static double figure(const char *text, const char *begin, int k)
{
	const char *at = strstr(text, begin);

	CHECK_MSG(at, "no %s in\n%s", begin, text);
	for (at = at ? at + strlen(begin) : ""; k > 0 && (at = strchr(at, ',')); k--)
		at++;
	return at ? atof(at) : NAN;
}

/* The truth of a run is itself: fixed holds b, which changes every ten slices. */
TEST(figures_are_of_the_other_run)
{
	write_all();
	RUN(ep_cmd_compare_ocoe, "mpx.gz", "all.gz", "--estimator", "fixed", "--format", "csv");
	CHECK_INT(status, 0);
	CHECK_STR(err, "");
	/* rates: b's change with the clock by up to a half, so that RA is below 1 */
	double ra = figure(out, "step,fixed,mpx,b,fixed,", 0);
	CHECK_MSG(ra > 0.5 && ra < 1, "RA %g", ra);
	CHECK_CLOSE(figure(out, "dtw,fixed,mpx,b,fixed,", 0), ra, 1e-9);
	CHECK(figure(out, "step,fixed,mpx,a,fixed,", 2) < 0.1); /* total error */
	CHECK(!strstr(out, "cycles"));
}

/* Slice k is the other's slice k + 12, which dtw finds and the step does not. */
TEST(a_run_that_begins_later_is_found_by_dtw)
{
	write_all();
	RUN(ep_cmd_compare_ocoe, "late.gz", "all.gz", "--estimator", "linear", "--format", "csv");
	CHECK_INT(status, 0);
	CHECK(figure(out, "dtw,linear,late,b,linear,", 0) >
		figure(out, "step,linear,late,b,linear,", 0) + 0.1);
}

TEST(what_cannot_be_compared_is_said)
{
	static const struct {
		char *arguments[4], *says;
		int status;
	} rows[] = {
		{ { "mpx.gz", "slow.gz" }, "slow.gz: slices of 2 ms", 1 },
		{ { "all.gz", "all.gz" },
			"all.gz: nothing to compare: every event was counted in every slice", 1 },
		{ { "mpx.gz", "late.gz" },
			"evreport: a: no OCOE trace counted it in every slice; left out\n"
			"evreport: b: no OCOE trace counted it in every slice; left out\n"
			"evreport: mpx.gz: nothing to compare: none of its rotated events",
			1 },
		{ { "nosuch.gz", "all.gz", "--format", "jsn" }, "no format \"jsn\"", 1 },
		{ { "mpx.gz", "nosuch.gz" }, "nosuch.gz", 1 },
		{ { "mpx.gz" }, "usage: evreport compare-ocoe", 2 },
	};

	write_all();
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		RUN(ep_cmd_compare_ocoe, rows[i].arguments[0], rows[i].arguments[1],
			rows[i].arguments[2], rows[i].arguments[3]);
		CHECK_MSG(status == rows[i].status, "row %zu: status %d", i, status);
		CHECK_HAS(err, rows[i].says);
		CHECK_STR(out, "");
	}
}
