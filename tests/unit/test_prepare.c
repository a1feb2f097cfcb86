// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "launcher/prepare.h"
#include "tests/unit/command.h"
#include "tests/unit/interrupted.h"

static void use_formulas(void)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/formulas", getenv("EVPROF_SOURCE_ROOT"));
	setenv("EVPROF_FORMULAS", path, 1);
}

static void prepare(void)
{
	struct ep_error err;

	if (ep_prepare_plans("models.plan", &err))
		_exit(1);
}

TEST(an_interrupt_leaves_the_older_plans_alone)
{
	use_formulas();
	write_file("models.plan", "old");
	interrupt(prepare, "models.plan.new");
	EP_AUTOFREE char *text = read_file("models.plan");
	CHECK_STR(text, "old");
}
