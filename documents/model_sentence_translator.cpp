#include "documents/model_sentence_translator.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "common/error.h"
#include "common/text/split.h"
#include "common/text/utf8.h"
#include "translation/glossary_phrases.h"

namespace gloss {
namespace {

/// Maps bytes of a line as the model reads it to whole characters of the line itself, which may have more.
class ReadBytes {
 public:
  ReadBytes(std::string_view read, std::string_view line) {
    std::size_t at = 0;
    for_each_character(read, [&](auto /*value*/, std::string_view spelling) {
      const auto found = line.find(spelling, at);  // absent: the model reads U+FFFD in place of a NUL
      if (found != line.npos) at = found;
      const auto size = found != line.npos ? spelling.size() : at < line.size() ? decode_utf8(line, at).bytes : 0;
      characters_.insert(characters_.end(), spelling.size(), {at, at + size});
      at += size;
    });
  }
  TextSpan operator()(TextSpan span) const { return {characters_[span.begin].begin, characters_[span.end - 1].end}; }

 private:
  std::vector<TextSpan> characters_;  ///< of the line, for each byte that the model reads
};

TextSpan without_spaces(std::string_view text, TextSpan span) {
  while (!span.empty() && kAsciiSpace.find(text[span.begin]) != text.npos) ++span.begin;
  while (!span.empty() && kAsciiSpace.find(text[span.end - 1]) != text.npos) --span.end;
  return span;
}

}  // namespace

SentenceTranslation sentence_of(std::string_view line, const LineTranslation& found, std::size_t candidate) {
  SentenceTranslation result;
  if (!found.complete()) {
    result.complete = false;
    return result;
  }
  const auto& best = found.candidates.at(candidate);
  const ReadBytes source_place(found.source.text, line), target_place(best.text, best.text);
  for (std::size_t i = 0; best.spans_known && found.source.spans_known && i < best.links.size(); ++i) {
    const auto& link = best.links[i];
    if (link.source < 0 || link.to_end) continue;
    const auto& from = found.source.spans[static_cast<std::size_t>(link.source)];
    const auto& to = best.tokens[i].span;
    const auto source = without_spaces(found.source.text, {from.begin, from.end});
    const auto target = without_spaces(best.text, {to.begin, to.end});
    if (!source.empty() && !target.empty())
      result.links.push_back({target_place(target), source_place(source), link.weight});
  }
  result.text = best.text;
  result.log_probability = best.log_probability;
  result.tokens = best.tokens.size();
  result.lacks_phrase = best.lacks_phrase;
  return result;
}

ModelSentenceTranslator::ModelSentenceTranslator(LineTranslator translator, DecodingConfig decoding,
                                                 std::vector<std::pair<std::string, std::string>> glossary,
                                                 TranslationHooks hooks, bool has_attention)
    : translator_(std::move(translator)),
      decoding_(std::move(decoding)),
      hooks_(std::move(hooks)),
      aligns_(has_attention && translator_.can_align()) {
  if (decoding_.sampling.enabled)
    throw UsageError({Key{"sample"}, ": wanted a search, because a document's translation is the best one, got draws"});
  if (!glossary.empty()) glossary_.emplace(TermList::from_entries(glossary), translator_.target_tokenizer());
}

Languages languages_of_tags(const Languages& given, const TranslatorConfig& config) {
  const auto& [tokenizer, of_model] = std::tie(config.tokenizer, config.languages);
  const bool has_source = tokenizer.source_tag == SourceTag::kSource || !of_model.source.empty();
  const bool has_target =
      tokenizer.source_tag == SourceTag::kTarget || tokenizer.target_tag || !of_model.target.empty();
  return {has_source ? given.source : "", has_target ? given.target : ""};
}

std::vector<SentenceTranslation> ModelSentenceTranslator::translate(std::span<const SentenceRequest> sentences) const {
  std::vector<SentenceTranslation> best;
  for (auto& of_sentence : candidates(sentences)) best.push_back(std::move(of_sentence.front()));
  return best;
}

std::vector<std::vector<SentenceTranslation>> ModelSentenceTranslator::candidates(
    std::span<const SentenceRequest> sentences) const {
  std::vector<std::string> lines;
  std::map<std::string, std::string> required;
  for (const auto& sentence : sentences) {
    lines.push_back(sentence.text);
    for (const auto& text : sentence.required) required.emplace(text, text);
  }
  const auto* glossary = glossary_ ? &*glossary_ : nullptr;
  std::optional<GlossaryPhrases> of_these;  // what the glossary has for these lines, and what they require
  if (!required.empty()) {
    for (std::size_t i = 0; glossary_ && i < lines.size(); ++i)
      for (const auto& found : glossary_->terms().find(lines[i])) {
        const auto& entry = glossary_->terms().entries()[found.entry];
        required[entry.source] = entry.target;
      }
    const std::vector<std::pair<std::string, std::string>> entries(required.begin(), required.end());
    glossary = &of_these.emplace(TermList::from_entries(entries), translator_.target_tokenizer());
  }
  const TranslationRequest request{.lines = lines, .glossary = glossary, .details = {.alignment = aligns_}};
  const auto found = translator_.translate(request, decoding_, hooks_);
  std::vector<std::vector<SentenceTranslation>> result;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto& of_sentence = result.emplace_back();
    for (std::size_t j = 0; j < std::max<std::size_t>(1, found[i].candidates.size()); ++j)
      of_sentence.push_back(sentence_of(lines[i], found[i], j));
  }
  return result;
}

bool ModelSentenceTranslator::fits(std::string_view sentence) const {
  // A piece has at least one byte.
  const auto limit = std::min(translator_.max_source_length(), decoding_.max_length);
  if (std::ssize(sentence) + 2 < limit) return true;
  constexpr std::ptrdiff_t kBytesPerPiece = 16;  // longer texts are hardly words, and slow to tokenize
  if (std::ssize(sentence) > kBytesPerPiece * limit) return false;
  const auto source = translator_.encode_source(sentence);
  return !source.truncated && std::ssize(source.ids) < limit;
}

bool ModelSentenceTranslator::can_spell(std::string_view text) const {
  const auto& tokenizer = translator_.target_tokenizer().untagged();
  const auto ids = tokenizer.encode(text);
  // A glossary separates alternatives by |.
  return text.find('|') == text.npos && !has_unknown(ids) && tokenizer.decode(ids) == text;
}

std::vector<TextSpan> ModelSentenceTranslator::phrases(std::string_view text) const {
  std::vector<TextSpan> places;
  if (glossary_)
    for (const auto& found : glossary_->terms().find(text)) places.push_back({found.begin, found.end});
  return places;
}

}  // namespace gloss
