#pragma once

#include "kernels/adam_kernel.h"
#include "kernels/attention_kernel.h"
#include "kernels/bfloat16_kernel.h"
#include "kernels/column_sums_kernel.h"
#include "kernels/dropout_kernel.h"
#include "kernels/instruction_set.h"
#include "kernels/layer_norm_kernel.h"
#include "kernels/packed_product_kernel.h"
#include "kernels/softmax_loss_kernel.h"
#include "kernels/step_attention_kernel.h"
#include "kernels/top_tokens_kernel.h"
#include "kernels/transpose_kernel.h"

namespace gloss::kernels {

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
