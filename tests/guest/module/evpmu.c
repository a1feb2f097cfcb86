// SPDX-License-Identifier: GPL-2.0
// A PMU named "cpu" of type PERF_TYPE_RAW for guests whose processor has none. Programs say what they counted, so
// that every test knows the true counts of every procedure.
#include <linux/kprobes.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/uaccess.h>

#include "evpmu.h"

// The module counts for whole CPUs in per-CPU state; the guest has one processor.
#define N_GENERAL_MAX 8
#define N_FIXED_MAX 3

static unsigned int n_general = 4;
module_param(n_general, uint, 0444);
static unsigned int n_fixed = 2;
module_param(n_fixed, uint, 0444);
// One general counter is busy, as the NMI watchdog's is: groups that need it open and never run.
static unsigned int n_stolen;
module_param(n_stolen, uint, 0644);

struct slots {
	struct perf_event *events[N_GENERAL_MAX + N_FIXED_MAX];
};
static DEFINE_PER_CPU(struct slots, slots);

// The kernel does not export perf_event_overflow to modules; a probe that is never armed finds its address.
static int (*overflow)(
	struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs);

static int find_overflow(void)
{
	struct kprobe probe = { .symbol_name = "perf_event_overflow",
		.flags = KPROBE_FLAG_DISABLED };
	int error = register_kprobe(&probe);

	if (error)
		return error;
	overflow = (void *)probe.addr;
	unregister_kprobe(&probe);
	return 0;
}

static const u32 generic_codes[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES] = EVPMU_CYCLES,
	[PERF_COUNT_HW_INSTRUCTIONS] = EVPMU_INSTRUCTIONS,
	[PERF_COUNT_HW_CACHE_REFERENCES] = EVPMU_CACHE_REFERENCES,
	[PERF_COUNT_HW_CACHE_MISSES] = EVPMU_CACHE_MISSES,
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = EVPMU_BRANCHES,
	[PERF_COUNT_HW_BRANCH_MISSES] = EVPMU_BRANCH_MISSES,
};

static int code_of(const struct perf_event_attr *attr)
{
	u64 config = attr->config;

	switch (attr->type) {
	case PERF_TYPE_RAW:
		if (config >= EVPMU_FIRST && (config & 0xff0000) == EVPMU_FIRST)
			return config < EVPMU_END ? config : -ENOENT;
		return config > 0 && config <= S32_MAX ? config : -ENOENT;
	case PERF_TYPE_HARDWARE:
		if (config >= PERF_COUNT_HW_MAX || !generic_codes[config])
			return -ENOENT;
		return generic_codes[config];
	case PERF_TYPE_HW_CACHE:
		if (config == (PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_OP_READ << 8))
			return EVPMU_L1D_LOADS;
		if (config == (PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_OP_READ << 8 |
				      PERF_COUNT_HW_CACHE_RESULT_MISS << 16))
			return EVPMU_L1D_LOAD_MISSES;
		return -ENOENT;
	}
	return -ENOENT;
}

// The counters that can hold the event, as bits: general counters first, fixed ones from N_GENERAL_MAX.
static unsigned long counters_for(int code, unsigned int n_usable)
{
	unsigned long general = (1ul << n_usable) - 1;
	unsigned int fixed = code == EVPMU_INSTRUCTIONS ? 0
			     : code == EVPMU_CYCLES     ? 1
							: N_FIXED_MAX;

	if (code == EVPMU_ONLY_0 || code == EVPMU_ONLY_0_TOO)
		return general & 1;
	if (fixed < n_fixed)
		general |= 1ul << (N_GENERAL_MAX + fixed);
	return general;
}

// Takes the rarest counter that is free: fixed ones before general, high before low.
static int take_counter(unsigned long possible, unsigned long used)
{
	return possible & ~used ? __fls(possible & ~used) : -EAGAIN;
}

static int add_to_group(struct perf_event *event, unsigned long *used)
{
	int code = code_of(&event->attr), counter;

	if (code < 0 || event->pmu->type != PERF_TYPE_RAW)
		return 0;
	counter = take_counter(counters_for(code, n_general), *used);
	if (counter < 0)
		return -EINVAL;
	*used |= 1ul << counter;
	return 0;
}

// Constrained events are placed first, as the real driver does by weight.
static int check_group(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	unsigned long used = 0;
	int constrained, error = 0;

	for (constrained = 1; constrained >= 0 && !error; constrained--) {
		int code = code_of(&event->attr);

#define IS_ROUND(code_) (((code_) == EVPMU_ONLY_0 || (code_) == EVPMU_ONLY_0_TOO) == constrained)
		if (IS_ROUND(code))
			error = add_to_group(event, &used);
		if (leader == event)
			continue;
		if (!error && IS_ROUND(code_of(&leader->attr)))
			error = add_to_group(leader, &used);
		for_each_sibling_event(sibling,
			leader) if (!error && sibling != event && IS_ROUND(code_of(&sibling->attr)))
			error = add_to_group(sibling, &used);
	}
	return error;
}

static int evpmu_event_init(struct perf_event *event)
{
	int code = code_of(&event->attr);

	if (code < 0)
		return code;
	event->hw.config = code;
	event->hw.idx = -1;
	return check_group(event);
}

// A new period, also one set by PERF_EVENT_IOC_PERIOD, leaves nothing of the old one.
static void start(struct perf_event *event, int flags)
{
	if (is_sampling_event(event) && local64_read(&event->hw.period_left) <= 0)
		local64_set(&event->hw.period_left, event->hw.sample_period);
	event->hw.state = 0;
	perf_event_update_userpage(event);
}

