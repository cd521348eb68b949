#include "data/built_in_corpus.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <vector>

#include "common/config/config_section.h"
#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/random.h"
#include "common/text/printable.h"

namespace gloss {
namespace {

constexpr std::string_view kConsonants = "bdfgklmnprstvz", kVowels = "aeiou";
static_assert(BuiltInCorpusOptions::kMaxWords == std::int64_t{14} * 5 * 14 * 5);  // two syllables

using Sentence = std::vector<std::int32_t>;  // indices of words

std::int64_t held_out(const BuiltInCorpusOptions& options) { return std::max<std::int64_t>(options.size / 10, 20); }

// Returns words + words^2 + ... + words^max_words, or `enough` if that is less.
std::int64_t count_sentences(std::int64_t words, std::int64_t max_words, std::int64_t enough) {
  std::int64_t count = 0, of_length = 1;
  for (std::int64_t length = 1; length <= max_words && count < enough; ++length) {
    of_length = std::min(of_length * words, enough);
    count = std::min(count + of_length, enough);
  }
  return count;
}

void validate(const BuiltInCorpusOptions& options) {
  const auto in_range = [](std::int64_t value, std::int64_t max, std::string_view name) {
    require(value >= 1 && value <= max, name, "1 to " + std::to_string(max), value);
  };
  in_range(options.size, BuiltInCorpusOptions::kMaxPairs, "size");
  in_range(options.words, BuiltInCorpusOptions::kMaxWords, "words");
  in_range(options.max_words, BuiltInCorpusOptions::kMaxSentenceWords, "max_words");
  const auto needed = options.size + 2 * held_out(options);
  const auto possible = count_sentences(options.words, options.max_words, needed);
  if (possible < needed)
    throw UsageError({Key{"size"}, ": wanted no more pairs than there are sentences of 1 to " +
                                       std::to_string(options.max_words) + " of " + std::to_string(options.words) +
                                       " words, " + std::to_string(possible) + ", got " + std::to_string(options.size) +
                                       " and 2 times " + std::to_string(held_out(options)) + " to validate and test"});
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

// Returns a 64-bit hash of a sentence (FNV-1a, then splitmix64). Sentences with equal hashes count as one: the later is
// drawn again.
std::uint64_t hash_of(const Sentence& sentence) {
  std::uint64_t bits = 0xcbf29ce484222325;
  for (const auto word : sentence) bits = (bits ^ static_cast<std::uint64_t>(word)) * 0x100000001b3;
  return mix_bits(bits);
}

// The sentences of a corpus. Each is stored as a number, from which the sentence can be made again.
class Sentences {
 public:
  Sentences(const BuiltInCorpusOptions& options, std::int64_t needed, const RandomStream& random)
      : words_(static_cast<std::uint64_t>(options.words)),
        max_words_(static_cast<std::uint64_t>(options.max_words)),
        random_(random.stream("sentences")) {
    // Drawing would take long if few sentences are left. If at least half of all are needed, all are listed instead.
    const auto all = count_sentences(options.words, options.max_words, 2 * needed);
    listed_ = all < 2 * needed;
    if (listed_) {
      numbers_.resize(static_cast<std::size_t>(all));
      std::iota(numbers_.begin(), numbers_.end(), std::uint64_t{0});
    } else {
      draw(static_cast<std::size_t>(needed));
    }
    // The three sets must be alike, but short sentences come first: there are few of them. So the order is shuffled.
    random.stream("order").shuffle(std::span(numbers_));
    numbers_.resize(static_cast<std::size_t>(needed));
  }

  std::span<const std::uint64_t> numbers() const { return numbers_; }
  Sentence sentence(std::uint64_t number) const { return listed_ ? listed(number) : drawn(number); }

 private:
  // Returns a sentence by its number among all sentences, the shortest first.
  Sentence listed(std::uint64_t number) const {
    std::size_t length = 1;
    for (auto of_length = words_; number >= of_length; of_length *= words_, ++length) number -= of_length;
    Sentence sentence(length);
    for (auto word = sentence.rbegin(); word != sentence.rend(); ++word, number /= words_)
      *word = static_cast<std::int32_t>(number % words_);
    return sentence;
  }

  // Draws a sentence from the stream's element `number` on. Lengths from 1 to max_words are equally likely, and so are
  // words.
  Sentence drawn(std::uint64_t number) const {
    Sentence sentence(1 + random_.below(max_words_, number));
    for (auto& word : sentence) word = static_cast<std::int32_t>(random_.below(words_, ++number));
    return sentence;
  }

  void draw(std::size_t count) {
    std::unordered_set<std::uint64_t> seen;
    seen.reserve(count);
    numbers_.reserve(count);
    for (std::uint64_t element = 0; numbers_.size() < count;) {
      const auto sentence = drawn(element);
      if (seen.insert(hash_of(sentence)).second) numbers_.push_back(element);
      element += 1 + sentence.size();
    }
  }

  std::uint64_t words_, max_words_;
  RandomStream random_;
  bool listed_ = false;
  std::vector<std::uint64_t> numbers_;
};

// Writes line by line, so that memory does not grow with the file.
void write_lines(const std::filesystem::path& path, std::span<const std::uint64_t> numbers, const Sentences& sentences,
                 const std::vector<std::string>& words, bool reversed) {
  constexpr std::size_t kAtOnce = 1 << 16;
  AtomicFile file(path);
  std::string lines;
  for (const auto number : numbers) {
    auto sentence = sentences.sentence(number);
    if (reversed) std::ranges::reverse(sentence);
    for (std::size_t i = 0; i < sentence.size(); ++i)
      lines.append(i > 0 ? " " : "").append(words[static_cast<std::size_t>(sentence[i])]);
    lines += '\n';
    if (lines.size() < kAtOnce) continue;
    file.write(lines);
    lines.clear();
  }
  file.write(lines);
  file.commit();
}

}  // namespace

void make_built_in_corpus(const BuiltInCorpusOptions& options, const std::filesystem::path& folder) {
  validate(options);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw IoError(printable(folder.string()) + ": cannot make the folder: " + error.message());

  const RandomStream random(options.seed, "built_in_corpus");
  const auto words = make_words(options, random.stream("words"));
  const Sentences sentences(options, options.size + 2 * held_out(options), random);
  const bool reversed = options.kind == BuiltInCorpus::kReverse;
  auto rest = sentences.numbers();
  const auto write = [&](const std::string& name, std::int64_t size) {
    const auto part = rest.first(static_cast<std::size_t>(size));
    rest = rest.subspan(part.size());
    write_lines(folder / (name + ".source"), part, sentences, words, false);
    write_lines(folder / (name + ".target"), part, sentences, words, reversed);
  };
  write("train", options.size);
  write("valid", held_out(options));
  write("test", held_out(options));
}

}  // namespace gloss
