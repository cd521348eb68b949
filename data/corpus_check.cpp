#include "data/corpus_check.h"

#include <algorithm>

namespace gloss {
namespace {

bool is_lopsided(std::int64_t a, std::int64_t b, std::int64_t fewest, double most) {
  const auto longer = std::max(a, b), shorter = std::min(a, b);
  return longer >= fewest && static_cast<double>(longer) > most * static_cast<double>(shorter);
}

}  // namespace

CorpusCheck check_corpus(const std::filesystem::path& source_path, const std::filesystem::path& target_path,
                         const CorpusCheckOptions& options) {
  CorpusCheck check;
  CheckedText source(source_path, options.source.get(), options.normalization);
  CheckedText target(target_path, options.target.get(), options.normalization);
  LineHashes pairs;
  const bool in_pieces = options.source != nullptr && options.target != nullptr;
  const auto most =
      options.max_ratio.value_or(in_pieces ? CorpusCheckOptions::kPieceRatio : CorpusCheckOptions::kCharacterRatio);
  const auto lopsided = [&] {
    return in_pieces
               ? is_lopsided(source.units(), target.units(), CorpusCheckOptions::kFewestPieces, most)
               : is_lopsided(source.characters(), target.characters(), CorpusCheckOptions::kFewestCharacters, most);
  };

  for (bool more_source = source.next(), more_target = target.next(); more_source || more_target;
       more_source = more_source && source.next(), more_target = more_target && target.next()) {
    if (!more_source || !more_target) continue;  // what is over is looked at, too
    const auto line = ++check.pairs;
    const auto verdict = judge_pair(source.judged(), target.judged(), options.max_length);
    if (verdict == PairVerdict::kInvalid) check.invalid.note(line);
    if (verdict == PairVerdict::kEmpty) check.empty.note(line);
    if (verdict == PairVerdict::kTooLong) check.too_long.note(line);
    if (verdict != PairVerdict::kUsed) continue;

    ++check.fit_pairs;
    if (lopsided()) check.ratio.note(line);
    if (source.line() == target.line()) check.copied.note(line);
    if (!pairs.insert(hash_of_pair(source.line(), target.line()))) check.repeated.note(line);
    if (options.for_pair) options.for_pair(source.line(), target.line(), line);
  }
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
