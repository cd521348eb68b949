#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

namespace gloss {

/// The key positions that each query may attend to. A value type: lengths and a flag (section 3.2.3).
/// `visible` makes the tensor, in which true means visible.
class Mask {
 public:
  /// Returns the mask under which every query sees every key.
  static Mask unmasked();
  /// Returns a mask that hides the keys from lengths[b] on in sentence b.
  static Mask padding(std::vector<std::int64_t> lengths);
  /// Returns a mask that also hides keys after the query. With more keys than queries, the queries are the last
  /// positions. Without lengths no key is padding.
  static Mask causal(std::vector<std::int64_t> lengths = {});

  /// Returns a copy that also hides the keys whose `hidden` [B, S] (bool) is true, for example to measure the influence
  /// of a source token.
  Mask hiding(const at::Tensor& hidden) const;
  /// Returns a copy that also hides keys after the query.
  Mask as_causal() const;
  /// Returns a copy with an empty cache of its tensor, which `visible` fills. Copies of it share the cache, so the
  /// layers of a stack compute the tensor once. They are for one thread; for another thread, call `cached` again.
  Mask cached() const;
  /// Returns the mask of `sentences`, in that order.
  Mask select(const std::vector<std::int64_t>& sentences) const;

  bool is_causal() const { return causal_; }
  const std::vector<std::int64_t>& lengths() const { return lengths_; }
  const at::Tensor& hidden() const { return hidden_; }

  /// Returns whether some of S keys may be hidden from every query of a sentence.
  bool hides_keys(std::int64_t S) const;
  /// Returns whether all of T queries see all of S keys.
  bool all_visible(std::int64_t T, std::int64_t S) const;
  /// Throws ShapeError unless there are B lengths from 0 to S, or none, and hidden is [B, S] or undefined. Public
  /// functions call it on entry; it reads no tensor.
  void expect_fits(std::int64_t B, std::int64_t S) const;
  /// Returns the mask as bool [B or 1, 1, T or 1, S] on `device`; true means visible. Throws ShapeError if lengths or
  /// hidden do not fit S or each other.
  at::Tensor visible(std::int64_t T, std::int64_t S, at::Device device) const;

 private:
  std::vector<std::int64_t> lengths_;  ///< [B]; empty: no padding
  bool causal_ = false;
  at::Tensor hidden_;                   ///< bool [B, S]; undefined: no more keys are hidden
  std::shared_ptr<at::Tensor> cached_;  ///< the last result of `visible`; null: it is not stored
};

}  // namespace gloss
