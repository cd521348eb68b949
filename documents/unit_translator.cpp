#include "documents/unit_translator.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <unordered_map>

#include "common/sentences/long_sentence.h"
#include "common/sentences/sentence_marks.h"
#include "common/text/language_tag.h"
#include "common/text/letter_case.h"
#include "common/text/split.h"
#include "common/text/utf8.h"
#include "common/text/word_boundary.h"
#include "documents/element_placement.h"
#include "documents/prepared_unit.h"

namespace gloss {
namespace {

/// A sentence of a unit, or a part of one that is too long for the model.
struct Sentence {
  TextSpan span;                           ///< in the text of the prepared unit
  std::string text;                        ///< on one line
  bool in_capitals = false;                ///< the model gets it in small letters
  bool continues = false;                  ///< a later part of a sentence that was cut
  bool from_memory = false;                ///< `known` has its translation
  bool is_constrained = false;             ///< the search requires `required`
  std::vector<std::string> required = {};  ///< quantities that it must keep
  std::optional<SentenceTranslation> translation = {};

  /// Returns whether the translation lacks a quantity, or repeats one.
  bool has_lost() const {
    return translation && translation->complete && std::ranges::any_of(required, [&](const auto& quantity) {
             return places_in(translation->text, quantity).size() != places_in(text, quantity).size();
           });
  }
  /// Returns the places of a quantity that are no part of a longer number.
  static std::vector<TextSpan> places_in(std::string_view text, std::string_view quantity) {
    const auto digit_at = [&](std::size_t offset) { return offset < text.size() && is_ascii_digit(text[offset]); };
    const auto sign_at = [&](std::size_t offset) {
      return offset < text.size() && (text[offset] == '.' || text[offset] == ',');
    };
    std::vector<TextSpan> places;
    for (auto begin = text.find(quantity); begin != text.npos; begin = text.find(quantity, begin + 1)) {
      const auto end = begin + quantity.size();
      const bool continues_number = digit_at(begin - 1) || (sign_at(begin - 1) && digit_at(begin - 2));
      const bool goes_on = digit_at(end - 1) && (digit_at(end) || (sign_at(end) && digit_at(end + 1)));
      if (!continues_number && !goes_on) places.push_back({begin, end});
    }
    return places;
  }
  std::vector<TextSpan> places_of_required(std::string_view in) const {
    std::vector<TextSpan> places;
    for (const auto& quantity : required) std::ranges::copy(places_in(in, quantity), std::back_inserter(places));
    return places;
  }
};

struct Work {
  PreparedUnit unit;
  std::vector<Sentence> sentences;
};

/// Returns the place nearest to `wanted`, from `first` on, where a line end may stand in place of a space, or between
/// two characters of a script without spaces; otherwise the end of the text.
TextSpan place_of_line_end(std::string_view text, std::size_t first, std::size_t wanted) {
  TextSpan nearest{text.size(), text.size()};
  std::size_t offset = 0;
  auto before = CharacterKind::kOther;
  for_each_character(text, [&](auto value, std::string_view spelling) {
    const auto kind = kind_of(value.value_or(0));
    const auto length = spelling == " " ? std::size_t{1} : 0;
    const bool may_break = offset >= first && offset > 0 &&
                           (length > 0 || (before == CharacterKind::kUnspaced && kind == CharacterKind::kUnspaced));
    const auto distance = [&](std::size_t place) { return std::max(place, wanted) - std::min(place, wanted); };
    if (may_break && (nearest.begin == text.size() || distance(offset) < distance(nearest.begin)))
      nearest = {offset, offset + length};
    before = kind;
    offset += spelling.size();
  });
  return nearest;
}

/// Puts the line ends of a source, with the white space around them, into its translation, in proportion to their
/// places.
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
    const auto place = place_of_line_end(text, first, wanted);
    text.replace(place.begin, place.size(), line_end.of(source));
    for (auto& link : translation.links) {
      if (link.target.begin >= place.end) link.target.begin += line_end.size() - place.size();
      if (link.target.end > place.begin) link.target.end += line_end.size() - place.size();
    }
    first = place.begin + line_end.size();
  }
}

/// Returns whether a text is in capitals: two words or more, and no other letter, neither small nor of a script without
/// cases. Models that were trained on ordinary text translate it badly.
bool is_in_capitals(std::string_view text) {
  std::size_t words = 0, capitals = 0;  // capitals: those before this character
  bool has_other = false;
  for_each_character(text, [&](auto value, auto) {
    const auto c = value.value_or(0);
    capitals = is_upper_case(c) ? capitals + 1 : 0;
    if (capitals == 2) ++words;
    has_other |= upper_case(c) != c || is_caseless(c);
  });
  return words >= 2 && !has_other;
}

