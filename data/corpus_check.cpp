#include "data/corpus_check.h"

#include <algorithm>

#include "common/text/sentence_count.h"
#include "data/aligned_reader.h"

namespace gloss {
namespace {

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

CorpusCheck check_corpus(const std::filesystem::path& source_path, const std::filesystem::path& target_path,
                         const CorpusCheckOptions& options) {
  CorpusCheck check;
  AlignedReader reader(source_path, target_path);
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

  for (LinePair pair; reader.next(pair);) {
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
