// SPDX-License-Identifier: BSD-3-Clause
/* evcal roofs: measures how fast this machine computes and moves data. */
#include <stdio.h>
#include <unistd.h>

#include "common/options.h"
#include "kernels/command/evcal_commands.h"
#include "kernels/report/output.h"
#include "kernels/roofs/roofs_report.h"

static const char usage[] =
	"usage: evcal roofs [OPTIONS]\n"
	"\n"
	"Measures the roofs of this machine by the clock, without counters: floating-point operations per\n"
	"second by precision, width and fused multiply-add, and bytes per second of each level of cache\n"
	"and of memory, of one CPU and of all that it may use. Many short repetitions in five rounds over\n"
	"all of it, each with other memory: the second of the rounds' bests, and as the spread the\n"
	"highest less the least of them. Takes some seconds on a machine at rest.\n"
	"\n"
	"  -o, --output FOLDER  write FOLDER/roofs.formula; evreport roofline finds it in\n"
	"                       ~/.local/share/evprof/formulas\n"
	"  -r, --reps N         repetitions, each about a millisecond, of all rounds (default 100)\n";

static int measure(const char *folder, uint32_t n_reps, struct ep_error *err)
{
	__attribute__((cleanup(ep_roofs_finish))) struct ep_roofs roofs = { 0 };
	struct ep_cal_machine machine;
	int rc = folder ? ep_output_make_folder(folder, err) : 0;

	if (rc)
		return rc;
	ep_cal_machine_probe(&machine);
	rc = ep_roofs_measure(&machine, n_reps, &roofs, err);
	if (rc)
		return rc;
	ep_roofs_print(&roofs, &machine, stdout);
	if (!folder)
		return 0;
	rc = ep_roofs_write(&roofs, &machine, folder, err);
	if (!rc)
		printf("\nwrote %s/roofs.formula\n", folder);
	return rc;
}

int ep_cmd_roofs(int argc, char **argv)
{
	const char *folder = NULL;
	uint32_t n_reps = 100;
	const struct ep_option rows[] = {
		{ "output", 'o', .text = &folder },
		{ "reps", 'r', .count = &n_reps, .least = 1, .most = 1000000,
			.expected = "a number of repetitions" },
		{ NULL },
	};
	const struct ep_options options = {
		.command = "evcal roofs", .usage = usage, .rows = rows
	};
	struct ep_error err;
	int rc = ep_options_read(&options, argc, argv);

	if (rc != EP_OPTIONS_READ)
		return rc;
	if (optind < argc)
		return ep_options_refuse(&options, "takes no arguments but options");
	rc = measure(folder, n_reps, &err);
	if (rc)
		ep_error_print(&err, "evcal roofs");
	return rc ? 1 : 0;
}
