#pragma once

#include <cstddef>
#include <string>
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

/// Returns the text for mteval-v13a.pl's rules: without "<skipped>", with words joined that are hyphenated over a line
/// end, and with four entities resolved. It refers to the line, or to `buffer` if that changes it.
std::string_view without_markup(std::string_view line, std::string& buffer);

/// Replaces each `old` by `fresh`, from left to right.
void replace_all(std::string& text, std::string_view old, std::string_view fresh);
/// Resolves &quot; &amp; &lt; &gt; in this order: "&amp;lt;" becomes "<".
void resolve_entities(std::string& text);

/// Characters that are separate tokens, besides punctuation.
enum class Alone {
  kNothing,  ///< no others; the text is surrounded by spaces, as in sacreBLEU's "13a"
  kChinese,  ///< Chinese characters; the text is not surrounded by spaces: sacreBLEU's "zh"
};

/// Appends the tokens of a text. ASCII punctuation is separated, but period, comma and hyphen depending on adjacent
/// digits, and the apostrophe never. White space is defined as in Python's str.split().
void append_western_tokens(std::string_view text, Alone alone, std::vector<std::string_view>& tokens);

}  // namespace gloss
