#include "documents/unit_translator.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <unordered_map>

#include "common/sentences/long_sentence.h"
#include "common/text/split.h"
#include "common/text/utf8.h"
#include "common/text/word_boundary.h"
#include "documents/prepared_unit.h"

namespace gloss {
namespace {

/// A sentence of a unit, or a part of one that is too long for the model.
struct Sentence {
  TextSpan span;                           ///< in the text of the prepared unit
  std::string text;                        ///< on one line
  bool continues = false;                  ///< a later part of a sentence that was cut
  std::vector<std::string> required = {};  ///< placeholders that it must keep
  bool in_order = true;
  std::optional<SentenceTranslation> translation = {};
};

struct Work {
  PreparedUnit unit;
  std::vector<Sentence> sentences;
  bool from_memory = false;  ///< the memory has the whole unit
};

/// Returns whether a text contains the placeholders as often as they are required, and those `in_order` in their order.
bool keeps_placeholders(std::string_view text, const Sentence& sentence) {
  std::size_t offset = 0;
  for (const auto& required : sentence.required) {
    const auto count = [&](std::string_view in) {
      std::size_t found = 0;
      for (auto at = in.find(required); at != in.npos; at = in.find(required, at + required.size())) ++found;
      return found;
    };
    if (count(text) != count(sentence.text)) return false;
    if (!sentence.in_order) continue;
    offset = text.find(required, offset);
    if (offset == text.npos) return false;
    offset += required.size();
  }
  return true;
}

/// Puts the line ends of a source, with the white space around them, in place of spaces of its translation, in
/// proportion to their places.
void restore_line_ends(std::string_view source, SentenceTranslation& translation) {
  std::vector<TextSpan> breaks;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (kAsciiSpace.find(source[i]) == kAsciiSpace.npos) continue;
    const auto end = std::min(source.find_first_not_of(kAsciiSpace, i), source.size());
    if (source.substr(i, end - i).find_first_of("\r\n") != source.npos) breaks.push_back({i, end});
    i = end;
  }
  auto& text = translation.text;
  std::size_t first = 0;  // the first byte of the translation that may become a line end
  for (const auto& line_end : breaks) {
    const auto share = static_cast<double>(line_end.begin) / static_cast<double>(source.size());
    const auto wanted = std::max(first, static_cast<std::size_t>(share * static_cast<double>(text.size())));
    auto space = text.find(' ', wanted);
    if (const auto before = text.rfind(' ', wanted);
        before != text.npos && before >= first && (space == text.npos || wanted - before < space - wanted))
      space = before;
    if (space == text.npos) return;
    text.replace(space, 1, line_end.of(source));
    for (auto& link : translation.links) {
      if (link.target.begin > space) link.target.begin += line_end.size() - 1;
      if (link.target.end > space) link.target.end += line_end.size() - 1;
    }
    first = space + line_end.size();
  }
}

/// Adds the places of the placeholders in a translation, which begins at `offset` of the unit's.
void add_places(std::string_view translation, std::span<const std::string> placeholders, std::size_t offset,
                std::vector<TextSpan>& places) {
  const auto first = std::ssize(places);
  for (const auto& placeholder : placeholders)
    for (auto at = translation.find(placeholder); at != translation.npos; at = translation.find(placeholder, at + 1))
      places.push_back({offset + at, offset + at + placeholder.size()});
  std::ranges::sort(places.begin() + first, places.end(), {}, &TextSpan::begin);
}

bool has_letter(std::string_view text) {
  bool found = false;
  for_each_character(text, [&](auto value, auto) { found = found || (value && is_letter(*value)); });
  return found;
}

double confidence_of(double log_probability, std::size_t tokens) {
  return tokens == 0 ? 1 : std::exp(log_probability / static_cast<double>(tokens));
}

class UnitJob {
 public:
  UnitJob(const SentenceTranslator& sentences, const UnitTranslatorOptions& options, std::span<const Unit> units,
          UnitCounts& counts)
      : sentences_(sentences), options_(options), units_(units), counts_(counts), work_(units.size()) {}

