/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A number of the report with its error, or the reason why there is no value. Callers must ask
 * ep_quantity_is_known before they use the value.
 */
#ifndef EVPROF_REPORTER_FACTS_QUANTITY_H
#define EVPROF_REPORTER_FACTS_QUANTITY_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum ep_quantity_state {
	EP_QUANTITY_UNKNOWN, /* there is no value; reason tells why, or is NULL */
	EP_QUANTITY_ROUGH,   /* there is a value, but its error is not known */
	/* value and error are known; an error of 0 means that the value is exact */
	EP_QUANTITY_KNOWN,
};

struct ep_quantity {
	double value;
	double error; /* standard error, in the unit of value */
	enum ep_quantity_state state;
	const char *reason; /* a part of a sentence, "the run is a simulation"; or NULL */
};

static inline struct ep_quantity ep_quantity_unknown(const char *reason)
{
	return (struct ep_quantity){ .reason = reason };
}

static inline struct ep_quantity ep_quantity_exact(double value)
{
	return (struct ep_quantity){ .value = value, .state = EP_QUANTITY_KNOWN };
}

/* Makes a quantity with an error; NaN: the error is not known. */
static inline struct ep_quantity ep_quantity_within(double value, double error)
{
	return (struct ep_quantity){ .value = value,
		.error = isnan(error) ? 0 : error,
		.state = isnan(error) ? EP_QUANTITY_ROUGH : EP_QUANTITY_KNOWN };
}

static inline bool ep_quantity_is_known(const struct ep_quantity *quantity)
{
	return quantity->state != EP_QUANTITY_UNKNOWN;
}

static inline double ep_quantity_or(const struct ep_quantity *quantity, double otherwise)
{
	return ep_quantity_is_known(quantity) ? quantity->value : otherwise;
}

/* An error bar has this many standard errors on either side of a value. */
#define EP_BAR_ERRORS 2

/* Returns the standard error; NaN: it is not known. */
static inline double ep_quantity_error(const struct ep_quantity *quantity)
{
	return quantity->state == EP_QUANTITY_KNOWN ? quantity->error : NAN;
}

static inline double ep_quantity_bar(const struct ep_quantity *quantity)
{
	return EP_BAR_ERRORS * ep_quantity_error(quantity);
}

/* Sets the error; NaN means that it is not known. An unknown quantity stays unknown. */
static inline void ep_quantity_set_error(struct ep_quantity *quantity, double error)
{
	if (ep_quantity_is_known(quantity))
		*quantity = ep_quantity_within(quantity->value, error);
}

/* Returns the error of a sum of two independent parts. hypot is not used, since its last digit differs
 * between machines. */
static inline double ep_error_add(double a, double b)
{
	return sqrt(a * a + b * b);
}

/* Makes a quantity of a computed number; NaN means that there is no result, for the reason given. */
static inline struct ep_quantity ep_quantity_of(double number, const char *reason)
{
	return isnan(number) ? ep_quantity_unknown(reason) : ep_quantity_exact(number);
}

#endif
