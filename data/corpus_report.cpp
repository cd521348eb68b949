#include "data/corpus_report.h"

#include <string>
#include <utility>

#include "common/error.h"
#include "data/pair_verdict.h"

namespace gloss {
namespace {

Json noted_to_json(const NotedLines& lines) { return {{"count", lines.count}, {"first_lines", lines.first_lines}}; }

NotedLines read_noted(const Json& json) {
  return {json.at("count").get<std::int64_t>(), json.at("first_lines").get<std::vector<std::int64_t>>()};
}

// Returns no lines if the key is missing, as in reports of earlier versions.
NotedLines read_noted_if_present(const Json& report, const char* key) {
  return report.contains(key) ? read_noted(report.at(key)) : NotedLines();
}

}  // namespace

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

Json to_json(const CorpusReport& report) {
  return {{"lines", report.lines},
          {"pairs", report.pairs},
          {"invalid_utf8", noted_to_json(report.invalid_utf8)},
          {"empty", noted_to_json(report.empty)},
          {"too_long", noted_to_json(report.too_long)},
          {"ratio", noted_to_json(report.ratio)},
          {"copied", noted_to_json(report.copied)},
          {"repeated", noted_to_json(report.repeated)},
          {"crlf", report.crlf}};
}

CorpusReport read_corpus_report(const Json& json) {
  return {.lines = json.at("lines").get<std::int64_t>(),
          .pairs = json.at("pairs").get<std::int64_t>(),
          .invalid_utf8 = read_noted(json.at("invalid_utf8")),
          .empty = read_noted(json.at("empty")),
          .too_long = read_noted(json.at("too_long")),
          .ratio = read_noted_if_present(json, "ratio"),
          .copied = read_noted_if_present(json, "copied"),
          .repeated = read_noted_if_present(json, "repeated"),
          .crlf = json.at("crlf").get<bool>()};
}

}  // namespace gloss
