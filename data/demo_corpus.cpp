#include "data/demo_corpus.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "common/config/config_section.h"
#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/random.h"
#include "common/text/printable.h"
#include "common/text/utf8.h"
#include "data/grammar/draw.h"

namespace gloss {
namespace {

using grammar::Language;

constexpr std::int64_t kMinPairs = 1000, kMaxPairs = 1'000'000;
constexpr double kHeldOutShare = 0.08;
constexpr int kMaxMisses = 20'000;  // draws in a row without a new sentence

/// Collects the words of a sentence without punctuation; in Chinese, its characters.
void collect_words(const std::string& text, Language language, std::set<std::string>& words) {
  std::string word;
  const auto finish = [&] {
    if (!word.empty()) words.insert(word);
    word.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const auto bytes = decode_utf8(text, at).bytes;
    const auto character = text.substr(at, bytes);
    at += bytes;
    if (character == " " || character == "." || character == "," || character == "?") {
      finish();
    } else {
      word += character;
      if (language == Language::kChinese) finish();
    }
  }
  finish();
}

/// Draws the three sets of a corpus.
class Drawer {
 public:
  explicit Drawer(const DemoCorpusOptions& options)
      : options_(options),
        grammar_(grammar::demo_grammar()),
        chooser_(grammar_),
        random_(options.seed, "demo_corpus"),
        held_out_(random_.stream("held_out"), kHeldOutShare) {}

  /// Draws pairs of random constructions.
  std::vector<DemoPair> draw_training(std::string_view name, std::int64_t size) {
    const auto& constructions = grammar_.constructions();
    const auto choice = random_.stream(name).stream("constructions");
    const auto accept = [&](const auto& sentence, const auto&) { return !held_out_.holds_any(sentence); };
    std::vector<DemoPair> pairs;
    std::set<std::string> used_up;
    for (std::uint64_t i = 0; std::ssize(pairs) < size; ++i) {
      const auto& construction = constructions[choice.below(constructions.size(), i)];
      if (used_up.contains(construction.name)) continue;
      if (auto pair = draw_new(construction, name, accept))
        pairs.push_back(std::move(*pair));
      else if (used_up.insert(construction.name); used_up.size() == constructions.size())
        refuse_size(std::ssize(pairs));
    }
    return pairs;
  }

  /// Draws pairs of each construction equally often, from words of the training pairs.
  std::vector<DemoPair> draw_test(std::int64_t size, std::span<const DemoPair> training) {
    std::set<std::string> words;
    for (const auto& pair : training) collect_words(pair, words);
    std::vector<DemoPair> pairs;
    const auto& constructions = grammar_.constructions();
    const auto accept = [&](const auto& sentence, const auto& pair) {
      std::set<std::string> own;
      collect_words(pair, own);
      return held_out_.holds_any(sentence) && std::ranges::includes(words, own);
    };
    for (std::size_t i = 0; std::ssize(pairs) < size; ++i)
      if (auto pair = draw_new(constructions[i % constructions.size()], "test", accept))
        pairs.push_back(std::move(*pair));
      else
        refuse_size(std::ssize(seen_));
    random_.stream("test order").shuffle(std::span(pairs));
    return pairs;
  }

 private:
  void collect_words(const DemoPair& pair, std::set<std::string>& words) const {
    gloss::collect_words(pair.source, options_.source, words);
    gloss::collect_words(pair.target, options_.target, words);
  }

  template <typename Accept>
  std::optional<DemoPair> draw_new(const grammar::Construction& construction, std::string_view name,
                                   const Accept& accept) {
    const auto random = random_.stream(name).stream(construction.name);
    auto& draws = draws_[std::string(name) + " " + construction.name];
    for (int misses = 0; misses < kMaxMisses; ++misses) {
      const auto sentence = chooser_.draw(construction, random.at(draws++));
      if (!sentence) continue;
      DemoPair pair{realize(grammar_.lexicon(), *sentence, options_.source),
                    realize(grammar_.lexicon(), *sentence, options_.target), construction.name,
                    combinations(*sentence)};
      if (accept(*sentence, pair) && seen_.insert(pair.source).second) return pair;
    }
    return std::nullopt;
  }

  [[noreturn]] void refuse_size(std::int64_t found) const {
    throw UsageError({Key{"size"}, ": wanted no more pairs than the grammar gives, some " + std::to_string(found) +
                                       ", got " + std::to_string(options_.size)});
  }

  const DemoCorpusOptions& options_;
  const grammar::Grammar& grammar_;
  grammar::Chooser chooser_;
  RandomStream random_;
  grammar::HeldOut held_out_;
  std::map<std::string, std::uint32_t> draws_;
  std::set<std::string> seen_;
};

std::string lines(std::span<const DemoPair> pairs, std::string DemoPair::*field) {
  std::string text;
  for (const auto& pair : pairs) text += pair.*field + '\n';
  return text;
}

void write(const std::filesystem::path& folder, const std::string& name, std::span<const DemoPair> pairs) {
  write_file(folder / (name + ".source"), lines(pairs, &DemoPair::source));
  write_file(folder / (name + ".target"), lines(pairs, &DemoPair::target));
}

}  // namespace

DemoCorpus draw_demo_corpus(const DemoCorpusOptions& options) {
  require(options.size >= kMinPairs && options.size <= kMaxPairs, "size",
          std::to_string(kMinPairs) + " to " + std::to_string(kMaxPairs), options.size);
  require(options.source != options.target, "pair", "two languages", "one");
  Drawer drawer(options);
  DemoCorpus corpus;
  corpus.train = drawer.draw_training("train", options.size);
  corpus.valid = drawer.draw_training("valid", options.size / 50);
  corpus.test = drawer.draw_test(options.size * 6 / 100, corpus.train);
  return corpus;
}

void make_demo_corpus(const DemoCorpusOptions& options, const std::filesystem::path& folder) {
  const auto corpus = draw_demo_corpus(options);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw IoError(printable(folder.string()) + ": cannot make the folder: " + error.message());
  write(folder, "train", corpus.train);
  write(folder, "valid", corpus.valid);
  write(folder, "test", corpus.test);
  write_file(folder / "test.constructions", lines(corpus.test, &DemoPair::construction));
}

}  // namespace gloss
