// SPDX-License-Identifier: BSD-3-Clause
/* Chooses waits by their length, at a rate that the CPU time allows. */
#include "wait_choice.h"

#include "preload/recording/chance.h"

#define RECENT_CPU_NS (64 * EP_WAIT_CHOICE_CPU_NS)

void ep_wait_choice_start(struct ep_wait_choice *choice, uint64_t seed)
{
	*choice = (struct ep_wait_choice){ .random = (seed + 1) * 0x9e3779b97f4a7c15ull | 1 };
	choice->left_steps = ep_chance_exponential(&choice->random);
}

uint64_t ep_wait_choice_take(struct ep_wait_choice *choice, uint64_t ns)
{
	/* the step is read once: a signal handler that waits meanwhile may change it, even to 0 */
	const uint64_t step_ns = *(volatile uint64_t *)&choice->step_ns;
	uint64_t stands_ns = 0;
	double n_steps;

	if (ns >= step_ns)
		return ns;
	n_steps = (double)ns / (double)step_ns;
	for (; choice->left_steps < n_steps; stands_ns += step_ns)
		choice->left_steps += ep_chance_exponential(&choice->random);
	choice->left_steps -= n_steps;
	return stands_ns;
}

uint64_t ep_wait_choice_room(const struct ep_wait_choice *choice)
{
	double n_steps = choice->left_steps < 1 ? choice->left_steps : 1;

	return n_steps > 0 ? (uint64_t)(n_steps * (double)choice->step_ns) : 0;
}

void ep_wait_choice_pass(struct ep_wait_choice *choice, uint64_t ns)
{
	const uint64_t step_ns = *(volatile uint64_t *)&choice->step_ns;

	if (step_ns)
		choice->left_steps -= (double)ns / (double)step_ns;
}

/* Returns the CPU time in which one wait is noted on average. */
static uint64_t price_of(const struct ep_wait_choice *choice)
{
	uint64_t price_ns = choice->noting_ns * EP_WAIT_CHOICE_CPU_PER_NS,
		 part_ns = choice->all_cpu_ns / EP_WAIT_CHOICE_CPU_PARTS;

	if (price_ns < part_ns)
		price_ns = part_ns;
	if (price_ns < EP_WAIT_CHOICE_CPU_NS)
		return EP_WAIT_CHOICE_CPU_NS;
	return price_ns < EP_WAIT_CHOICE_CPU_MAX_NS ? price_ns : EP_WAIT_CHOICE_CPU_MAX_NS;
}

static uint64_t step_of(const struct ep_wait_choice *choice)
{
	uint64_t per_us = choice->waited_ns / (choice->cpu_ns / 1000 + 1);
	uint64_t step_ns = per_us * (price_of(choice) / 1000);

	return step_ns < EP_WAIT_CHOICE_MAX_NS ? step_ns : EP_WAIT_CHOICE_MAX_NS;
}

void ep_wait_choice_learn(
	struct ep_wait_choice *choice, uint64_t stands_ns, uint64_t cpu_ns, bool is_first)
{
	if (!is_first || !choice->step_ns)
		choice->waited_ns += stands_ns;
	choice->cpu_ns += cpu_ns;
	choice->all_cpu_ns += cpu_ns;
	if (is_first)
		return;
	choice->step_ns = step_of(choice);
	if (choice->cpu_ns < RECENT_CPU_NS)
		return;
	choice->cpu_ns /= 2;
	choice->waited_ns /= 2;
}

/* Learns the time that noting took. A single time changes the average only a little: where the thread lost its CPU
 * meanwhile, the time is far too long. */
void ep_wait_choice_learn_cost(struct ep_wait_choice *choice, uint64_t ns)
{
	const uint64_t most_ns = EP_WAIT_CHOICE_CPU_MAX_NS / EP_WAIT_CHOICE_CPU_PER_NS;

	choice->noting_ns = (7 * choice->noting_ns + (ns < most_ns ? ns : most_ns)) / 8;
}

uint64_t ep_wait_choice_round(struct ep_wait_choice *choice, uint64_t n, uint64_t of)
{
	unsigned __int128 below_of = (unsigned __int128)ep_chance_next(&choice->random) * of;

	return n / of + ((uint64_t)(below_of >> 64) < n % of);
}