static void stop(struct perf_event *event, int flags)
{
	event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int add(struct perf_event *event, int flags)
{
	struct slots *here = this_cpu_ptr(&slots);
	unsigned long used = 0;
	int i, counter;

	if (event->hw.config == EVPMU_NEVER)
		return -EAGAIN;
	for (i = 0; i < ARRAY_SIZE(here->events); i++)
		if (here->events[i])
			used |= 1ul << i;
	counter = take_counter(
		counters_for(event->hw.config, n_general - min(n_stolen, n_general)), used);
	if (counter < 0)
		return counter;
	here->events[counter] = event;
	event->hw.idx = counter;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		start(event, flags);
	return 0;
}

static void del(struct perf_event *event, int flags)
{
	stop(event, PERF_EF_UPDATE);
	this_cpu_ptr(&slots)->events[event->hw.idx] = NULL;
	event->hw.idx = -1;
	perf_event_update_userpage(event);
}

// The counter overflows after every period; the rest of the amount goes into the next one. It returns what it did not
// count because the event stopped itself with an overflow: a program would come to that behind the signal.
static u64 count(struct perf_event *event, u64 amount, struct pt_regs *regs)
{
	struct perf_sample_data data;

	if (event->hw.state & PERF_HES_STOPPED)
		return 0;
	while (amount && !(event->hw.state & PERF_HES_STOPPED)) {
		u64 left = is_sampling_event(event) ? local64_read(&event->hw.period_left) : ~0ull;
		u64 step = min(amount, left);

		local64_add(step, &event->count);
		amount -= step;
		if (!is_sampling_event(event))
			continue;
		local64_sub(step, &event->hw.period_left);
		if (step < left)
			continue;
		local64_set(&event->hw.period_left, event->hw.sample_period);
		event->hw.last_period = event->hw.sample_period;
		perf_sample_data_init(&data, 0, event->hw.last_period);
		if (overflow(event, &data, regs))
			stop(event, 0);
	}
	return amount;
}

// Programs drive the counters from when they open the device. Before that, whoever tries whether a counter counts and
// overflows executes instructions: as many as a short loop between two reads.
#define INSTRUCTIONS_OF_A_LOOP 200000
static atomic_t n_drivers = ATOMIC_INIT(0);

static void read(struct perf_event *event)
{
	bool is_alone = event->group_leader == event && !event->nr_siblings;

	if (is_alone && event->hw.config == EVPMU_INSTRUCTIONS && !atomic_read(&n_drivers))
		count(event, INSTRUCTIONS_OF_A_LOOP, task_pt_regs(current));
}

static int evpmu_open(struct inode *inode, struct file *file)
{
	atomic_inc(&n_drivers);
	return 0;
}

static int evpmu_release(struct inode *inode, struct file *file)
{
	atomic_dec(&n_drivers);
	return 0;
}

static u64 amount_of(const struct evpmu_amounts *amounts, u64 code)
{
	unsigned int i;

	for (i = 0; i < amounts->n; i++)
		if (amounts->amounts[i].code == code)
			return amounts->amounts[i].amount;
	return 0;
}

static void keep_rest(struct evpmu_amounts *rest, u64 code, u64 amount)
{
	if (!amount)
		return;
	rest->amounts[rest->n].code = code;
	rest->amounts[rest->n++].amount = amount;
}

static long evpmu_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct evpmu_amounts amounts, rest = { .n = 0 };
	unsigned long flags;
	struct slots *here;
	int i;

	if (command != EVPMU_ADD)
		return -ENOTTY;
	if (copy_from_user(&amounts, (void __user *)argument, sizeof(amounts)))
		return -EFAULT;
	if (amounts.n > EVPMU_MAX_AMOUNTS)
		return -EINVAL;
	local_irq_save(flags);
	here = this_cpu_ptr(&slots);
	for (i = 0; i < ARRAY_SIZE(here->events); i++)
		if (here->events[i])
			keep_rest(&rest, here->events[i]->hw.config,
				count(here->events[i],
					amount_of(&amounts, here->events[i]->hw.config),
					task_pt_regs(current)));
	local_irq_restore(flags);
	if (!rest.n)
		return 0;
	return copy_to_user((void __user *)argument, &rest, sizeof(rest)) ? -EFAULT : EVPMU_REST;
}

PMU_FORMAT_ATTR(event, "config:0-7");
PMU_FORMAT_ATTR(umask, "config:8-15");
static struct attribute *format_attrs[] = { &format_attr_event.attr, &format_attr_umask.attr,
	NULL };
static const struct attribute_group format_group = { .name = "format", .attrs = format_attrs };
static const struct attribute_group *attr_groups[] = { &format_group, NULL };

static struct pmu evpmu = {
	.task_ctx_nr = perf_hw_context,
	.attr_groups = attr_groups,
	.event_init = evpmu_event_init,
	.add = add,
	.del = del,
	.start = start,
	.stop = stop,
	.read = read,
};

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = evpmu_open,
	.release = evpmu_release,
	.unlocked_ioctl = evpmu_ioctl,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "evpmu",
	.mode = 0666,
	.fops = &operations,
};

static int __init evpmu_init(void)
{
	int error;

	if (!n_general || n_general > N_GENERAL_MAX || n_fixed > N_FIXED_MAX)
		return -EINVAL;
	error = find_overflow();
	if (error)
		return error;
	error = perf_pmu_register(&evpmu, "cpu", PERF_TYPE_RAW);
	if (error)
		return error;
	error = misc_register(&device);
	if (error)
		perf_pmu_unregister(&evpmu);
	return error;
}

static void __exit evpmu_exit(void)
{
	misc_deregister(&device);
	perf_pmu_unregister(&evpmu);
}

module_init(evpmu_init);
module_exit(evpmu_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A performance monitoring unit that programs drive, for tests");
