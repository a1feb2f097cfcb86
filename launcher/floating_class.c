// SPDX-License-Identifier: BSD-3-Clause
/*
 * Knows the names of x86's floating-point arithmetic (Intel's manual, volume 2). An instruction counts if the events
 * FP_ARITH_INST_RETIRED count it. Minimum, maximum and horizontal sums count as additions, approximate reciprocals as
 * products, roots as divisions, dot products as products with sums. Moves, comparisons, conversions, roundings and
 * logic do not count.
 */
#include "floating_class.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "common/callgrind.h"
#include "common/cleanup.h"

struct name {
	const char *text;
	enum ep_floating_operation operation;
};

/* The names are without the v that AVX puts before them, and without the suffix for the type of the elements. */
static const struct name names[] = {
	{ "add", EP_FLOATING_ADD },
	{ "sub", EP_FLOATING_ADD },
	{ "addsub", EP_FLOATING_ADD },
	{ "hadd", EP_FLOATING_ADD },
	{ "hsub", EP_FLOATING_ADD },
	{ "min", EP_FLOATING_ADD },
	{ "max", EP_FLOATING_ADD },
	{ "mul", EP_FLOATING_MUL },
	{ "rcp", EP_FLOATING_MUL },
	{ "rsqrt", EP_FLOATING_MUL },
	{ "div", EP_FLOATING_DIV },
	{ "sqrt", EP_FLOATING_DIV },
	{ "dp", EP_FLOATING_FMA },
};

static const struct name x87_names[] = {
	{ "fadd", EP_FLOATING_ADD },
	{ "faddp", EP_FLOATING_ADD },
	{ "fiadd", EP_FLOATING_ADD },
	{ "fsub", EP_FLOATING_ADD },
	{ "fsubp", EP_FLOATING_ADD },
	{ "fsubr", EP_FLOATING_ADD },
	{ "fsubrp", EP_FLOATING_ADD },
	{ "fisub", EP_FLOATING_ADD },
	{ "fisubr", EP_FLOATING_ADD },
	{ "fmul", EP_FLOATING_MUL },
	{ "fmulp", EP_FLOATING_MUL },
	{ "fimul", EP_FLOATING_MUL },
	{ "fdiv", EP_FLOATING_DIV },
	{ "fdivp", EP_FLOATING_DIV },
	{ "fdivr", EP_FLOATING_DIV },
	{ "fdivrp", EP_FLOATING_DIV },
	{ "fidiv", EP_FLOATING_DIV },
	{ "fidivr", EP_FLOATING_DIV },
	{ "fsqrt", EP_FLOATING_DIV },
};

static const struct name *find_name(
	const struct name *rows, size_t n_rows, const char *text, size_t size)
{
	for (size_t i = 0; i < n_rows; i++)
		if (strlen(rows[i].text) == size && !strncmp(rows[i].text, text, size))
			return &rows[i];
	return NULL;
}

/* Tells whether a name is a product with a sum, such as "fmadd231", "fnmsub" or "fmaddsub132". */
static bool is_fma(const char *text, size_t size)
{
	size_t n = text[0] != 'f' ? 0 : text[1] == 'n' ? 2 : 1;

	return n && size >= n + 4 &&
	       (!strncmp(text + n, "madd", 4) || !strncmp(text + n, "msub", 4));
}

static enum ep_floating_width width_of(const char *operands)
{
	return strstr(operands, "ymm") ? EP_FLOATING_256 : EP_FLOATING_128;
}

static int class_of_vector(const char *mnemonic, const char *operands)
{
	const char *name = mnemonic + (mnemonic[0] == 'v');
	size_t size = strlen(name);

	if (size < 4)
		return -1;
	char kind = name[size - 2], precision = name[size - 1];
	bool has_suffix = (kind == 's' || kind == 'p') && (precision == 's' || precision == 'd');
	const struct name *found = find_name(names, EP_ARRAY_SIZE(names), name, size - 2);
	bool is_known = found || is_fma(name, size - 2);

	if (!has_suffix || !is_known || !strstr(operands, "mm"))
		return -1;
	enum ep_floating_width width = kind == 's' ? EP_FLOATING_SCALAR : width_of(operands);
	return (int)EP_FLOATING_CLASS(
		width, precision == 's', found ? found->operation : EP_FLOATING_FMA);
}

int ep_floating_class_of(const char *mnemonic, const char *operands)
{
	const struct name *x87 =
		find_name(x87_names, EP_ARRAY_SIZE(x87_names), mnemonic, strlen(mnemonic));

	if (x87)
		return (int)EP_FLOATING_CLASS(EP_FLOATING_SCALAR, false, x87->operation);
	return class_of_vector(mnemonic, operands);
}
