/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The 45 kernels of floating-point instructions for GPUs (kernels/sets/gpu). A kernel repeats one instruction
 * 256, 512 or 1024 times: addition (A), subtraction (S), multiplication (M), square root (SQ) or fused
 * multiply-add (F), in half (H), single (S) or double (D) precision. Each instruction works on the result of the
 * instruction before. A kernel has no other floating-point instructions.
 *
 * The instructions are written in assembler, since a compiler would fold, fuse or reorder them. The last
 * result is stored, since NVIDIA's assembler removes instructions whose result is not used. HIP (AMD) and
 * CUDA (NVIDIA) are supported. AMD's subtraction in double precision is an addition with a negated operand,
 * as AMD's compiler writes it. NVIDIA has no single instruction for square roots in half and double precision,
 * so for NVIDIA the six kernels of these are missing. No header is included, so that clang can compile this file
 * without ROCm or CUDA.
 */
#ifndef EVPROF_KERNELS_GPU_GPU_KERNELS_H
#define EVPROF_KERNELS_GPU_GPU_KERNELS_H

#ifdef __HIP__
#define EP_GPU_NAME "HIP"
#define EP_GPU_HAS_ALL_ROOTS 1
#define EP_GPU_TYPE_H unsigned int /* the bits of a half, in a 32-bit register */
#define EP_GPU_H "v"               /* the constraint of asm() for a register of this precision */
#define EP_GPU_S "v"
#define EP_GPU_D "v"
#define EP_GPU_A_H "v_add_f16 %0, %0, %1"
#define EP_GPU_A_S "v_add_f32 %0, %0, %1"
#define EP_GPU_A_D "v_add_f64 %0, %0, %1"
#define EP_GPU_S_H "v_sub_f16 %0, %0, %1"
#define EP_GPU_S_S "v_sub_f32 %0, %0, %1"
#define EP_GPU_S_D "v_add_f64 %0, %0, -%1"
#define EP_GPU_M_H "v_mul_f16 %0, %0, %1"
#define EP_GPU_M_S "v_mul_f32 %0, %0, %1"
#define EP_GPU_M_D "v_mul_f64 %0, %0, %1"
#define EP_GPU_SQ_H "v_sqrt_f16 %0, %0"
#define EP_GPU_SQ_S "v_sqrt_f32 %0, %0"
#define EP_GPU_SQ_D "v_sqrt_f64 %0, %0"
#define EP_GPU_F_H "v_fma_f16 %0, %0, %1, %1"
#define EP_GPU_F_S "v_fma_f32 %0, %0, %1, %1"
#define EP_GPU_F_D "v_fma_f64 %0, %0, %1, %1"
#else
#define EP_GPU_NAME "CUDA"
#define EP_GPU_HAS_ALL_ROOTS 0
#define EP_GPU_TYPE_H unsigned short /* the bits of a half */
#define EP_GPU_H "h"
#define EP_GPU_S "f"
#define EP_GPU_D "d"
#define EP_GPU_A_H "add.rn.f16 %0, %0, %1;"
#define EP_GPU_A_S "add.rn.f32 %0, %0, %1;"
#define EP_GPU_A_D "add.rn.f64 %0, %0, %1;"
#define EP_GPU_S_H "sub.rn.f16 %0, %0, %1;"
#define EP_GPU_S_S "sub.rn.f32 %0, %0, %1;"
#define EP_GPU_S_D "sub.rn.f64 %0, %0, %1;"
#define EP_GPU_M_H "mul.rn.f16 %0, %0, %1;"
#define EP_GPU_M_S "mul.rn.f32 %0, %0, %1;"
#define EP_GPU_M_D "mul.rn.f64 %0, %0, %1;"
#define EP_GPU_SQ_S "sqrt.approx.ftz.f32 %0, %0;"
#define EP_GPU_F_H "fma.rn.f16 %0, %0, %1, %1;"
#define EP_GPU_F_S "fma.rn.f32 %0, %0, %1, %1;"
#define EP_GPU_F_D "fma.rn.f64 %0, %0, %1, %1;"
#endif

#define EP_GPU_TYPE_S float
#define EP_GPU_TYPE_D double
#ifdef __global__
#define EP_GPU_GLOBAL __global__
#else
#define EP_GPU_GLOBAL __attribute__((global))
#endif

#define EP_GPU_4(what) what what what what
#define EP_GPU_256(what) EP_GPU_4(EP_GPU_4(EP_GPU_4(EP_GPU_4(what))))
#define EP_GPU_512(what) EP_GPU_256(what) EP_GPU_256(what)
#define EP_GPU_1024(what) EP_GPU_4(EP_GPU_256(what))

#define EP_GPU_KERNEL(op, precision, n)                                                            \
	extern "C" EP_GPU_GLOBAL void op##_##precision##_##n(EP_GPU_TYPE_##precision *out,         \
		EP_GPU_TYPE_##precision x, EP_GPU_TYPE_##precision y)                              \
	{                                                                                          \
		EP_GPU_##n(asm volatile(EP_GPU_##op##_##precision                                  \
					: "+" EP_GPU_##precision(x)                                \
					: EP_GPU_##precision(y));) *out = x;                       \
	}
#define EP_GPU_KERNELS_OF(op, precision)                                                           \
	EP_GPU_KERNEL(op, precision, 256)                                                          \
	EP_GPU_KERNEL(op, precision, 512)                                                          \
	EP_GPU_KERNEL(op, precision, 1024)

/* EP_GPU_EACH(what) expands to what(op, precision) for each pair for which this GPU has a single instruction. */
#if EP_GPU_HAS_ALL_ROOTS
#define EP_GPU_EACH_ROOT(what) what(SQ, H) what(SQ, S) what(SQ, D)
#else
#define EP_GPU_EACH_ROOT(what) what(SQ, S)
#endif
#define EP_GPU_EACH_OF(what, op) what(op, H) what(op, S) what(op, D)
#define EP_GPU_EACH(what)                                                                          \
	EP_GPU_EACH_OF(what, A)                                                                    \
	EP_GPU_EACH_OF(what, S)                                                                    \
	EP_GPU_EACH_OF(what, M)                                                                    \
	EP_GPU_EACH_ROOT(what)                                                                     \
	EP_GPU_EACH_OF(what, F)

EP_GPU_EACH(EP_GPU_KERNELS_OF)

#endif