  std::vector<UnitTranslation> run() {
    for (std::size_t i = 0; i < units_.size(); ++i) prepare_unit(i, /*takes_out_all=*/false);
    search(/*again=*/false);
    if (options_.copies_placeholders && find_losses()) search(/*again=*/true);
    take_out_lost();
    search(/*again=*/false);
    std::vector<UnitTranslation> results;
    for (std::size_t i = 0; i < units_.size(); ++i) results.push_back(assemble(i));
    return results;
  }

 private:
  static bool lost(const Sentence& sentence) {
    return sentence.translation->complete && !keeps_placeholders(sentence.translation->text, sentence);
  }

  /// Takes all placeholders out of the units that have lost one.
  void take_out_lost() {
    for (std::size_t i = 0; i < units_.size(); ++i)
      if (std::ranges::any_of(work_[i].sentences, [](const auto& s) { return s.translation && lost(s); })) {
        counts_.put_back += std::ssize(work_[i].unit.kept);
        prepare_unit(i, /*takes_out_all=*/true);
      }
  }

  void prepare_unit(std::size_t index, bool takes_out_all) {
    const auto& unit = units_[index];
    auto& work = work_[index];
    work = {};
    if (!takes_out_all && find_known(unit, work)) return;
    work.unit = prepare(unit, [&](Placeholder::Kind kind, std::string_view placeholder) {
      const bool keeps = options_.copies_placeholders || kind == Placeholder::Kind::kQuantity;
      return !takes_out_all && keeps && sentences_.can_spell(placeholder);
    });
    const std::string_view text = work.unit.text.text;
    std::vector<TextSpan> whole;
    for (const auto& kept : work.unit.kept) whole.push_back(kept.span);
    for (const auto& span : sentence_spans(text, unit.mode, *options_.splitter)) {
      std::vector<TextSpan> inside;
      for (const auto& kept : whole)
        if (kept.begin >= span.begin && kept.end <= span.end)
          inside.push_back({kept.begin - span.begin, kept.end - span.begin});
      const auto parts = cut_long_sentence(
          span.of(text), [&](std::string_view part) { return sentences_.fits(part); }, inside);
      if (parts.size() > 1) ++counts_.cut;
      const auto first = work.sentences.size();
      for (const auto& part : parts) add_sentence(work, {span.begin + part.begin, span.begin + part.end}, first);
      if (!takes_out_all) ++counts_.sentences;
    }
  }

  /// Returns whether the memory has the whole unit, which then is one sentence.
  bool find_known(const Unit& unit, Work& work) const {
    const auto& text = unit.source.text;
    if (!options_.known || !unit.source.elements.empty()) return false;
    const auto begin = text.find_first_not_of(kAsciiSpace);
    if (begin == text.npos) return false;
    const TextSpan span{begin, text.find_last_not_of(kAsciiSpace) + 1};
    auto known = options_.known(span.of(text));
    if (!known) return false;
    work.unit.text = unit.source;
    work.unit.origin.resize(text.size() + 1);
    std::iota(work.unit.origin.begin(), work.unit.origin.end(), 0);
    work.from_memory = true;
    Sentence sentence{span, std::string(span.of(text))};
    sentence.translation = SentenceTranslation{.text = std::move(*known), .links = {}};
    work.sentences.push_back(std::move(sentence));
    return true;
  }

  /// Adds a sentence, or a part of the one that begins with the `first` of the unit.
  void add_sentence(Work& work, TextSpan span, std::size_t first) const {
    Sentence sentence{span, std::string(span.of(work.unit.text.text))};
    sentence.continues = work.sentences.size() > first;
    for (auto& c : sentence.text)
      if (kAsciiSpace.find(c) != kAsciiSpace.npos) c = ' ';
    for (const auto& kept : work.unit.kept)
      if (kept.span.begin >= span.begin && kept.span.end <= span.end) {
        sentence.required.emplace_back(kept.span.of(work.unit.text.text));
        sentence.in_order = sentence.in_order && kept.in_order;
      }
    if (!has_letter(sentence.text))  // numbers and signs stay
      sentence.translation = SentenceTranslation{.text = sentence.text, .links = {}};
    else if (options_.known && work.unit.text.elements.empty())
      if (auto known = options_.known(sentence.text))
        sentence.translation = SentenceTranslation{.text = std::move(*known), .links = {}};
    work.sentences.push_back(std::move(sentence));
  }

