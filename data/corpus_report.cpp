#include "data/corpus_report.h"

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
