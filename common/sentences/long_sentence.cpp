#include "common/sentences/long_sentence.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "common/text/split.h"
#include "common/text/utf8.h"
#include "common/text/word_boundary.h"

namespace gloss {
namespace {

/// A byte at which a sentence may be cut, from the best kind of place to the worst.
struct CutPlace {
  enum class Kind { kSemicolon, kComma, kSpace, kCharacter };
  std::size_t offset = 0;
  Kind kind = Kind::kCharacter;
};

bool in_span(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

/// Returns whether a character belongs to the one before it: combining marks, joiners, parts of emoji.
bool continues_letter(char32_t c) {
  return in_span(c, 0x300, 0x36f) || in_span(c, 0x200c, 0x200d) || in_span(c, 0xfe00, 0xfe0f) ||
         in_span(c, 0x1f3fb, 0x1f3ff) || c == 0x20e3;
}

CutPlace::Kind kind_between(char32_t before, char32_t after) {
  constexpr std::u32string_view kSemicolons = U";:", kWideSemicolons = U"\uff1b\uff1a", kCommas = U",\u060c\u037e",
                                kWideCommas = U"\uff0c\u3001";
  const auto is_in = [before](std::u32string_view set) { return set.find(before) != set.npos; };
  const bool space = is_white_space(after);
  if (is_in(kWideSemicolons) || (space && is_in(kSemicolons))) return CutPlace::Kind::kSemicolon;
  if (is_in(kWideCommas) || (space && is_in(kCommas))) return CutPlace::Kind::kComma;
  const bool unspaced = kind_of(before) == CharacterKind::kUnspaced && kind_of(after) == CharacterKind::kUnspaced;
  return space || unspaced ? CutPlace::Kind::kSpace : CutPlace::Kind::kCharacter;
}

/// Returns the places outside `whole`, in ascending order, and the end of the sentence.
std::vector<CutPlace> cut_places(std::string_view sentence, std::span<const TextSpan> whole) {
  std::vector<CutPlace> places;
  std::size_t offset = 0;
  auto span = whole.begin();
  char32_t before = U' ';
  for_each_character(sentence, [&](auto value, std::string_view spelling) {
    const auto c = value.value_or(U'\ufffd');
    while (span != whole.end() && span->end <= offset) ++span;
    const bool inside = span != whole.end() && span->begin < offset;
    const bool joined = is_white_space(before) || continues_letter(c) || before == 0x200d;
    if (offset > 0 && !inside && !joined) places.push_back({offset, kind_between(before, c)});
    before = c;
    offset += spelling.size();
  });
  places.push_back({sentence.size(), CutPlace::Kind::kSemicolon});
  return places;
}

class LongSentence {
 public:
  LongSentence(std::string_view sentence, const std::function<bool(std::string_view)>& fits,
               std::span<const TextSpan> whole)
      : sentence_(sentence), fits_(fits), places_(cut_places(sentence, whole)) {}

  std::vector<TextSpan> parts() {
    std::vector<TextSpan> parts;
    while (next_ < places_.size()) {
      const auto place = best_place(last_that_fits());
      parts.push_back({begin_, places_[place].offset});
      begin_ = skip_space(places_[place].offset);
      next_ = place + 1;
      if (begin_ == sentence_.size()) break;
    }
    return parts;
  }

 private:
  std::size_t skip_space(std::size_t offset) const {
    while (offset < sentence_.size()) {
      const auto [value, bytes] = decode_utf8(sentence_, offset);
      if (!is_white_space(value.value_or(U'\ufffd'))) break;
      offset += bytes;
    }
    return offset;
  }
  bool fits_to(std::size_t place) const { return fits_(sentence_.substr(begin_, places_[place].offset - begin_)); }

  /// Returns the last place up to which a part fits, or the first place. Assumes that what begins a text that fits,
  /// fits. The search begins at the length of the part before.
  std::size_t last_that_fits() {
    std::size_t low = next_, high = places_.size();  // low fits or is the first place, high does not fit
    for (auto step = std::max<std::size_t>(1, step_);; step *= 2) {
      const auto place = std::min(next_ + step, places_.size() - 1);
      if (!fits_to(place)) {
        high = place;
        break;
      }
      low = place;
      if (place + 1 == places_.size()) break;
    }
    while (low + 1 < high) {
      const auto middle = low + (high - low) / 2;
      (fits_to(middle) ? low : high) = middle;
    }
    step_ = low - next_;
    return low;
  }

  /// Returns the place of the best kind that leaves at least half of the longest part.
  std::size_t best_place(std::size_t last) const {
    if (last + 1 == places_.size()) return last;
    const auto min_end = begin_ + (places_[last].offset - begin_) / 2;
    auto best = last;
    for (auto place = last; place > next_ && places_[place - 1].offset >= min_end; --place)
      if (places_[place - 1].kind < places_[best].kind) best = place - 1;
    return best;
  }

  std::string_view sentence_;
  const std::function<bool(std::string_view)>& fits_;
  std::vector<CutPlace> places_;
  std::size_t begin_ = 0, next_ = 0, step_ = 0;  ///< of the next part: its first byte and its first place
};

}  // namespace

std::vector<TextSpan> cut_long_sentence(std::string_view sentence, const std::function<bool(std::string_view)>& fits,
                                        std::span<const TextSpan> whole) {
  if (fits(sentence)) return {{0, sentence.size()}};
  return LongSentence(sentence, fits, whole).parts();
}

}  // namespace gloss