/// Returns a text in other letters apart from some places, of the same length. Small letters begin after the first
/// letter.
std::string in_letters(std::string_view text, bool upper, std::span<const TextSpan> kept) {
  std::string result;
  bool is_first = true;
  for_each_character(text, [&](auto value, std::string_view spelling) {
    const auto offset = result.size();
    const bool stays =
        std::ranges::any_of(kept, [&](const auto& span) { return offset >= span.begin && offset < span.end; });
    if (!value || stays)
      result += spelling;
    else if (*value == U'\u00df' && upper)
      result += "SS";
    else
      append_utf8(upper ? upper_case(*value) : is_first ? *value : lower_case(*value), result);
    is_first &= !is_letter(value.value_or(0));
  });
  return result;
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
    search();
    for (auto& work : work_)
      for (auto& sentence : work.sentences)
        if (sentence.has_lost()) {
          sentence.translation.reset();
          sentence.is_constrained = true;
          ++counts_.searched_again;
        }
    search();
    for (std::size_t i = 0; i < units_.size(); ++i)
      if (const auto lost = std::ranges::count_if(work_[i].sentences, &Sentence::has_lost); lost > 0) {
        counts_.put_back += lost;
        prepare_unit(i, /*takes_out_all=*/true);
      }
    search();
    std::vector<UnitTranslation> results;
    for (std::size_t i = 0; i < units_.size(); ++i) results.push_back(assemble(i));
    return results;
  }

 private:
  void prepare_unit(std::size_t index, bool takes_out_all) {
    const auto& unit = units_[index];
    auto& work = work_[index];
    work = {};
    if (find_known(unit, work)) return;
    const auto phrases = sentences_.phrases(unit.source.text);
    work.unit = prepare(unit, *options_.splitter, phrases,
                        [&](auto quantity) { return !takes_out_all && sentences_.can_spell(quantity); });
    const std::string_view text = work.unit.text.text;
    std::size_t end = 0;  // of the sentence before
    for (auto span : work.unit.sentences) {
      const auto gap = text.substr(end, span.begin - end);
      if (end == 0 || gap.find_first_of("\r\n") != gap.npos) span.begin += list_mark_length(span.of(text));
      end = span.end;
      std::vector<TextSpan> whole;
      for (const auto& kept : work.unit.kept)
        if (kept.begin >= span.begin && kept.end <= span.end)
          whole.push_back({kept.begin - span.begin, kept.end - span.begin});
      const auto parts = cut_long_sentence(
          span.of(text), [&](std::string_view part) { return sentences_.fits(part); }, whole);
      if (parts.size() > 1 && !takes_out_all) ++counts_.cut;
      for (const auto& part : parts) {
        add_sentence(work, {span.begin + part.begin, span.begin + part.end});
        work.sentences.back().continues = part.begin > 0;
      }
    }
    if (takes_out_all || !options_.on_unknown) return;
    for (const auto& sentence : work.sentences)
      if (!sentence.translation && !has_elements(work, sentence.span)) options_.on_unknown(unit, sentence.text);
    if (work.sentences.size() > 1 && unit.source.elements.empty()) options_.on_unknown(unit, unit.source.text);
  }

  /// Returns whether the memory has the whole unit, which then is one sentence.
  bool find_known(const Unit& unit, Work& work) const {
    const auto& text = unit.source.text;
    const auto begin = text.find_first_not_of(kAsciiSpace);
    if (!options_.known || begin == text.npos) return false;
    work.unit.text = unit.source;
    add_sentence(work, {begin, text.find_last_not_of(kAsciiSpace) + 1});
    if (!work.sentences.back().from_memory) {
      work = {};
      return false;
    }
    work.unit.origin.resize(text.size() + 1);
    std::iota(work.unit.origin.begin(), work.unit.origin.end(), 0);
    return true;
  }

  /// Returns whether a sentence has elements that its translation in a memory would have to hold: any within it, and
  /// placeholders beside it, which may be a part of it.
  static bool has_elements(const Work& work, TextSpan span) {
    return std::ranges::any_of(work.unit.text.elements, [&](const InlineElement& element) {
      const bool is_tag =
          element.kind == InlineElement::Kind::kOpening || element.kind == InlineElement::Kind::kClosing;
      return is_tag ? element.offset > span.begin && element.offset < span.end
                    : element.offset >= span.begin && element.offset <= span.end;
    });
  }

  void add_sentence(Work& work, TextSpan span) const {
    Sentence sentence{span, std::string(span.of(work.unit.text.text))};
    for (auto& c : sentence.text)
      if (kAsciiSpace.find(c) != kAsciiSpace.npos) c = ' ';
    for (const auto& kept : work.unit.kept)
      if (kept.begin >= span.begin && kept.end <= span.end)
        sentence.required.emplace_back(kept.of(work.unit.text.text));
    if (!has_letter(sentence.text)) {  // numbers and signs stay
      sentence.translation = SentenceTranslation{.text = sentence.text, .links = {}};
    } else if (options_.known && !has_elements(work, span)) {
      if (auto known = options_.known(sentence.text))
        sentence.translation = SentenceTranslation{.text = std::move(*known), .links = {}};
      sentence.from_memory = sentence.translation.has_value();
    }
    sentence.in_capitals = options_.changes_case && is_in_capitals(sentence.text);
    work.sentences.push_back(std::move(sentence));
  }

  std::string in_small_letters(const Sentence& sentence) const {
    auto kept = sentences_.phrases(sentence.text);
    std::ranges::copy(sentence.places_of_required(sentence.text), std::back_inserter(kept));
    return in_letters(sentence.text, /*upper=*/false, kept);
  }

  /// Translates the sentences that have no translation; each text once.
  void search() {
    std::vector<SentenceRequest> requests;
    std::unordered_map<std::string, std::size_t> indices;
    std::vector<std::pair<Sentence*, std::size_t>> wanted;
    for (auto& work : work_)
      for (auto& sentence : work.sentences) {
        if (sentence.translation) continue;
        const auto text = sentence.in_capitals ? in_small_letters(sentence) : sentence.text;
        const auto [place, is_new] = indices.try_emplace(text, requests.size());
        if (is_new)
          requests.push_back({text, sentence.is_constrained ? sentence.required : std::vector<std::string>()});
        wanted.emplace_back(&sentence, place->second);
      }
    if (requests.empty()) return;
    const auto translations = sentences_.translate(requests);
    for (const auto& [sentence, index] : wanted) {
      sentence->translation = translations[index];
      if (auto& text = sentence->translation->text; sentence->in_capitals)
        text = in_letters(text, /*upper=*/true, sentence->places_of_required(text));
      if (sentence->translation->complete && sentence->translation->text.empty())
        sentence->translation =
            SentenceTranslation{.text = sentence->text, .links = {}, .log_probability = -HUGE_VAL, .tokens = 1};
    }
  }

  UnitTranslation assemble(std::size_t index) {
    auto& work = work_[index];
    UnitTranslation result;
    const auto& source = work.unit.text;
    double log_probability = 0;
    std::size_t tokens = 0, written = 0;
    std::vector<TextSpan> whole;  // quantities in the translation
    auto& text = result.target.text;
    for (auto& sentence : work.sentences) {
      auto& translation = *sentence.translation;
      if (!translation.complete) {
        ++counts_.left;
        return {.target = {}, .links = {}, .translated = false};
      }
      const auto source_text = sentence.span.of(source.text);
      restore_line_ends(source_text, translation);
      const auto gap = std::string_view(source.text).substr(written, sentence.span.begin - written);
      if (const auto mark = gap.find_first_not_of(kAsciiSpace); mark != gap.npos) {
        const auto end = gap.find_last_not_of(kAsciiSpace) + 1;
        result.links.push_back({{text.size() + mark, text.size() + end}, {written + mark, written + end}});
      }
      text += gap;
      // Sentences of a script without spaces have no gap; those of others need one, but not parts of a word.
      const bool is_within_word = !is_word_boundary(source.text, sentence.span.begin);
      if (gap.empty() && !text.empty() && !is_within_word && first_kind(translation.text) == CharacterKind::kWord)
        text += ' ';
      if (translation.links.empty()) translation.links = links_in_proportion(source_text, translation.text);
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
      for (const auto& place : sentence.places_of_required(translation.text))
        whole.push_back({text.size() + place.begin, text.size() + place.end});
      if (translation.lacks_phrase) ++counts_.lacking_phrase;
      text += translation.text;
      written = sentence.span.end;
      log_probability += translation.log_probability;
      tokens += translation.tokens;
    }
    const auto known = std::ranges::count(work.sentences, true, &Sentence::from_memory);
    result.from_memory = known > 0 && known == std::ssize(work.sentences);
    (result.from_memory ? counts_.from_memory : counts_.sentences_from_memory) += result.from_memory ? 1 : known;
    counts_.sentences += std::ssize(result.sentences);
    ++counts_.units;
    text += std::string_view(source.text).substr(written);
    result.confidence = confidence_of(log_probability, tokens);
    std::ranges::sort(whole, {}, &TextSpan::begin);
    result.target = place_elements(source, std::move(text), result.links, whole);
    std::erase_if(result.sentences, [](const auto& sentence) { return sentence.target.empty(); });
    restore_spaces(result);
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

UnitTranslatorOptions options_for(std::string_view source_language, std::string_view target_language,
                                  std::shared_ptr<const SentenceSplitter> splitter) {
  return {.splitter = splitter ? std::move(splitter) : rule_splitter(source_language),
          .changes_case = !has_dotless_i(source_language) && !has_dotless_i(target_language)};
}

std::vector<UnitTranslation> UnitTranslator::translate(std::span<const Unit> units, UnitCounts& counts) const {
  return UnitJob(sentences_, options_, units, counts).run();
}

}  // namespace gloss
