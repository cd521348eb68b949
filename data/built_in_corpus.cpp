#include "data/built_in_corpus.h"

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "common/atomic_file.h"
#include "common/config_section.h"
#include "common/error.h"
#include "common/log.h"
#include "common/random.h"

namespace gloss {
namespace {

constexpr std::string_view kConsonants = "bdfgklmnprstvz", kVowels = "aeiou";
constexpr std::int64_t kMostWords = 14 * 5 * 14 * 5;  // two syllables

using Sentence = std::vector<std::int32_t>;  // numbers of words

std::int64_t held_out(const BuiltInCorpusOptions& options) { return std::max<std::int64_t>(options.size / 10, 20); }

// words + words^2 + ... + words^max_words, but no more than `enough`.
std::int64_t count_sentences(std::int64_t words, std::int64_t max_words, std::int64_t enough) {
  std::int64_t count = 0, of_length = 1;
  for (std::int64_t length = 1; length <= max_words && count < enough; ++length) {
    of_length = std::min(of_length * words, enough);
    count = std::min(count + of_length, enough);
  }
  return count;
}

void validate(const BuiltInCorpusOptions& options) {
  const auto in_range = [](std::int64_t value, std::int64_t most, std::string_view name) {
    require(value >= 1 && value <= most, name, "1 to " + std::to_string(most), value);
  };
  in_range(options.size, BuiltInCorpusOptions::kMostPairs, "size");
  in_range(options.words, kMostWords, "words");
  in_range(options.max_words, BuiltInCorpusOptions::kLongestSentence, "max_words");
  const auto needed = options.size + 2 * held_out(options);
  const auto possible = count_sentences(options.words, options.max_words, needed);
  if (possible < needed)
    throw UsageError("size: wanted no more pairs than there are sentences of 1 to " +
                     std::to_string(options.max_words) + " of " + std::to_string(options.words) + " words, " +
                     std::to_string(possible) + ", got " + std::to_string(options.size) + " and 2 times " +
                     std::to_string(held_out(options)) + " to validate and test");
}

std::vector<std::string> make_words(const BuiltInCorpusOptions& options, const RandomStream& random) {
  std::vector<std::string> syllables, words;
  for (const char consonant : kConsonants)
    for (const char vowel : kVowels) syllables.push_back({consonant, vowel});
  for (const auto& first : syllables)
    for (const auto& second : syllables) words.push_back(first + second);
  random.shuffle(std::span(words));
  words.resize(static_cast<std::size_t>(options.words));
  return words;
}

// Every sentence that there is, shortest first.
std::vector<Sentence> all_sentences(const BuiltInCorpusOptions& options) {
  std::vector<Sentence> sentences{{}};
  for (std::size_t begin = 0, length = 0; length < static_cast<std::size_t>(options.max_words); ++length) {
    const auto end = sentences.size();
    for (; begin < end; ++begin)
      for (std::int32_t word = 0; word < options.words; ++word) {
        sentences.push_back(sentences[begin]);
        sentences.back().push_back(word);
      }
  }
  sentences.erase(sentences.begin());
  return sentences;
}

// Sentences of even length from 1 to max_words, of even words; one that was there already is drawn again.
std::vector<Sentence> draw_sentences(const BuiltInCorpusOptions& options, std::size_t count,
                                     const RandomStream& random) {
  std::set<Sentence> seen;
  std::vector<Sentence> sentences;
  for (std::uint64_t element = 0; sentences.size() < count;) {
    Sentence sentence(1 + random.below(static_cast<std::uint64_t>(options.max_words), element++));
    for (auto& word : sentence)
      word = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(options.words), element++));
    if (seen.insert(sentence).second) sentences.push_back(std::move(sentence));
  }
  return sentences;
}

std::vector<Sentence> choose_sentences(const BuiltInCorpusOptions& options, const RandomStream& random) {
  const auto needed = options.size + 2 * held_out(options);
  // Drawing the last few that are left would take long: where half of all are needed, all are listed.
  const bool scarce = count_sentences(options.words, options.max_words, 2 * needed) < 2 * needed;
  auto sentences = scarce ? all_sentences(options)
                          : draw_sentences(options, static_cast<std::size_t>(needed), random.stream("sentences"));
  // Short sentences are used up early: shuffled, the three sets are alike.
  random.stream("order").shuffle(std::span(sentences));
  sentences.resize(static_cast<std::size_t>(needed));
  return sentences;
}

std::string text(std::span<const Sentence> sentences, const std::vector<std::string>& words, bool reversed) {
  std::string lines;
  for (auto sentence : sentences) {
    if (reversed) std::ranges::reverse(sentence);
    for (std::size_t i = 0; i < sentence.size(); ++i)
      lines.append(i > 0 ? " " : "").append(words[static_cast<std::size_t>(sentence[i])]);
    lines += '\n';
  }
  return lines;
}

}  // namespace

void make_built_in_corpus(const BuiltInCorpusOptions& options, const std::filesystem::path& folder) {
  validate(options);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw IoError(printable(folder.string(), 1000) + ": cannot make the folder: " + error.message());

  const RandomStream random(options.seed, "built_in_corpus");
  const auto words = make_words(options, random.stream("words"));
  const auto sentences = choose_sentences(options, random);
  const bool reversed = options.kind == BuiltInCorpus::kReverse;
  auto rest = std::span(sentences);
  const auto write = [&](const std::string& name, std::int64_t size) {
    const auto part = rest.first(static_cast<std::size_t>(size));
    rest = rest.subspan(part.size());
    write_file(folder / (name + ".source"), text(part, words, false));
    write_file(folder / (name + ".target"), text(part, words, reversed));
  };
  write("train", options.size);
  write("valid", held_out(options));
  write("test", held_out(options));
}

}  // namespace gloss
