// SPDX-License-Identifier: BSD-3-Clause
/* Chooses which event ends slices, and when. Runs in the signal handler; nothing here calls libc. */
#include "trigger.h"

#include "common/os/slice_code.h"
#include "common/trace.h"

#include "chance.h"

/* After this many ticks in a window the next ticks are half as likely. So n occurrences within a short time cost about
 * 4 log2(n) ticks, even if the event was rare before. */
#define TICKS_TO_HALVE 4

/* Returns scale = -1 / ln(1 - 2^-k), where k is the rarity: 1 + floor(exponential * scale) is a geometric variate. From
 * k = 3 on scale is computed by the series 1/x - 1/2 - x/12 - x^2/24 - 19 x^3/720 with x = 2^-k. Its error is 1e-5 for
 * k = 3, and less for larger k. */
static double scale_of(uint32_t rarity)
{
	double x = 1.0 / (double)(1ull << rarity);

	if (rarity == 1)
		return 1.4426950408889634;
	if (rarity == 2)
		return 3.4760594967822070;
	return 1 / x - 0.5 - x / 12 - x * x / 24 - 19 * x * x * x / 720;
}

uint64_t ep_trigger_draw(uint64_t *chance, uint32_t rarity)
{
	return rarity ? 1 + (uint64_t)(ep_chance_exponential(chance) * scale_of(rarity)) : 1;
}

void ep_trigger_init(struct ep_trigger *trigger, uint64_t seed)
{
	/* the state is never 0, and differs much between threads with consecutive seeds */
	*trigger =
		(struct ep_trigger){ .member = -1, .chance = (seed + 1) * 0x9e3779b97f4a7c15u | 1 };
	for (int i = 0; i < 4; i++)
		ep_chance_next(&trigger->chance);
}

/* Returns the weight of an event in the choice; 0: the event cannot end slices. An always-on event is in every group.
 * Its weight is so small that, in all groups together, it is armed as often as another event in its only group. */
static uint32_t weight_of(const struct ep_plan *plan, const struct ep_event *event)
{
	if (!(event->flags & EP_EVENT_TICKS))
		return 0;
	return event->flags & EP_EVENT_ALWAYS ? 1 : plan->n_groups;
}

static int pick(
	struct ep_trigger *trigger, const struct ep_plan *plan, const struct ep_group *group)
{
	uint32_t sum = 0, at;

	for (uint32_t i = 0; i < group->n_events; i++)
		sum += weight_of(plan, &plan->events[group->events[i]]);
	if (!sum)
		return -1;
	at = (ep_chance_next(&trigger->chance) >> 32) % sum;
	for (uint32_t i = 0; i < group->n_events; i++) {
		uint32_t weight = weight_of(plan, &plan->events[group->events[i]]);

		if (at < weight)
			return (int)i;
		at -= weight;
	}
	return -1;
}

/* Returns the rarity with which a window of the usual counts gets one or two ticks. The rarity depends only on counts
 * before the window: if it depended on the window's own counts, samples would choose their own weight. */
static uint32_t rarity_for(uint64_t count, uint64_t n_windows)
{
	uint32_t rarity = 0;

	for (uint64_t mean = count / n_windows; mean > 1 && rarity < EP_RARITY_MAX; mean /= 2)
		rarity++;
	return rarity;
}

EP_SLICE_CODE void ep_trigger_choose(struct ep_trigger *trigger, const struct ep_plan *plan,
	uint32_t group, const uint64_t *counts)
{
	uint64_t n_windows = trigger->n_windows[group];

	trigger->member = n_windows ? pick(trigger, plan, &plan->groups[group]) : -1;
	trigger->n_ticks = 0;
	if (trigger->member < 0)
		return;
	trigger->event = plan->groups[group].events[trigger->member];
	trigger->rarity = rarity_for(counts[trigger->member], n_windows);
	trigger->period = ep_trigger_draw(&trigger->chance, trigger->rarity);
}

EP_SLICE_CODE void ep_trigger_go_on(struct ep_trigger *trigger)
{
	if (trigger->member >= 0)
		trigger->period = ep_trigger_draw(&trigger->chance, trigger->rarity);
}

EP_SLICE_CODE void ep_trigger_note_counts(struct ep_trigger *trigger, const uint64_t *counts)
{
	trigger->ran_over = trigger->member >= 0 && counts[trigger->member] / 2 >= trigger->period;
}

EP_SLICE_CODE void ep_trigger_again(struct ep_trigger *trigger)
{
	if (++trigger->n_ticks % TICKS_TO_HALVE == 0 && trigger->rarity < EP_RARITY_MAX)
		trigger->rarity++;
	trigger->period = ep_trigger_draw(&trigger->chance, trigger->rarity);
}

EP_SLICE_CODE uint32_t ep_trigger_flags(const struct ep_trigger *trigger)
{
	return trigger->member < 0 ? 0 : ep_sample_trigger_flags(trigger->event, trigger->rarity);
}
