#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/files/tmx_reader.h"

namespace gloss {

/// A unit of a translation memory that is similar to a text.
struct FuzzyMatch {
  std::string source, target;
  double similarity = 0;  ///< 1 - (edit distance in words) / (words of the longer text)
};

/// Texts with their translations, from a TMX file. Texts are compared with one space for each run of white space. Of
/// several translations of a text the last one counts. Thread-safe.
class TranslationMemory {
 public:
  /// Throws as TmxReader.
  TranslationMemory(const std::filesystem::path& path, const std::string& source_language,
                    const std::string& target_language);

  /// Returns the translation of a text; nothing if the memory lacks it.
  std::optional<std::string> exact(std::string_view text) const;
  /// Returns the units with a similarity of at least kMinSimilarity, the most similar first, at most `limit`. None for
  /// texts of more than kMaxFuzzyWords words.
  std::vector<FuzzyMatch> fuzzy(std::string_view text, std::size_t limit) const;
  std::size_t size() const { return units_.size(); }

  static constexpr double kMinSimilarity = 0.7;
  static constexpr std::size_t kMaxFuzzyWords = 200;

 private:
  using Words = std::vector<std::uint32_t>;
  void index();
  Words words_of_text(std::string_view text) const;
  std::vector<std::uint32_t> candidates(const Words& words) const;

  std::vector<TextPair> units_;  ///< in ascending numbers of words
  std::vector<Words> words_;     ///< of each unit
  std::unordered_map<std::string, std::size_t> by_source_;
  std::unordered_map<std::string, std::uint32_t> word_ids_;
  std::vector<std::vector<std::uint32_t>> units_of_word_;  ///< ascending
};

}  // namespace gloss