  /// Translates the sentences that have no translation; each text once. `again`: with what they require.
  void search(bool again) {
    std::vector<SentenceRequest> requests;
    std::unordered_map<std::string_view, std::size_t> indices;
    std::vector<std::pair<Sentence*, std::size_t>> wanted;
    for (auto& work : work_)
      for (auto& sentence : work.sentences) {
        if (sentence.translation) continue;
        const auto [place, is_new] = indices.try_emplace(sentence.text, requests.size());
        if (is_new) requests.push_back({sentence.text, again ? sentence.required : std::vector<std::string>()});
        wanted.emplace_back(&sentence, place->second);
      }
    if (requests.empty()) return;
    const auto translations = sentences_.translate(requests);
    for (const auto& [sentence, index] : wanted) sentence->translation = translations[index];
  }

  /// Forgets translations that have lost a placeholder; returns whether there were any.
  bool find_losses() {
    const auto before = counts_.searched_again;
    for (auto& work : work_)
      for (auto& sentence : work.sentences)
        if (lost(sentence)) {
          sentence.translation.reset();
          ++counts_.searched_again;
        }
    return counts_.searched_again > before;
  }

  UnitTranslation assemble(std::size_t index) {
    auto& work = work_[index];
    ++counts_.units;
    UnitTranslation result;
    result.from_memory = work.from_memory;
    if (work.from_memory) ++counts_.from_memory;
    const auto& source = work.unit.text;
    double log_probability = 0;
    std::size_t tokens = 0, written = 0;
    std::vector<TextSpan> whole;  // placeholders in the translation
    auto& text = result.target.text;
    for (auto& sentence : work.sentences) {
      auto& translation = *sentence.translation;
      if (!translation.complete) {
        ++counts_.left;
        return {.target = {}, .links = {}, .translated = false};
      }
      restore_line_ends(sentence.span.of(source.text), translation);
      const auto gap = std::string_view(source.text).substr(written, sentence.span.begin - written);
      text += gap;
      // Sentences of a script without spaces have no gap; those of others need one.
      if (gap.empty() && !text.empty() && first_kind(translation.text) == CharacterKind::kWord) text += ' ';
      for (auto link : translation.links) {
        link.target = {link.target.begin + text.size(), link.target.end + text.size()};
        link.source = {link.source.begin + sentence.span.begin, link.source.end + sentence.span.begin};
        result.links.push_back(link);
      }
      const TextSpan target{text.size(), text.size() + translation.text.size()};
      const auto confidence = confidence_of(translation.log_probability, translation.tokens);
      if (sentence.continues) {
        auto& whole_sentence = result.sentences.back();
        whole_sentence.target.end = target.end;
        whole_sentence.source.end = sentence.span.end;
        whole_sentence.weight = std::min(whole_sentence.weight, confidence);
      } else {
        result.sentences.push_back({target, sentence.span, confidence});
      }
      add_places(translation.text, sentence.required, text.size(), whole);
      text += translation.text;
      written = sentence.span.end;
      log_probability += translation.log_probability;
      tokens += translation.tokens;
    }
    text += std::string_view(source.text).substr(written);
    result.confidence = confidence_of(log_probability, tokens);
    result.target = place_elements(source, std::move(text), result.links, options_.placement, whole);
    std::erase_if(result.sentences, [](const auto& sentence) { return sentence.target.empty(); });
    restore_spaces(result.target, {&result.links, &result.sentences});
    for (auto* spans : {&result.links, &result.sentences})
      for (auto& span : *spans)
        span.source = {work.unit.origin[span.source.begin], work.unit.origin[span.source.end - 1] + 1};
    return result;
  }

  const SentenceTranslator& sentences_;
  const UnitTranslatorOptions& options_;
  std::span<const Unit> units_;
  UnitCounts& counts_;
  std::vector<Work> work_;
};

}  // namespace

std::vector<UnitTranslation> UnitTranslator::translate(std::span<const Unit> units, UnitCounts& counts) const {
  return UnitJob(sentences_, options_, units, counts).run();
}

}  // namespace gloss
