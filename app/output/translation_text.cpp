#include "app/output/translation_text.h"

#include <utility>
#include <vector>

#include "common/text/format.h"
#include "common/text/utf8.h"
#include "common/text/word_links.h"

namespace gloss {
namespace {

Json to_object(const LineTranslation::Candidate& candidate, bool alignment) {
  auto words = Json::array();
  for (const auto& [text, confidence] : candidate.words) words.push_back({{"word", text}, {"confidence", confidence}});
  auto flags = candidate.flags.names();
  if (candidate.lacks_phrase) flags.emplace_back("lacks_phrase");
  Json result = {{"text", candidate.text},
                 {"score", candidate.score},
                 {"log_probability", candidate.log_probability},
                 {"ended", candidate.ended_or_empty()},
                 {"tokens", to_json(candidate.tokens)},
                 {"words", std::move(words)},
                 {"flags", std::move(flags)}};
  if (!alignment) return result;
  auto links = Json::array();
  for (const auto& [source, target] : candidate.alignment) links.push_back({source, target});
  result["alignment"] = std::move(links);
  return result;
}

std::string to_json_line(const TranslatedLine& line, bool alignment) {
  const auto& translation = *line.translation;
  auto translations = Json::array();
  for (const auto& candidate : translation.candidates) translations.push_back(to_object(candidate, alignment));
  auto flags = Json::array();
  if (!is_text(line.source)) flags.push_back("broken");
  if (translation.truncated) flags.push_back("truncated");
  if (translation.has_unknown_source()) flags.push_back("unknown");
  Json object = {{"line", line.number}, {"source_flags", std::move(flags)}, {"translations", std::move(translations)}};
  if (translation.status == LineTranslation::Status::kOutOfMemory) object["error"] = "out of memory";
  return to_text(object) + '\n';
}

std::string to_n_best_line(std::int64_t line, const LineTranslation::Candidate& candidate) {
  return std::to_string(line) + " ||| " + candidate.text + " ||| " + printed_score(candidate.score);
}

}  // namespace

std::string to_lines(const TranslatedLine& line, const TranslationPrint& print) {
  if (print.json_lines) return to_json_line(line, print.alignment);
  static const std::vector<LineTranslation::Candidate> empty(1);  // a line is printed even if there is no translation
  std::string text;
  for (const auto& candidate : line.translation->complete() ? line.translation->candidates : empty) {
    text += print.n_best ? to_n_best_line(line.number, candidate) : candidate.text;
    if (print.alignment) text += " ||| " + to_pharaoh(candidate.alignment);
    text += '\n';
    if (!print.n_best) break;
  }
  return text;
}

std::string printed_score(double score) { return formatted("%.6f", score); }

Json to_json(std::span<const LineTranslation::Token> tokens) {
  auto list = Json::array();
  for (const auto& [piece, log_probability, place] : tokens)
    list.push_back({{"piece", piece}, {"log_probability", log_probability}});
  return list;
}

}  // namespace gloss
