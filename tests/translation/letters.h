#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/decoding/fake_scorer.h"
#include "tokenizer/tokenizer.h"

namespace gloss {

inline constexpr std::int64_t kLetterVocabulary = 30;  // special ids and a to z

/// A letter is a piece; space and tab are none, all else is unknown.
class Letters : public Tokenizer {
 public:
  Ids encode(std::string_view line) const override {
    seen_.emplace_back(line);
    Ids ids;
    for (const char letter : line)
      if (letter != ' ' && letter != '\t')
        ids.push_back(letter >= 'a' && letter <= 'z' ? static_cast<Id>(4 + letter - 'a') : kUnk);
    return ids;
  }
  PieceSpans encode_with_spans(std::string_view line) const override {
    PieceSpans placed{.text = std::string(line), .ids = encode(line), .spans = {}};
    for (std::size_t i = 0; i < line.size(); ++i)
      if (line[i] != ' ' && line[i] != '\t') placed.spans.push_back({i, i + 1});
    return placed;
  }
  std::string decode(std::span<const Id> ids) const override {
    std::string text;
    for (const auto id : ids) text += id < 4 ? '?' : static_cast<char>('a' + id - 4);
    return text;
  }
  PieceSpans decode_with_spans(std::span<const Id> ids) const override {
    PieceSpans placed{.text = decode(ids), .ids = {ids.begin(), ids.end()}, .spans = {}};
    for (std::size_t i = 0; i < ids.size(); ++i) placed.spans.push_back({i, i + 1});
    return placed;
  }
  std::int64_t vocabulary_size() const override { return kLetterVocabulary; }
  const std::string& serialized() const override { return serialized_; }

  const std::vector<std::string>& seen() const { return seen_; }

 private:
  mutable std::vector<std::string> seen_;
  std::string serialized_;
};

/// A rule of FakeScorer that copies the source; each letter may also become a z, with little probability.
inline std::vector<float> copy_letters(const Ids& source, const Ids& generated) {
  const auto place = std::min(generated.size(), source.size() - 1);
  return log_of({{source[place], 0.9}, {29, 0.1}}, kLetterVocabulary);
}

}  // namespace gloss
