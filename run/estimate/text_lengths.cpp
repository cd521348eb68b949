#include "run/estimate/text_lengths.h"

#include <algorithm>
#include <cmath>
#include <system_error>

#include "common/error.h"
#include "common/log/log.h"
#include "common/text/utf8.h"
#include "data/aligned_reader.h"
#include "data/corpus_writer.h"
#include "data/hold_out.h"
#include "data/pair_verdict.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMaxLines = 50'000;    // of all training texts together, and of each other text
constexpr std::int64_t kMinMaxLines = 1'000;  // of a training text

/// Returns the bytes of a piece, as measured on 1,600 to 29,000 pairs of English and German. They were 2.5 with 500
/// pieces, 3.1 with 1,000, 3.6 with 2,000, 4.2 with 4,000, 4.6 with 8,000, and 4.9 with 16,000. Chinese has 3 bytes a
/// character.
double bytes_of_piece(std::int64_t vocabulary_size) {
  return std::clamp(2.5 + 0.57 * std::log2(static_cast<double>(vocabulary_size) / 500), 1.5, 4.8);
}

/// Returns the number of pieces of a line, and eos.
std::int64_t length_of(const std::string& line, const Tokenizer* tokenizer, const TokenizerConfig& config) {
  if (line.empty()) return 1;
  if (tokenizer != nullptr) return std::ssize(tokenizer->encode(repair_utf8(line))) + 1;
  if (config.type == TokenizerType::kChar) return static_cast<std::int64_t>(count_code_points(line)) + 2;
  return static_cast<std::int64_t>(
             std::ceil(static_cast<double>(line.size()) / bytes_of_piece(config.vocabulary_size))) +
         1;
}

/// Lengths of the pairs at the beginning of a text.
struct TextSample {
  std::vector<PairLengths> pairs;
  std::vector<PairLengths> usable;  ///< the pairs that training uses
  std::int64_t bytes = 0;           ///< of the lines that were read
};

/// Judge of the repetitions in training text number `text`; null `pairs`: no pair is a repetition.
struct Repetitions {
  RepeatedPairs* pairs = nullptr;
  std::size_t text = 0;
};

TextSample sample_of(const TextFiles& files, std::int64_t max_lines, const RunConfig& config,
                     const TokenizerPair& tokenizers, const Repetitions& repetitions) {
  AlignedReader reader(files.source, files.target);
  TextSample sample;
  for (LinePair pair; std::ssize(sample.pairs) < max_lines && reader.next(pair) && pair.complete();) {
    sample.bytes += std::ssize(pair.source.text) + std::ssize(pair.target.text) + 2;
    const auto& lengths =
        sample.pairs.emplace_back(PairLengths{length_of(pair.source.text, tokenizers.first.get(), config.tokenizer),
                                              length_of(pair.target.text, tokenizers.second.get(), config.tokenizer)});
    auto judged_source = JudgedLine::of(pair.source), judged_target = JudgedLine::of(pair.target);
    judged_source.pieces = lengths.source - 1;
    judged_target.pieces = lengths.target - 1;
    auto verdict = judge_pair(judged_source, judged_target, config.data.max_length, config.data.filters);
    if (verdict == PairVerdict::kUsable && repetitions.pairs != nullptr)
      verdict = repetitions.pairs->judge(repetitions.text, pair.source.text, pair.target.text);
    if (verdict == PairVerdict::kUsable) sample.usable.push_back(lengths);
  }
  return sample;
}

std::int64_t file_bytes(const fs::path& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  return error ? 0 : static_cast<std::int64_t>(bytes);
}

/// Estimated numbers of the pairs and ids of corpus.cache.
struct CacheSize {
  double pairs = 0, ids = 0;

