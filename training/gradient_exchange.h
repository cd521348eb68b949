#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "model/encoder_decoder.h"
#include "tensor/workers.h"
#include "training/adam.h"
#include "training/flat_adam.h"
#include "training/gradients.h"
#include "training/processes/exchange.h"

namespace gloss {

/// Adds the sums of a batch's shards over all processes. Each process has the sums of some nodes of the tree and gets
/// those of its slice over all shards, in the order of the tree. So the bits do not depend on the number of processes.
/// A process sends its nodes' gradients except for its own slice: (size - 1) / size of their bytes. If the processes do
/// not divide the optimizer's state (Adam::divides_state), it then sends the sum of its slice to the others.
class GradientExchange {
 public:
  /// For the trained parameters of `adam`. `exchange` and `workers` must outlive this.
  GradientExchange(Exchange& exchange, const EncoderDecoder& model, const Adam& adam, Workers& workers);

  /// Returns the nodes of a batch of `shards` shards that this process computes.
  std::vector<ShardNode> nodes(std::int64_t shards) const;
  /// Takes the sums of `nodes(shards)`. Returns the sum over all shards, with the gradients that Adam::set_gradients
  /// takes.
  ShardSums sum(std::int64_t shards, std::vector<ShardSums> own);

  Exchange& exchange() const { return *exchange_; }

 private:
  at::Tensor flatten(const std::vector<ShardSums>& sums) const;
  at::Tensor defined_anywhere(const std::vector<ShardSums>& own) const;
  Gradients whole(const at::Tensor& slice, const at::Tensor& defined) const;
  void exchange_numbers(const std::vector<ShardSums>& own, std::vector<std::vector<ShardSums>>& all) const;
  void exchange_statistics(const std::vector<ShardSums>& own, std::vector<std::vector<ShardSums>>& all) const;

  Exchange* exchange_;
  Workers* workers_;
  std::vector<at::Tensor> parameters_;
  FlatLayout layout_;                ///< of the parameters; FlatAdam has the same
  bool divided_;                     ///< Adam::divides_state
  std::vector<at::Tensor> running_;  ///< running statistics, to name them by their index
};

}  // namespace gloss
