#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

namespace gloss {

/// Which positions a query may attend to. A small value; as a tensor it is bool and true means visible.
class Mask {
 public:
  /// Everything is visible.
  static Mask none();
  /// In sentence b the keys from lengths[b] on are hidden.
  static Mask padding(std::vector<std::int64_t> lengths);
  /// Besides, query t sees no key later than itself (where there are more keys than queries, the queries are the last).
  /// Without lengths no key is padding.
  static Mask causal(std::vector<std::int64_t> lengths = {});

  /// This mask with the keys hidden where `hidden` [B, S] (bool) is true.
  Mask hiding(at::Tensor hidden) const;
  /// This mask, which keeps the tensor that it is asked for first: the layers of a stack share it, and where none of
  /// them reads it none is made. Copies share it too, and are for one thread.
  Mask kept() const;
  /// The same with its tensor for T and S made beforehand.
  Mask ready(std::int64_t T, std::int64_t S, at::Device device) const;

  /// The mask of the sentences named, in that order.
  Mask select(const std::vector<std::int64_t>& sentences) const;

  bool is_causal() const { return causal_; }
  const std::vector<std::int64_t>& lengths() const { return lengths_; }
  const at::Tensor& hidden() const { return hidden_; }

  /// Some of S keys are hidden from every query of a sentence.
  bool hides_keys(std::int64_t S) const;
  /// Nothing is hidden from any of T queries and S keys.
  bool all_visible(std::int64_t T, std::int64_t S) const;
  /// Some of T queries may see none of S keys.
  bool may_blind(std::int64_t T, std::int64_t S) const;
  /// Throws ShapeError unless there is a length, 0 to S, for each of B sentences or none at all, and hidden is [B, S]
  /// or undefined. To be called where a mask and the tensor it is for enter a public function; reads no tensor.
  void expect_fits(std::int64_t B, std::int64_t S) const;
  /// bool [B or 1, 1, T or 1, S], true where visible, on `device`. Throws ShapeError where lengths or hidden do not
  /// fit S or each other.
  at::Tensor visible(std::int64_t T, std::int64_t S, at::Device device) const;

 private:
  std::vector<std::int64_t> lengths_;
  bool causal_ = false;
  at::Tensor hidden_;
  std::shared_ptr<at::Tensor> kept_;  ///< what `visible` returns where T and S are the same; null: nothing is kept
};

}  // namespace gloss
