#include "data/corpus_check.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/sentences/sentence_count.h"
#include "common/text/utf8.h"
#include "data/aligned_reader.h"
#include "data/links.h"

namespace gloss {
namespace {

std::uint16_t clamped(std::int64_t length) {
  return static_cast<std::uint16_t>(std::clamp<std::int64_t>(length, 0, std::numeric_limits<std::uint16_t>::max()));
}

/// Calls `take` with a hash of each character and the one before it.
void for_letter_pairs(std::string_view line, const auto& take) {
  std::uint32_t before = ' ';
  for_each_character(line, [&](auto value, auto) {
    const std::uint32_t character = value.value_or(U' ');
    take((before * 0x9E3779B1U + character * 0x85EBCA6BU) >> 16);
    before = character;
  });
}

// Returns whether one length is more than `max_ratio` times the other. Short pairs are not compared.
bool is_lopsided(std::int64_t a, std::int64_t b, std::int64_t min_length, double max_ratio) {
  const auto longer = std::max(a, b), shorter = std::min(a, b);
  return longer >= min_length && static_cast<double>(longer) > max_ratio * static_cast<double>(shorter);
}

NotedLines exchanged_pairs(const std::filesystem::path& source, const std::filesystem::path& target,
                           const SideLanguages& languages) {
  NotedLines exchanged;
  AlignedReader reader(source, target);
  std::int64_t line = 0;
  for (LinePair pair; reader.next(pair) && pair.complete();)
    if (++line; languages.is_exchanged(pair.source.text, pair.target.text)) exchanged.note(line);
  return exchanged;
}

}  // namespace

void LengthShifts::add(std::int64_t source, std::int64_t target) {
  sources_.push_back(clamped(source));
  targets_.push_back(clamped(target));
}

// Pearson's correlation of log(1 + length) of the sources of a block and the targets `shift` lines on.
double LengthShifts::correlation(std::size_t begin, int shift) const {
  double n = 0, x_sum = 0, y_sum = 0, xx = 0, yy = 0, xy = 0;
  for (auto i = begin; i < begin + kBlock; ++i) {
    const auto j = static_cast<std::ptrdiff_t>(i) + shift;
    if (j < 0 || j >= std::ssize(targets_)) continue;
    const double x = std::log1p(sources_[i]), y = std::log1p(targets_[static_cast<std::size_t>(j)]);
    n += 1, x_sum += x, y_sum += y, xx += x * x, yy += y * y, xy += x * y;
  }
  const double x_variance = n * xx - x_sum * x_sum, y_variance = n * yy - y_sum * y_sum;
  if (n < 3 || x_variance <= 1e-9 || y_variance <= 1e-9) return 0;
  return (n * xy - x_sum * y_sum) / std::sqrt(x_variance * y_variance);
}

std::vector<ShiftedLines> LengthShifts::shifted() const {
  constexpr double kMinCorrelation = 0.5, kMinGain = 0.3;
  std::vector<ShiftedLines> ranges;
  for (std::size_t begin = 0; begin + kBlock <= sources_.size(); begin += kBlock) {
    int best = 0;
    const double aligned = correlation(begin, 0);
    double best_correlation = std::max(kMinCorrelation, aligned + kMinGain);
    for (int shift = -kMaxShift; shift <= kMaxShift; ++shift) {
      const double found = shift == 0 ? 0 : correlation(begin, shift);
      if (found <= best_correlation) continue;
      best = shift;
      best_correlation = found;
    }
    if (best == 0) continue;
    const auto first = static_cast<std::int64_t>(begin) + 1, last = first + static_cast<std::int64_t>(kBlock) - 1;
    if (!ranges.empty() && ranges.back().last + 1 == first && ranges.back().shift == best)
      ranges.back().last = last;
    else
      ranges.push_back({first, last, best});
  }
  return ranges;
}

/// Logarithm of a line's probability by each side's language, and the number of its letter pairs.
struct SideLanguages::Score {
  double source = 0, target = 0;
  std::int64_t letters = 0;
};

SideLanguages::SideLanguages() : source_(kBuckets), target_(kBuckets) {}

void SideLanguages::count(std::string_view source, std::string_view target) {
  for_letter_pairs(source, [&](std::size_t pair) { ++source_[pair], ++source_total_; });
  for_letter_pairs(target, [&](std::size_t pair) { ++target_[pair], ++target_total_; });
}

SideLanguages::Score SideLanguages::score(std::string_view line) const {
  Score score;
  constexpr double kSmoothing = 0.5;
  const auto log_share = [](std::uint32_t count, std::int64_t total) {
    return std::log((count + kSmoothing) / (static_cast<double>(total) + kSmoothing * kBuckets));
  };
  for_letter_pairs(line, [&](std::size_t pair) {
    score.source += log_share(source_[pair], source_total_);
    score.target += log_share(target_[pair], target_total_);
    ++score.letters;
  });
  return score;
}

bool SideLanguages::is_exchanged(std::string_view source, std::string_view target) const {
  constexpr std::int64_t kMinLetters = 20;
  constexpr double kMinGain = 0.2;  // nats for each letter
  const auto from = score(source), to = score(target);
  if (from.letters < kMinLetters || to.letters < kMinLetters) return false;
  const auto gains = [](double there, double here, std::int64_t letters) {
    return there - here > kMinGain * static_cast<double>(letters);
  };
  return gains(from.target, from.source, from.letters) && gains(to.source, to.target, to.letters);
}

CorpusCheck check_corpus(const std::filesystem::path& source_path, const std::filesystem::path& target_path,
                         const CorpusCheckOptions& options) {
  CorpusCheck check;
  AlignedReader reader({source_path, target_path, options.alignment});
  TextCheck source(source_path, options.source.get(), options.normalization);
  TextCheck target(target_path, options.target.get(), options.normalization);
  LineHashes pairs;
  LengthShifts lengths;
  SideLanguages languages;
  const bool in_pieces = options.source != nullptr && options.target != nullptr;
  auto filters = options.filters;
  if (!in_pieces) filters.max_ratio = 0;
  const auto max_ratio =
      options.max_ratio.value_or(in_pieces ? CorpusCheckOptions::kPieceRatio : CorpusCheckOptions::kCharacterRatio);
  const auto lopsided = [&] {
    return in_pieces
               ? is_lopsided(source.units(), target.units(), CorpusCheckOptions::kMinPieces, max_ratio)
               : is_lopsided(source.characters(), target.characters(), CorpusCheckOptions::kMinCharacters, max_ratio);
  };

  const auto check_links = [&](const TextLine& text, std::int64_t line) {
    const auto pieces = [&](const TextCheck& side, const std::shared_ptr<const Tokenizer>& tokenizer) {
      return in_pieces ? side.units() - (tokenizer->tag() ? 1 : 0) : std::numeric_limits<std::int64_t>::max();
    };
    Links links;
    const auto fault = read_links(text, pieces(source, options.source), pieces(target, options.target), links);
    if (fault.empty()) return;
    if (check.links.count == 0) check.first_links = fault;
    check.links.note(line);
  };

  for (LinePair pair; reader.next(pair);) {
    check.alignment_lines += pair.has_alignment ? 1 : 0;
    JudgedLine judged_source, judged_target;
    if (pair.has_source) judged_source = source.add(pair.source);
    if (pair.has_target) judged_target = target.add(pair.target);
    if (!pair.complete()) continue;
    const auto line = ++check.pairs;
    lengths.add(source.characters(), target.characters());
    auto verdict = judge_pair(judged_source, judged_target, options.max_length, filters);
    if (verdict == PairVerdict::kUsable && options.repeated != nullptr)
      verdict = options.repeated->judge(options.text, pair.source.text, pair.target.text);
    if (verdict == PairVerdict::kInvalid) check.invalid.note(line);
    if (verdict == PairVerdict::kEmpty) check.empty.note(line);
    if (verdict == PairVerdict::kTooLong) check.too_long.note(line);
    if (verdict == PairVerdict::kRatio) check.skipped_ratio.note(line);
    if (verdict == PairVerdict::kCopied) check.skipped_copied.note(line);
    if (verdict == PairVerdict::kRepeated) check.skipped_repeated.note(line);
    if (verdict != PairVerdict::kUsable) continue;

    ++check.fit_pairs;
    if (pair.has_alignment) check_links(pair.alignment, line);
    if (lopsided()) check.ratio.note(line);
    if (lacks_most_sentences(pair.source.text, pair.target.text) ||
        lacks_most_sentences(pair.target.text, pair.source.text))
      check.sentences.note(line);
    if (pair.source.text == pair.target.text) check.copied.note(line);
    if (options.repeated == nullptr && !pairs.insert(hash_of_pair(pair.source.text, pair.target.text)))
      check.repeated.note(line);
    languages.count(pair.source.text, pair.target.text);
    if (options.for_pair) options.for_pair(pair.source.text, pair.target.text, line);
  }
  check.shifted = lengths.shifted();
  check.exchanged = exchanged_pairs(source_path, target_path, languages);
  check.source = source.report();
  check.target = target.report();
  return check;
}

void HeldOutPairs::add(std::string_view source, std::string_view target, std::int64_t line) {
  lines_.push_back({hash_of_line(source), hash_of_pair(source, target), line});
  sources_.insert(lines_.back().source);
}

void HeldOutPairs::compare(std::string_view source, std::string_view target) {
  const auto hash = hash_of_line(source);
  if (!sources_.contains(hash)) return;
  seen_.insert(hash);
  seen_.insert(hash_of_pair(source, target));
}

NotedLines HeldOutPairs::pairs_in_training() const {
  NotedLines noted;
  for (const auto& line : lines_)
    if (seen_.contains(line.pair)) noted.note(line.number);
  return noted;
}

NotedLines HeldOutPairs::sources_in_training() const {
  NotedLines noted;
  for (const auto& line : lines_)
    if (seen_.contains(line.source) && !seen_.contains(line.pair)) noted.note(line.number);
  return noted;
}

}  // namespace gloss
