// Compiled once for each instruction set (kernel_table.h).
#include "kernels/bodies/kernel_bodies.h"

namespace gloss::kernels::GLOSS_INSTRUCTION_SET {

extern const KernelTable table;
const KernelTable table{.adam = adam,
                        .sum_of_squares = sum_of_squares,
                        .dropout = dropout,
                        .dropout_and_add = dropout_and_add,
                        .relu_and_dropout = relu_and_dropout,
                        .relu_and_dropout_backward = relu_and_dropout_backward,
                        .softmax_loss = softmax_loss,
                        .attention = attention,
                        .attention_backward = attention_backward,
                        .column_sums = column_sums,
                        .transpose = transpose,
                        .to_bfloat16 = to_bfloat16,
                        .to_bfloat16_pairs = to_bfloat16_pairs,
                        .layer_norm = layer_norm,
                        .packed_product = packed_product,
                        .step_attention = step_attention,
                        .top_tokens = top_tokens};

}  // namespace gloss::kernels::GLOSS_INSTRUCTION_SET
