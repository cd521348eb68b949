#pragma once

#include <array>
#include <string>

#include "kernels/adam_kernel.h"
#include "kernels/attention_kernel.h"
#include "kernels/dropout_kernel.h"
#include "kernels/layer_norm_kernel.h"
#include "kernels/matrix_kernel.h"
#include "kernels/packed_product_kernel.h"
#include "kernels/softmax_loss_kernel.h"
#include "kernels/step_attention_kernel.h"
#include "kernels/top_tokens_kernel.h"

namespace gloss::kernels {

/// An instruction set that the kernels are compiled for. Each includes those before it.
enum class InstructionSet {
  kGeneric,     ///< the compiler's default for the architecture
  kAvx2,        ///< and FMA
  kAvx512,      ///< F, BW, DQ and VL
  kAvx512Vnni,  ///< and products of int8
  kAvx512Bf16,  ///< and products of bfloat16
};

inline constexpr std::array kInstructionSets{InstructionSet::kGeneric, InstructionSet::kAvx2, InstructionSet::kAvx512,
                                             InstructionSet::kAvx512Vnni, InstructionSet::kAvx512Bf16};

/// Returns whether this processor and its operating system can run the set.
bool is_supported(InstructionSet set);

/// Returns the set's name: "generic", "avx2", "avx512", "avx512_vnni" or "avx512_bf16".
std::string name_of(InstructionSet set);

/// Returns the set called `name`, or the best supported set if `name` is empty. Throws UsageError, which lists the
/// supported sets, if no set has this name or the processor lacks the set.
InstructionSet choose_instruction_set(const std::string& name);

/// Returns the set that kernel_table() uses: the one named by the environment variable GLOSS_KERNELS, otherwise the
/// best supported one. The variable is read once. Throws as choose_instruction_set does.
///
///     GLOSS_KERNELS=avx2 gloss translate --model model.safetensors
InstructionSet active_instruction_set();

/// The kernels of one instruction set. The sources (*_body.cpp) are compiled once for each set.
struct KernelTable {
  AdamKernel* adam;
  SquaresKernel* sum_of_squares;
  DropoutKernel* dropout;
  DropoutAndAddKernel* dropout_and_add;
  ReluAndDropoutKernel* relu_and_dropout;
  ReluAndDropoutBackwardKernel* relu_and_dropout_backward;
  SoftmaxLossKernel* softmax_loss;
  AttentionKernel* attention;
  AttentionBackwardKernel* attention_backward;
  ColumnSumsKernel* column_sums;
  TransposeKernel* transpose;
  ToBfloat16Kernel* to_bfloat16;
  ToBfloat16PairsKernel* to_bfloat16_pairs;
  LayerNormKernel* layer_norm;
  PackedProductKernel* packed_product;
  StepAttentionKernel* step_attention;
  TopTokensKernel* top_tokens;
};

/// Returns the kernels compiled for `set`, or null if this program has none or this processor cannot run them.
const KernelTable* kernel_table(InstructionSet set);
/// Returns the kernels of active_instruction_set(). Throws as it does.
const KernelTable& kernel_table();

}  // namespace gloss::kernels
