#include "translation/line_translator.h"

#include <algorithm>
#include <utility>

#include "common/text/utf8.h"
#include "decoding/batched_search.h"

namespace gloss {

LineTranslator::LineTranslator(std::shared_ptr<const Scorer> scorer, std::shared_ptr<const Tokenizer> source,
                               std::shared_ptr<const Tokenizer> target, std::int64_t max_source_length)
    : scorer_(std::move(scorer)),
      source_(std::move(source)),
      target_(std::move(target)),
      max_source_length_(max_source_length) {}

LineTranslator::Source LineTranslator::encode_source(std::string_view line) const {
  Source source{source_->encode(repair_utf8(line))};
  if (source.ids.empty()) return source;
  source.truncated = std::ssize(source.ids) > max_source_length_ - 1;
  if (source.truncated) source.ids.resize(static_cast<std::size_t>(max_source_length_ - 1));
  source.ids.push_back(kEos);
  return source;
}

std::vector<Phrase> LineTranslator::phrases_of(const GlossaryPhrases& glossary, const std::string& line,
                                               const Ids& source, bool truncated) const {
  const auto text = repair_utf8(line);
  if (source.size() < 2 || glossary.of(text).empty()) return {};
  const auto placed = source_->encode_placed(text);
  if (!truncated) return glossary.of(placed);
  return glossary.of(placed, placed.places[source.size() - 2].end);  // eos follows the last piece
}

std::vector<LineTranslator::Translation> LineTranslator::translate(const Input& input, const DecodingConfig& config,
                                                                   const std::function<void()>& before_step) const {
  const auto lines = input.lines;
  std::vector<Translation> result(lines.size());
  std::vector<Ids> sources(lines.size());  // pieces and eos; nothing for a line with nothing in it
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto source = encode_source(lines[i]);
    if (source.ids.empty()) result[i].candidates.emplace_back();
    result[i].truncated = source.truncated;
    sources[i] = std::move(source.ids);
  }
  PerSentence given;
  for (const auto& prefix : input.prefixes) given.prefixes.push_back(target_->encode(repair_utf8(prefix)));
  for (std::int64_t i = 0; i < std::ssize(lines); ++i) given.numbers.push_back(input.first + i);
  if (input.glossary) {
    given.continues_word = input.glossary->continues_word();
    for (std::size_t i = 0; i < lines.size(); ++i)
      given.phrases.push_back(phrases_of(*input.glossary, lines[i], sources[i], result[i].truncated));
  }
  auto found = batched_search(
      *scorer_, sources, config, given,
      {.before_batch = before_step,
       .before_step = before_step,
       .on_left_out = [&result](std::int64_t line, std::int64_t) { result[line].leaves_out_phrases = true; }});
  for (std::size_t i = 0; i < lines.size(); ++i)
    for (auto& hypothesis : found[i]) {
      auto text = target_->decode(hypothesis.ids);
      const bool lacks_phrase = input.glossary && !has_all(text, given.phrases[i]);
      result[i].candidates.push_back({std::move(text), std::move(hypothesis), lacks_phrase});
    }
  return result;
}

}  // namespace gloss
