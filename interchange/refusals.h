#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace gloss {

/// Collects the reasons why something cannot be read or written, so that one message states all of them.
///
///     Refusals refusals;
///     refusals.require(config.residual, "model.residual: wanted true, got false");
///     if (!refusals.empty()) throw UsageError("--to marian: " + refusals.text());
class Refusals {
 public:
  /// Adds a reason once, in the form "where: wanted ..., got ...".
  void add(std::string reason) {
    if (std::ranges::find(reasons_, reason) == reasons_.end()) reasons_.push_back(std::move(reason));
  }
  /// Adds the reason unless `holds`.
  void require(bool holds, const std::string& reason) {
    if (!holds) add(reason);
  }

  bool empty() const { return reasons_.empty(); }
  const std::vector<std::string>& reasons() const { return reasons_; }
  /// Returns the reasons, separated by "; ".
  std::string text() const {
    std::string text;
    for (const auto& reason : reasons_) text += (text.empty() ? "" : "; ") + reason;
    return text;
  }

 private:
  std::vector<std::string> reasons_;
};

}  // namespace gloss
