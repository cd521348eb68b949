#include "data/pair_verdict.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>

#include "common/error.h"
#include "common/text/utf8.h"
#include "common/text/visible_text.h"

namespace gloss {
namespace {

constexpr std::size_t kMinSlots = 64;

std::uint64_t hash_of_bytes(std::string_view bytes) {
  return std::max<std::uint64_t>(std::hash<std::string_view>{}(bytes), 1);
}

Json noted_to_json(const NotedLines& lines) { return {{"count", lines.count}, {"first_lines", lines.first_lines}}; }

NotedLines read_noted(const Json& json) {
  return {json.at("count").get<std::int64_t>(), json.at("first_lines").get<std::vector<std::int64_t>>()};
}

/// A reason to leave pairs out, as reports have it.
struct ReportedReason {
  PairVerdict verdict;
  const char* key;
  NotedLines CorpusReport::*lines;
  bool is_filter;  ///< reports of earlier versions lack it
};
constexpr std::array<ReportedReason, 6> kReasons{
    {{PairVerdict::kInvalid, "invalid_utf8", &CorpusReport::invalid_utf8, false},
     {PairVerdict::kEmpty, "empty", &CorpusReport::empty, false},
     {PairVerdict::kTooLong, "too_long", &CorpusReport::too_long, false},
     {PairVerdict::kRatio, "ratio", &CorpusReport::ratio, true},
     {PairVerdict::kCopied, "copied", &CorpusReport::copied, true},
     {PairVerdict::kRepeated, "repeated", &CorpusReport::repeated, true}}};

}  // namespace

std::uint64_t hash_of_line(std::string_view line) { return hash_of_bytes(line); }

std::uint64_t hash_of_pair(std::string_view source, std::string_view target) {
  const std::array both{hash_of_bytes(source), hash_of_bytes(target)};
  return hash_of_bytes({reinterpret_cast<const char*>(both.data()), sizeof(both)});
}

bool LineHashes::insert(std::uint64_t hash) {
  if ((size_ + 1) * 4 > slots_.size() * 3) grow();
  auto& slot = slots_[slot_of(hash)];
  if (slot == hash) return false;
  slot = hash;
  ++size_;
  return true;
}

bool LineHashes::contains(std::uint64_t hash) const { return !slots_.empty() && slots_[slot_of(hash)] == hash; }

// Returns the slot of the hash, or the free slot for it.
std::size_t LineHashes::slot_of(std::uint64_t hash) const {
  const std::size_t last = slots_.size() - 1;
  auto slot = static_cast<std::size_t>(hash) & last;
  while (slots_[slot] != 0 && slots_[slot] != hash) slot = (slot + 1) & last;
  return slot;
}

void LineHashes::grow() {
  const auto before = std::exchange(slots_, std::vector<std::uint64_t>(std::max(kMinSlots, slots_.size() * 2)));
  for (const auto hash : before)
    if (hash != 0) slots_[slot_of(hash)] = hash;
}

JudgedLine JudgedLine::of(const TextLine& line) {
  return {
      .cut = line.cut, .is_text = gloss::is_text(line.text), .pieces = is_blank(line.text) ? 0 : 1, .text = line.text};
}

PairVerdict judge_bytes(const JudgedLine& source, const JudgedLine& target) {
  if (source.cut || target.cut) return PairVerdict::kTooLong;
  if (!source.is_text || !target.is_text) return PairVerdict::kInvalid;
  return PairVerdict::kUsable;
}

PairVerdict judge_pair(const JudgedLine& source, const JudgedLine& target, std::int64_t max_length,
                       const PairFilters& filters) {
  constexpr std::int64_t kEosPieces = 1;
  if (const auto verdict = judge_bytes(source, target); verdict != PairVerdict::kUsable) return verdict;
  if (source.pieces == 0 || target.pieces == 0) return PairVerdict::kEmpty;
  const auto [shorter, longer] = std::minmax(source.pieces, target.pieces);
  if (max_length > 0 && longer + kEosPieces > max_length) return PairVerdict::kTooLong;
  if (filters.max_ratio > 0 && static_cast<double>(longer) > filters.max_ratio * static_cast<double>(shorter))
    return PairVerdict::kRatio;
  if (filters.skip_copied && source.text == target.text) return PairVerdict::kCopied;
  return PairVerdict::kUsable;
}

RepeatedPairs::RepeatedPairs(std::vector<std::vector<std::size_t>> earlier)
    : earlier_(std::move(earlier)), used_(earlier_.size()) {}

PairVerdict RepeatedPairs::judge(std::size_t text, std::string_view source, std::string_view target) {
  const auto pair = hash_of_pair(source, target);
  const auto has_pair = [&](std::size_t earlier) { return used_.at(earlier).contains(pair); };
  if (std::ranges::any_of(earlier_.at(text), has_pair) || !used_[text].insert(pair)) return PairVerdict::kRepeated;
  return PairVerdict::kUsable;
}

bool has_other_encoding(std::int64_t invalid, std::int64_t lines) {
  constexpr std::int64_t kLinesPerInvalid = 100;
  return invalid * kLinesPerInvalid > lines;
}

void expect_utf8(const TextFiles& files, const CorpusReport& report) {
  if (has_other_encoding(report.invalid_utf8.count, report.lines))
    throw DataError(names_of(files) + ": wanted UTF-8, got " + std::to_string(report.invalid_utf8.count) + " of " +
                    std::to_string(report.lines) + " line pairs with other bytes (" + report.invalid_utf8.text() +
                    "); convert the text to UTF-8");
}

void expect_usable(const TextFiles& files, const CorpusReport& report, std::int64_t max_length) {
  const auto both = names_of(files);
  if (report.lines == 0) throw DataError(both + ": wanted sentence pairs, got empty files");
  if (report.pairs > 0) return;
  std::string skipped;
  for (const auto& [pairs, reason] :
       {std::pair(&report.ratio, "above data.max_ratio"), {&report.copied, "copied"}, {&report.repeated, "repeated"}})
    if (pairs->count > 0) skipped += ", " + std::to_string(pairs->count) + ' ' + reason;
  throw DataError(both + ": none of " + std::to_string(report.lines) +
                  " pairs can be used: " + std::to_string(report.empty.count) + " empty, " +
                  std::to_string(report.too_long.count) + " longer than " + std::to_string(max_length) + " pieces, " +
                  std::to_string(report.invalid_utf8.count) + " not UTF-8" + skipped);
}

void CorpusReport::add(PairVerdict verdict) {
  ++lines;
  if (verdict == PairVerdict::kUsable) ++pairs;
  const auto* const reason = std::ranges::find(kReasons, verdict, &ReportedReason::verdict);
  if (reason != kReasons.end()) (this->*reason->lines).note(lines);
}

Json to_json(const CorpusReport& report) {
  Json json = {{"lines", report.lines}, {"pairs", report.pairs}, {"crlf", report.crlf}};
  for (const auto& reason : kReasons) json[reason.key] = noted_to_json(report.*reason.lines);
  return json;
}

CorpusReport read_corpus_report(const Json& json) {
  CorpusReport report{.lines = json.at("lines").get<std::int64_t>(),
                      .pairs = json.at("pairs").get<std::int64_t>(),
                      .crlf = json.at("crlf").get<bool>()};
  for (const auto& reason : kReasons)
    if (!reason.is_filter || json.contains(reason.key)) report.*reason.lines = read_noted(json.at(reason.key));
  return report;
}

}  // namespace gloss
