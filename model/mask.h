#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

namespace gloss {

/// The key positions that each query may attend to. A small value. As a tensor it is bool, and true means visible.
class Mask {
 public:
  /// Everything is visible.
  static Mask none();
  /// Hides the keys from lengths[b] on in sentence b.
  static Mask padding(std::vector<std::int64_t> lengths);
  /// Also hides keys later than the query. With more keys than queries, the queries are the last positions. Without
  /// lengths no key is padding.
  static Mask causal(std::vector<std::int64_t> lengths = {});

  /// This mask, which also hides the keys whose `hidden` [B, S] (bool) is true.
  Mask hiding(at::Tensor hidden) const;
  /// This mask, which stores its tensor when it is first computed. The layers of a stack share it. Copies share it too
  /// and are for one thread.
  Mask kept() const;
  /// The same with its tensor for T and S computed now.
  Mask ready(std::int64_t T, std::int64_t S, at::Device device) const;

  /// The mask of `sentences`, in that order.
  Mask select(const std::vector<std::int64_t>& sentences) const;

  bool is_causal() const { return causal_; }
  const std::vector<std::int64_t>& lengths() const { return lengths_; }
  const at::Tensor& hidden() const { return hidden_; }

  /// Whether some of S keys are hidden from every query of a sentence.
  bool hides_keys(std::int64_t S) const;
  /// Whether all of T queries see all of S keys.
  bool all_visible(std::int64_t T, std::int64_t S) const;
  /// Whether some of T queries may see none of S keys.
  bool may_blind(std::int64_t T, std::int64_t S) const;
  /// Throws ShapeError unless there are B lengths from 0 to S, or none, and hidden is [B, S] or undefined. Public
  /// functions call it on entry; it reads no tensor.
  void expect_fits(std::int64_t B, std::int64_t S) const;
  /// The mask as bool [B or 1, 1, T or 1, S] on `device`; true means visible. Throws ShapeError if lengths or hidden do
  /// not fit S or each other.
  at::Tensor visible(std::int64_t T, std::int64_t S, at::Device device) const;

 private:
  std::vector<std::int64_t> lengths_;
  bool causal_ = false;
  at::Tensor hidden_;
  std::shared_ptr<at::Tensor> kept_;  ///< the last result of `visible`; null: it is not stored
};

}  // namespace gloss
