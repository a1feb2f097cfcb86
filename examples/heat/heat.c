// SPDX-License-Identifier: BSD-3-Clause
/*
 * Computes the heat in a block whose conductivity depends on its temperature: linear hexahedra, implicit Euler steps,
 * conjugate gradients. All threads work on each step. This is an example to profile: its phases load a processor in
 * different ways (arithmetic, gathering, streaming, waiting at barriers).
 *
 * Letters in shapes: N nodes, E elements, Z entries of the matrix (compressed rows).
 */
#include <getopt.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CORNERS 8
#define ROW_MAX 27 /* neighbours of a node, itself included */
#define THREADS_MAX 64
/* Marks the functions of phases. They are not inlined, so that each has a frame of its own in the profile. */
#define PHASE __attribute__((noinline))

struct mesh {
	int n_side, n_nodes, n_elements;
	double (*place)[3];      /* (N, 3) */
	int (*corners)[CORNERS]; /* (E, 8) nodes of an element */
	int *element_start;      /* (N + 1) where a node's elements begin in elements_of */
	int *elements_of;        /* (8 E) element * 8 + corner, by node */
};

struct matrix {
	int *row_start;           /* (N + 1) */
	int *column;              /* (Z) ascending in a row */
	double *value;            /* (Z) */
	int (*position)[CORNERS]; /* (8 E, 8) index in value; NULL: it is searched for */
};

struct solver {
	struct mesh mesh;
	struct matrix matrix;
	double (*stiffness)[CORNERS][CORNERS];                                  /* (E, 8, 8) */
	double *temperature, *load, *solution, *residual, *direction, *product; /* (N) */
	double partial[THREADS_MAX]
		      [8]; /* a thread's part of a dot product, on its own cache line */
	pthread_barrier_t barrier;
	int n_threads, n_steps;
	long n_iterations;
};

struct worker {
	struct solver *solver;
	int index;
	pthread_t thread;
};

struct range {
	int begin, end;
};

static void *allocate(size_t n_items, size_t size_bytes)
{
	void *memory = calloc(n_items, size_bytes);

	if (!memory) {
		fprintf(stderr, "heat: out of memory\n");
		exit(1);
	}
	return memory;
}

/* ---- mesh and structure of the matrix ---- */

/* Numbers the nodes, shuffled alike in each run unless is_ordered: meshes of real parts are numbered no better. */
static int *number_nodes(int n_nodes, bool is_ordered)
{
	int *number = allocate((size_t)n_nodes, sizeof(*number));
	uint64_t state = 88172645463325252;

	for (int i = 0; i < n_nodes; i++)
		number[i] = i;
	for (int i = n_nodes - 1; i > 0 && !is_ordered; i--) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		int j = (int)(state % (uint64_t)(i + 1)), node = number[i];
		number[i] = number[j];
		number[j] = node;
	}
	return number;
}

PHASE static void make_mesh(struct mesh *mesh, int n_side, bool is_ordered)
{
	int n = n_side + 1;

	mesh->n_side = n_side;
	mesh->n_nodes = n * n * n;
	mesh->n_elements = n_side * n_side * n_side;
	mesh->place = allocate((size_t)mesh->n_nodes, sizeof(*mesh->place));
	mesh->corners = allocate((size_t)mesh->n_elements, sizeof(*mesh->corners));
	int *number = number_nodes(mesh->n_nodes, is_ordered);
	for (int i = 0; i < mesh->n_nodes; i++) {
		double *place = mesh->place[number[i]];

		place[0] = (double)(i % n) / n_side;
		place[1] = (double)(i / n % n) / n_side;
		place[2] = (double)(i / n / n) / n_side;
	}
	for (int e = 0; e < mesh->n_elements; e++) {
		int x = e % n_side, y = e / n_side % n_side, z = e / n_side / n_side;

		for (int c = 0; c < CORNERS; c++)
			mesh->corners[e][c] =
				number[x + (c & 1) + n * (y + (c >> 1 & 1) + n * (z + (c >> 2)))];
	}
	free(number);
}

