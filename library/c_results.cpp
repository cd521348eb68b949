#include "library/c_results.h"

#include <cstddef>
#include <utility>

namespace gloss {
namespace {

/// Returns the value of each element of a list.
template <typename Element>
Json list_of(const std::vector<Element>& elements, const auto& value) {
  auto list = Json::array();
  list.get_ref<Json::array_t&>().reserve(elements.size());
  for (const auto& element : elements) list.push_back(value(element));
  return list;
}

Json pair_of(std::size_t first, std::size_t second) { return Json::array({first, second}); }

Json span_json(const Translation::Span& span) { return pair_of(span.begin, span.end); }
Json link_json(const Translation::Link& link) { return pair_of(link.source, link.target); }

const char* status_name(Translation::Status status) {
  switch (status) {
    case Translation::Status::kDeadline:
      return "deadline";
    case Translation::Status::kCancelled:
      return "cancelled";
    default:
      return "complete";
  }
}

Json spans_json(const std::vector<Translation::Span>& spans) { return list_of(spans, span_json); }

Json candidate_json(const Translation::Candidate& candidate) {
  return {{"text", candidate.text},
          {"score", candidate.score},
          {"log_probability", candidate.log_probability},
          {"pieces", candidate.pieces},
          {"ended", candidate.ended},
          {"spans", spans_json(candidate.spans)},
          {"token_log_probabilities", candidate.token_log_probabilities},
          {"words", list_of(candidate.words,
                            [](const Translation::Word& word) {
                              return Json{{"text", word.text}, {"confidence", word.confidence}};
                            })},
          {"alignment", list_of(candidate.alignment, link_json)},
          {"piece_alignment", list_of(candidate.piece_alignment, link_json)},
          {"flags", candidate.flags},
          {"lacks_phrase", candidate.lacks_phrase}};
}

}  // namespace

Json to_json(const Translation& translation) {
  return {{"status", status_name(translation.status)},
          {"truncated", translation.truncated},
          {"candidates", list_of(translation.candidates, candidate_json)},
          {"source", translation.source},
          {"source_spans", spans_json(translation.source_spans)}};
}

Json to_json(const TextTranslation& translation) {
  return {{"status", status_name(translation.status)},
          {"text", translation.text},
          {"sentences", list_of(translation.sentences,
                                [](const TextTranslation::Sentence& sentence) {
                                  return Json{{"source", span_json(sentence.source)},
                                              {"target", span_json(sentence.target)},
                                              {"confidence", sentence.confidence}};
                                })},
          {"units", translation.units},
          {"from_memory", translation.from_memory}};
}

Json to_json(const StreamedToken& token) {
  return {{"line", token.line},
          {"piece", token.piece},
          {"text", token.text},
          {"log_probability", token.log_probability},
          {"end", token.end}};
}

gloss_result result_of_lines(const std::vector<Translation>& translations) {
  gloss_result result;
  for (const auto& translation : translations)
    result.texts.push_back(translation.complete() ? std::optional(translation.text()) : std::nullopt);
  result.json = to_text(
      {{"translations", list_of(translations, [](const Translation& translation) { return to_json(translation); })}});
  return result;
}

gloss_result result_of_text(const TextTranslation& translation) {
  return {to_text(to_json(translation)), {translation.complete() ? std::optional(translation.text) : std::nullopt}};
}

gloss_result result_of_file(const TextTranslation& translation) { return {to_text(to_json(translation)), {}}; }

gloss_result result_of_languages(const std::vector<std::string>& names) {
  gloss_result result{to_text({{"languages", names}}), {}};
  for (const auto& name : names) result.texts.emplace_back(name);
  return result;
}

gloss_result result_of_sentences(const std::string& text, const std::vector<Translation::Span>& sentences) {
  gloss_result result{to_text({{"sentences", spans_json(sentences)}}), {}};
  for (const auto& [begin, end] : sentences) result.texts.emplace_back(text.substr(begin, end - begin));
  return result;
}

}  // namespace gloss
