#pragma once

// Declarations of the kernels in the namespace of their instruction set. Included by the bodies only.
#include "kernels/kernel_table.h"

namespace gloss::kernels::GLOSS_INSTRUCTION_SET {

AdamKernel adam;
SquaresKernel sum_of_squares;
DropoutKernel dropout;
DropoutAndAddKernel dropout_and_add;
ReluAndDropoutKernel relu_and_dropout;
ReluAndDropoutBackwardKernel relu_and_dropout_backward;
SoftmaxLossKernel softmax_loss;
AttentionKernel attention;
AttentionBackwardKernel attention_backward;
ColumnSumsKernel column_sums;
TransposeKernel transpose;
ToBfloat16Kernel to_bfloat16;
ToBfloat16PairsKernel to_bfloat16_pairs;
LayerNormKernel layer_norm;
PackedProductKernel packed_product;
StepAttentionKernel step_attention;
TopTokensKernel top_tokens;

}  // namespace gloss::kernels::GLOSS_INSTRUCTION_SET