PHASE static void list_elements_of_nodes(struct mesh *mesh)
{
	size_t n_corners = (size_t)mesh->n_elements * CORNERS;
	int *start = allocate((size_t)mesh->n_nodes + 2, sizeof(*start));

	mesh->elements_of = allocate(n_corners, sizeof(*mesh->elements_of));
	for (int e = 0; e < mesh->n_elements; e++)
		for (int c = 0; c < CORNERS; c++)
			start[mesh->corners[e][c] + 2]++;
	for (int i = 2; i <= mesh->n_nodes + 1; i++)
		start[i] += start[i - 1];
	for (int e = 0; e < mesh->n_elements; e++)
		for (int c = 0; c < CORNERS; c++)
			mesh->elements_of[start[mesh->corners[e][c] + 1]++] = e * CORNERS + c;
	mesh->element_start = start;
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Finds the nodes that share an element with node, in ascending order. Returns how many they are. */
static int find_neighbours(const struct mesh *mesh, int node, int out[CORNERS * CORNERS])
{
	int n_found = 0, n_unique = 0;

	for (int k = mesh->element_start[node]; k < mesh->element_start[node + 1]; k++)
		for (int c = 0; c < CORNERS; c++)
			out[n_found++] = mesh->corners[mesh->elements_of[k] / CORNERS][c];
	qsort(out, (size_t)n_found, sizeof(*out), compare_ints);
	for (int i = 0; i < n_found; i++)
		if (!i || out[i] != out[i - 1])
			out[n_unique++] = out[i];
	return n_unique;
}

PHASE static void make_structure(struct matrix *matrix, const struct mesh *mesh)
{
	size_t room = (size_t)mesh->n_nodes * ROW_MAX;
	int neighbours[CORNERS * CORNERS];

	matrix->row_start = allocate((size_t)mesh->n_nodes + 1, sizeof(*matrix->row_start));
	matrix->column = allocate(room, sizeof(*matrix->column));
	matrix->value = allocate(room, sizeof(*matrix->value));
	for (int i = 0; i < mesh->n_nodes; i++) {
		int n = find_neighbours(mesh, i, neighbours), start = matrix->row_start[i];

		memcpy(&matrix->column[start], neighbours, (size_t)n * sizeof(*neighbours));
		matrix->row_start[i + 1] = start + n;
	}
}

/* ---- assembly ---- */

static double conductivity(double temperature)
{
	return 1.0 + 0.5 * exp(-temperature) + 0.1 * sqrt(1.0 + temperature * temperature);
}

/* Computes the gradients of the eight shape functions at a point of the unit cube, for an element of side length h. */
static void shape_gradients(const double point[3], double h, double out[CORNERS][3])
{
	for (int c = 0; c < CORNERS; c++) {
		double f[3], d[3];

		for (int k = 0; k < 3; k++) {
			bool is_far = c >> k & 1;

			f[k] = is_far ? point[k] : 1 - point[k];
			d[k] = (is_far ? 1.0 : -1.0) / h;
		}
		out[c][0] = d[0] * f[1] * f[2];
		out[c][1] = f[0] * d[1] * f[2];
		out[c][2] = f[0] * f[1] * d[2];
	}
}

/* Computes each element's stiffness at 2 x 2 x 2 Gauss points: arithmetic, after the corners' values were gathered. */
PHASE static void compute_elements(struct solver *solver, struct range elements)
{
	static const double gauss[2] = { 0.21132486540518713, 0.78867513459481287 };
	const struct mesh *mesh = &solver->mesh;

	for (int e = elements.begin; e < elements.end; e++) {
		const int *corners = mesh->corners[e];
		double(*stiffness)[CORNERS] = solver->stiffness[e];
		double h = mesh->place[corners[1]][0] - mesh->place[corners[0]][0];
		double gradients[CORNERS][3], mean = 0;

		memset(stiffness, 0, sizeof(solver->stiffness[e]));
		for (int c = 0; c < CORNERS; c++)
			mean += solver->temperature[corners[c]] / CORNERS;
		for (int g = 0; g < 8; g++) {
			double point[3] = { gauss[g & 1], gauss[g >> 1 & 1], gauss[g >> 2] };
			double weight = conductivity(mean + 0.01 * g) * h * h * h / 8;

			shape_gradients(point, h, gradients);
			for (int i = 0; i < CORNERS; i++)
				for (int j = 0; j < CORNERS; j++)
					stiffness[i][j] +=
						weight * (gradients[i][0] * gradients[j][0] +
								 gradients[i][1] * gradients[j][1] +
								 gradients[i][2] * gradients[j][2]);
		}
	}
}

/* Returns the index of a row's column in matrix->column and matrix->value. */
static int find_column(const struct matrix *matrix, int row, int column)
{
	int low = matrix->row_start[row], high = matrix->row_start[row + 1] - 1;

	while (low < high) {
		int middle = (low + high) / 2;

		if (matrix->column[middle] < column)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Finds once to which entries of the matrix each element adds, instead of in each step. The mesh never changes. */
PHASE static void keep_positions(struct matrix *matrix, const struct mesh *mesh)
{
	size_t n_corners = (size_t)mesh->n_elements * CORNERS;

	matrix->position = allocate(n_corners, sizeof(*matrix->position));
	for (int row = 0; row < mesh->n_nodes; row++)
		for (int k = mesh->element_start[row]; k < mesh->element_start[row + 1]; k++) {
			const int *corners = mesh->corners[mesh->elements_of[k] / CORNERS];

			for (int j = 0; j < CORNERS; j++)
				matrix->position[k][j] = find_column(matrix, row, corners[j]);
		}
}

/* Gathers the matrix: each row sums its part of the elements around its node. step: dt over an element's volume. */
PHASE static void gather_rows(struct solver *solver, struct range rows, double step)
{
	const struct mesh *mesh = &solver->mesh;
	struct matrix *matrix = &solver->matrix;

	for (int row = rows.begin; row < rows.end; row++) {
		int start = matrix->row_start[row], end = matrix->row_start[row + 1];

		memset(&matrix->value[start], 0, (size_t)(end - start) * sizeof(double));
		for (int k = mesh->element_start[row]; k < mesh->element_start[row + 1]; k++) {
			int e = mesh->elements_of[k] / CORNERS, c = mesh->elements_of[k] % CORNERS;

			for (int j = 0; j < CORNERS; j++) {
				int at = matrix->position
						 ? matrix->position[k][j]
						 : find_column(matrix, row, mesh->corners[e][j]);

				matrix->value[at] += step * solver->stiffness[e][c][j];
			}
		}
		matrix->value[find_column(matrix, row, row)] += 1.0;
	}
}

/* ---- conjugate gradients ---- */

PHASE static void multiply_matrix(
	const struct matrix *matrix, const double *vector, double *out, struct range rows)
{
	for (int row = rows.begin; row < rows.end; row++) {
		double sum = 0;

		for (int k = matrix->row_start[row]; k < matrix->row_start[row + 1]; k++)
			sum += matrix->value[k] * vector[matrix->column[k]];
		out[row] = sum;
	}
}

PHASE static double sum_products(const double *a, const double *b, struct range range)
{
	double sum = 0;

	for (int i = range.begin; i < range.end; i++)
		sum += a[i] * b[i];
	return sum;
}

/* Returns the dot product over all threads' ranges, added in the order of the threads: all get the same sum. */
static double dot(struct worker *worker, const double *a, const double *b, struct range range)
{
	struct solver *solver = worker->solver;
	double sum = 0;

	solver->partial[worker->index][0] = sum_products(a, b, range);
	pthread_barrier_wait(&solver->barrier);
	for (int t = 0; t < solver->n_threads; t++)
		sum += solver->partial[t][0];
	pthread_barrier_wait(&solver->barrier);
	return sum;
}

/* Computes out = a + factor * b. */
PHASE static void add_scaled(
	double *out, const double *a, double factor, const double *b, struct range range)
{
	for (int i = range.begin; i < range.end; i++)
		out[i] = a[i] + factor * b[i];
}

PHASE static void solve(struct worker *worker, struct range rows)
{
	struct solver *s = worker->solver;
	const int iterations_max = 500;
	int iteration = 0;

	multiply_matrix(&s->matrix, s->solution, s->product, rows);
	add_scaled(s->residual, s->load, -1, s->product, rows);
	add_scaled(s->direction, s->residual, 0, s->residual, rows);
	double norm = dot(worker, s->residual, s->residual, rows), limit = 1e-16 * norm;
	for (; iteration < iterations_max && norm > limit; iteration++) {
		multiply_matrix(&s->matrix, s->direction, s->product, rows);
		double alpha = norm / dot(worker, s->direction, s->product, rows);
		add_scaled(s->solution, s->solution, alpha, s->direction, rows);
		add_scaled(s->residual, s->residual, -alpha, s->product, rows);
		double next = dot(worker, s->residual, s->residual, rows);
		add_scaled(s->direction, s->residual, next / norm, s->direction, rows);
		norm = next;
		pthread_barrier_wait(&s->barrier);
	}
	if (worker->index == 0)
		s->n_iterations += iteration;
}

/* ---- threads ---- */

static struct range share(const struct worker *worker, int n_items)
{
	int n_threads = worker->solver->n_threads, index = worker->index;

	return (struct range){ (int)((long)n_items * index / n_threads),
		(int)((long)n_items * (index + 1) / n_threads) };
}

static void *work(void *data)
{
	struct worker *worker = data;
	struct solver *solver = worker->solver;
	struct range rows = share(worker, solver->mesh.n_nodes);
	struct range elements = share(worker, solver->mesh.n_elements);
	double volume = pow(solver->mesh.n_side, -3);

	for (int step = 0; step < solver->n_steps; step++) {
		compute_elements(solver, elements);
		pthread_barrier_wait(&solver->barrier);
		gather_rows(solver, rows, 0.002 / volume);
		add_scaled(solver->load, solver->temperature, 0, solver->temperature, rows);
		pthread_barrier_wait(&solver->barrier);
		solve(worker, rows);
		add_scaled(solver->temperature, solver->solution, 0, solver->solution, rows);
		pthread_barrier_wait(&solver->barrier);
	}
	return NULL;
}

static void start_temperature(struct solver *solver)
{
	for (int i = 0; i < solver->mesh.n_nodes; i++) {
		const double *x = solver->mesh.place[i];
		double r = (x[0] - 0.3) * (x[0] - 0.3) + (x[1] - 0.4) * (x[1] - 0.4) + x[2] * x[2];

		solver->temperature[i] = solver->solution[i] = 10 * exp(-20 * r);
	}
}

static void make_solver(struct solver *solver, int n_side, bool is_ordered, bool is_kept)
{
	make_mesh(&solver->mesh, n_side, is_ordered);
	list_elements_of_nodes(&solver->mesh);
	make_structure(&solver->matrix, &solver->mesh);
	if (is_kept)
		keep_positions(&solver->matrix, &solver->mesh);
	size_t n_nodes = (size_t)solver->mesh.n_nodes;
	double **vectors[] = { &solver->temperature, &solver->load, &solver->solution,
		&solver->residual, &solver->direction, &solver->product };
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		*vectors[i] = allocate(n_nodes, sizeof(double));
	solver->stiffness = allocate((size_t)solver->mesh.n_elements, sizeof(*solver->stiffness));
	start_temperature(solver);
}

static void run(struct solver *solver)
{
	struct worker workers[THREADS_MAX];

	pthread_barrier_init(&solver->barrier, NULL, (unsigned)solver->n_threads);
	for (int t = 0; t < solver->n_threads; t++) {
		workers[t] = (struct worker){ .solver = solver, .index = t };
		if (t && pthread_create(&workers[t].thread, NULL, work, &workers[t])) {
			fprintf(stderr, "heat: cannot start a thread\n");
			exit(1);
		}
	}
	work(&workers[0]);
	for (int t = 1; t < solver->n_threads; t++)
		pthread_join(workers[t].thread, NULL);
}

static void print_result(const struct solver *solver)
{
	double hottest = 0, sum = 0;

	for (int i = 0; i < solver->mesh.n_nodes; i++) {
		hottest = fmax(hottest, solver->temperature[i]);
		sum += solver->temperature[i];
	}
	printf("%d nodes, %d entries, %d threads, %d steps, %ld iterations\n"
	       "hottest %.6f, mean %.6f\n",
		solver->mesh.n_nodes, solver->matrix.row_start[solver->mesh.n_nodes],
		solver->n_threads, solver->n_steps, solver->n_iterations, hottest,
		sum / solver->mesh.n_nodes);
}

int main(int argc, char **argv)
{
	static struct solver solver = { .n_threads = 3, .n_steps = 12 };
	int code, n_side = 40;
	bool is_ordered = false, is_kept = false, is_wrong = false;

	while ((code = getopt(argc, argv, "n:t:s:ok")) != -1) {
		if (code == 'n')
			n_side = atoi(optarg);
		else if (code == 't')
			solver.n_threads = atoi(optarg);
		else if (code == 's')
			solver.n_steps = atoi(optarg);
		else if (code == 'o')
			is_ordered = true;
		else if (code == 'k')
			is_kept = true;
		else
			is_wrong = true;
	}
	if (is_wrong || optind < argc || n_side < 1 || n_side > 400 || solver.n_threads < 1 ||
		solver.n_threads > THREADS_MAX || solver.n_steps < 0) {
		fprintf(stderr,
			"usage: heat [-n SIDE] [-t THREADS] [-s STEPS] [-o] [-k]\n"
			"  -o numbers the nodes in order instead of shuffling them\n"
			"  -k keeps where in the matrix elements go, instead of searching in each step\n");
		return 2;
	}
	make_solver(&solver, n_side, is_ordered, is_kept);
	run(&solver);
	print_result(&solver);
	return 0;
}