  void add(const TextSample& sample, double texts_per_sample) {
    for (const auto& [source, target] : sample.pairs) ids += texts_per_sample * static_cast<double>(source + target);
    pairs += texts_per_sample * static_cast<double>(sample.pairs.size());
  }
  std::int64_t bytes(std::int64_t vocabulary, std::int64_t max_length) const {
    if (pairs == 0) return 0;
    CorpusLayout layout;
    layout.ids = static_cast<std::uint64_t>(ids);
    layout.pairs = static_cast<std::uint64_t>(pairs);
    layout.id_bytes = CorpusLayout::width_of(vocabulary - 1);
    layout.length_bytes = CorpusLayout::width_of(max_length);
    return static_cast<std::int64_t>(layout.footer_at());
  }
};

/// Moves the pairs that a run holds out from the training texts to the validation set.
void hold_out(TextLengths& lengths) {
  double pairs = 0;
  for (const auto& text : lengths.training) pairs += static_cast<double>(text.pairs.size()) * text.texts_per_sample;
  auto left = pairs_to_hold_out(static_cast<std::int64_t>(pairs));
  for (auto& text : lengths.training) {
    const auto count = std::min(left, std::ssize(text.pairs));
    for (std::int64_t i = 0; i < count; ++i) lengths.valid.push_back(text.pairs[static_cast<std::size_t>(i)].source);
    text.pairs.erase(text.pairs.begin(), text.pairs.begin() + count);
    left -= count;
  }
}

std::int64_t vocabulary_of(const RunConfig& config, const TokenizerPair& tokenizers) {
  if (!tokenizers.first) return config.tokenizer.vocabulary_size;
  return std::max(tokenizers.first->vocabulary_size(), tokenizers.second->vocabulary_size());
}

}  // namespace

std::vector<PairLengths> TextLengths::pairs() const {
  std::vector<PairLengths> all;
  for (const auto& text : training) all.insert(all.end(), text.pairs.begin(), text.pairs.end());
  return all;
}

TextLengths text_lengths(const RunConfig& config, const TokenizerPair& tokenizers) {
  TextLengths lengths;
  const auto& data = config.data;
  const auto read = [&](const TextFiles& files, std::int64_t max_lines, const Repetitions& repetitions, auto&& use) {
    if (files.source.empty()) return;
    try {
      log_progress("reading " + names_of(files));
      use(sample_of(files, max_lines, config, tokenizers, repetitions));
    } catch (const Error& error) {
      if (lengths.unknown.empty()) lengths.unknown = error.what();
    }
  };
  CacheSize cache;
  const auto texts = data.training_texts();
  const auto max_lines = std::max(kMaxLines / std::max<std::int64_t>(std::ssize(texts), 1), kMinMaxLines);
  auto repeated = data.repeated_pairs();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto& files = texts[i];
    auto& text = lengths.training.emplace_back();
    read(files, max_lines, {repeated ? &*repeated : nullptr, i}, [&](TextSample sample) {
      const auto bytes = file_bytes(files.source) + file_bytes(files.target);
      lengths.training_bytes += bytes;
      if (sample.bytes > 0)
        text.texts_per_sample = std::max(static_cast<double>(bytes) / static_cast<double>(sample.bytes), 1.0);
      cache.add(sample, text.texts_per_sample);
      text.pairs = std::move(sample.usable);
    });
  }
  lengths.corpus_file = cache.bytes(vocabulary_of(config, tokenizers), data.max_length);
  if (data.hold_out) hold_out(lengths);
  const auto sources = [&](std::vector<std::int64_t>& of) {
    return [&](const TextSample& sample) {
      for (const auto& pair : sample.pairs) of.push_back(std::min(pair.source, data.max_length));
    };
  };
  read({data.valid_source, data.valid_target}, kMaxLines, {}, sources(lengths.valid));
  read({data.test_source, data.test_target}, kMaxLines, {}, sources(lengths.test));
  log_progress("");
  return lengths;
}

double growth_by_sampling(const RunConfig& config) {
  const double amount = config.data.subword_sampling;
  if (amount == 0 || config.tokenizer.type == TokenizerType::kChar) return 1;
  return config.tokenizer.type == TokenizerType::kBpe ? std::min(1 + 4 * amount, 4.0)
                                                      : std::min(1 + 0.01 / (amount * amount), 4.0);
}

}  // namespace gloss
