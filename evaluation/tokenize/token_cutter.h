#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace gloss {

/// Collects the tokens of a text for a tokenizer that scans it from left to right.
class TokenCutter {
 public:
  TokenCutter(std::string_view text, std::vector<std::string_view>& tokens) : text_(text), tokens_(tokens) {}

  /// Ends the current token before `offset` and skips `bytes` bytes.
  void skip(std::size_t offset, std::size_t bytes) {
    if (offset > begin_) tokens_.push_back(text_.substr(begin_, offset - begin_));
    begin_ = offset + bytes;
  }
  /// Makes the `bytes` bytes from `offset` on a separate token.
  void set_apart(std::size_t offset, std::size_t bytes) {
    skip(offset, bytes);
    tokens_.push_back(text_.substr(offset, bytes));
  }
  void end() { skip(text_.size(), 0); }

 private:
  std::string_view text_;
  std::vector<std::string_view>& tokens_;
  std::size_t begin_ = 0;
};

}  // namespace gloss
