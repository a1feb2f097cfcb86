// SPDX-License-Identifier: BSD-3-Clause
/* The table of kernels. */
#include "kernels/measure/kernel.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kernels/sets.h"

const struct ep_micro_kernel *const ep_kernels[] = { &ep_kernel_branch, &ep_kernel_flops,
	&ep_kernel_dcache_reads, &ep_kernel_dcache_writes, &ep_kernel_dcache_patterns,
	&ep_kernel_icache, &ep_kernel_memory, &ep_kernel_blas, NULL };

int ep_run_expect(
	struct ep_run *run, const char *signatures, const char *params, struct ep_error *err)
{
	const char *name = run->kernel->name;
	int rc = ep_labelled_parse(&run->set.signatures, name, signatures, "metric", err);

	run->set.params = ep_params_default;
	if (!rc)
		rc = ep_set_match_signatures(&run->set, err);
	return rc ? rc : ep_params_parse(&run->set.params, name, params, err);
}

int ep_run_builtin(struct ep_run *run, const char *name, struct ep_error *err)
{
	const struct ep_builtin_set *builtin = ep_builtin_set_find(name);

	int rc =
		ep_labelled_parse(&run->set.basis, run->kernel->name, builtin->basis, "point", err);

	return rc ? rc : ep_run_expect(run, builtin->signatures, builtin->params, err);
}

static void add_origin(struct ep_params *params, const struct ep_cal_machine *machine)
{
	snprintf(params->cpu, sizeof(params->cpu), "%s", machine->cpu);
	snprintf(params->cpu_key, sizeof(params->cpu_key), "%s", machine->cpu_key);
	snprintf(params->date, sizeof(params->date), "%s", machine->date);
	snprintf(params->kernel, sizeof(params->kernel), "%s", machine->kernel);
}

int ep_run_open(struct ep_run *run, const struct ep_micro_kernel *kernel,
	const struct ep_cal_machine *machine, size_t n_threads, size_t n_copies,
	struct ep_error *err)
{
	int rc;

	*run = (struct ep_run){
		.kernel = kernel, .machine = machine, .n_threads = n_threads, .n_copies = n_copies
	};
	run->set.name = strdup(kernel->name);
	run->set.path = strdup(kernel->name);
	rc = run->set.name && run->set.path ? kernel->open(run, err)
					    : ep_fail(err, -ENOMEM, "out of memory");
	if (rc)
		ep_run_close(run);
	else
		add_origin(&run->set.params, machine);
	return rc;
}

void ep_run_close(struct ep_run *run)
{
	if (run->state)
		run->kernel->close(run);
	ep_set_finish(&run->set);
	run->state = NULL;
}
