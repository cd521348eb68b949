#include "documents/model_sentence_translator.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>

#include "common/error.h"
#include "common/text/split.h"
#include "translation/glossary_phrases.h"

namespace gloss {
namespace {

/// Maps bytes of a line as the model reads it to bytes of the line itself, which may have characters more.
class ReadBytes {
 public:
  ReadBytes(std::string_view read, std::string_view line) : same_(line.starts_with(read)), size_(line.size()) {
    if (same_) return;
    for (std::size_t i = 0, at = 0; i < read.size(); ++i, ++at) {
      const auto found = line.find(read[i], at);
      at = found == line.npos ? at : found;
      places_.push_back(std::min(at, line.size()));
    }
  }
  TextSpan operator()(TextSpan span) const {
    if (same_) return span;
    return {places_[span.begin], std::min(places_[span.end - 1] + 1, size_)};
  }

 private:
  bool same_;
  std::size_t size_;
  std::vector<std::size_t> places_;
};

TextSpan without_spaces(std::string_view text, TextSpan span) {
  while (!span.empty() && kAsciiSpace.find(text[span.begin]) != text.npos) ++span.begin;
  while (!span.empty() && kAsciiSpace.find(text[span.end - 1]) != text.npos) --span.end;
  return span;
}

}  // namespace

SentenceTranslation sentence_of(std::string_view line, LineTranslation found) {
  SentenceTranslation result;
  if (!found.complete()) {
    result.complete = false;
    return result;
  }
  auto& best = found.candidates.front();
  const ReadBytes place(found.source.text, line);
  for (std::size_t i = 0; best.spans_known && found.source.spans_known && i < best.links.size(); ++i) {
    const auto& link = best.links[i];
    if (link.source < 0 || link.to_end) continue;
    const auto& from = found.source.spans[static_cast<std::size_t>(link.source)];
    const auto& to = best.tokens[i].span;
    const auto source = without_spaces(found.source.text, {from.begin, from.end});
    const auto target = without_spaces(best.text, {to.begin, to.end});
    if (!source.empty() && !target.empty()) result.links.push_back({target, place(source), link.weight});
  }
  result.text = std::move(best.text);
  result.log_probability = best.log_probability;
  result.tokens = best.tokens.size();
  return result;
}

ModelSentenceTranslator::ModelSentenceTranslator(LineTranslator translator, DecodingConfig decoding,
                                                 std::vector<std::pair<std::string, std::string>> glossary,
                                                 TranslationHooks hooks)
    : translator_(std::move(translator)),
      decoding_(std::move(decoding)),
      glossary_(std::move(glossary)),
      hooks_(std::move(hooks)) {
  if (decoding_.sampling.enabled)
    throw UsageError({Key{"sample"}, ": wanted a search, because a document's translation is the best one, got draws"});
  if (!glossary_.empty()) phrases_.emplace(TermList::from_entries(glossary_), translator_.target_tokenizer());
}

std::vector<SentenceTranslation> ModelSentenceTranslator::translate(std::span<const SentenceRequest> sentences) const {
  std::vector<std::string> lines;
  std::set<std::string> required;
  for (const auto& sentence : sentences) {
    lines.push_back(sentence.text);
    required.insert(sentence.required.begin(), sentence.required.end());
  }
  auto phrases = phrases_;
  if (!required.empty()) {
    auto entries = glossary_;
    for (const auto& [source, target] : glossary_) required.erase(source);
    for (const auto& text : required) entries.emplace_back(text, text);
    phrases.emplace(TermList::from_entries(entries), translator_.target_tokenizer());
  }
  const TranslationRequest request{
      .lines = lines, .glossary = phrases ? &*phrases : nullptr, .details = {.alignment = translator_.can_align()}};
  auto found = translator_.translate(request, decoding_, hooks_);
  std::vector<SentenceTranslation> result;
  for (std::size_t i = 0; i < lines.size(); ++i) result.push_back(sentence_of(lines[i], std::move(found[i])));
  return result;
}

bool ModelSentenceTranslator::fits(std::string_view sentence) const {
  // A piece has at least one byte.
  const auto limit = std::min(translator_.max_source_length(), decoding_.max_length);
  if (std::ssize(sentence) + 2 < limit) return true;
  const auto source = translator_.encode_source(sentence);
  return !source.truncated && std::ssize(source.ids) < limit;
}

bool ModelSentenceTranslator::can_spell(std::string_view text) const {
  const auto& tokenizer = translator_.target_tokenizer().untagged();
  const auto ids = tokenizer.encode(text);
  // A glossary separates alternatives by |.
  return text.find('|') == text.npos && !has_unknown(ids) && tokenizer.decode(ids) == text;
}

}  // namespace gloss
