#include "common/sentences/sentence_splitter.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "common/sentences/sentence_marks.h"
#include "common/sentences/sentence_words.h"
#include "common/text/split.h"
#include "common/text/utf8.h"

namespace gloss {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
// Words and names are sought in this many characters around a mark.
constexpr std::size_t kNear = 48;

constexpr std::u32string_view kAsciiEndMarks = U".!?";
constexpr std::u32string_view kExclaiming = U"!?\uff01\uff1f\u061f\u203c\u2047\u2048\u2049\u203d";

/// A run of marks, such as "?!" or "...", with the closing quotes and brackets after it.
struct SentenceEnd {
  std::size_t begin = 0, marks_end = 0, end = 0;  ///< marks_end: of the first marks
  bool full_stop = false;                         ///< needs no space after it
  bool exclaims = false;                          ///< has ! or ?
  bool quoted = false;                            ///< has a closing quote
};

/// Cuts one paragraph.
class ParagraphCutter {
 public:
  ParagraphCutter(std::string_view paragraph, const SentenceWords& words) : words_(words) {
    std::size_t offset = 0;
    for_each_character(paragraph, [&](auto value, std::string_view spelling) {
      points_ += value.value_or(U'\ufffd');
      bytes_.push_back(offset);
      offset += spelling.size();
    });
    bytes_.push_back(offset);
    text_ = points_;
    pair_brackets();
  }

  std::vector<TextSpan> sentences() {
    for (std::size_t i = 0; i < text_.size();) {
      if (is_mark(i)) {
        auto end = end_at(i);
        if (ends_sentence(end)) add(end.end);
        i = end.end;
        continue;
      }
      if (content_ == kNone && is_content(text_[i])) content_ = i;
      if (is_embedded(i)) embedded_end_ = std::max(embedded_end_, partner_[i]);
      ++i;
    }
    add(text_.size());
    return std::move(spans_);
  }

 private:
  char32_t at(std::size_t i) const { return i < text_.size() ? text_[i] : U' '; }
  bool is_space(std::size_t i) const { return is_white_space(at(i)); }
  std::size_t skip_space(std::size_t i) const {
    while (i < text_.size() && is_white_space(text_[i])) ++i;
    return i;
  }
  bool is_mark(std::size_t i) const {
    constexpr char32_t kAscii = 0x80;
    const auto c = at(i);
    return is_one_of(c, c < kAscii ? kAsciiEndMarks : kEndMarks) || (c >= kAscii && is_full_stop(i));
  }
  /// Returns whether a full stop that needs no space is here. ! and ? between two ideographs are such ones.
  bool is_full_stop(std::size_t i) const {
    const auto c = at(i);
    const auto before = i > 0 ? text_[i - 1] : U' ';
    if (c == U'\uff0e') return !is_number_part(before) || !is_number_part(at(i + 1));
    const auto unspaced = [](char32_t letter) { return kind_of(letter) == CharacterKind::kUnspaced; };
    if (c == U'\u2026' && is_one_of(at(i + 1), U"\u201d\u300d\u300f"))
      return unspaced(before) || (before == c && i > 1 && unspaced(text_[i - 2]));
    return is_one_of(c, kFullStops) || ((c == U'!' || c == U'?') && unspaced(before) && unspaced(at(i + 1)));
  }
  static bool is_number_part(char32_t c) { return is_ascii_digit(c) || (c >= 0xff10 && c <= 0xff19); }

  void add(std::size_t end) {
    auto begin = skip_space(begin_);
    begin_ = end;
    content_ = kNone;
    while (end > begin && is_white_space(text_[end - 1])) --end;
    if (begin < end) spans_.push_back({bytes_[begin], bytes_[end]});
  }

  /// Finds the other bracket of each pair that is not too far apart.
  void pair_brackets() {
    constexpr std::u32string_view kOpen = U"([\uff08\u3010\u300c\u300e\u300a\u201c",
                                  kClose = U")]\uff09\u3011\u300d\u300f\u300b\u201d";
    constexpr std::size_t kMaxDistance = 400;
    partner_.assign(text_.size(), kNone);
    std::vector<std::vector<std::size_t>> open(kOpen.size());
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (is_content(text_[i]) || text_[i] == U' ') continue;
      if (const auto kind = kOpen.find(text_[i]); kind != kOpen.npos) open[kind].push_back(i);
      const auto kind = kClose.find(text_[i]);
      if (kind == kClose.npos || open[kind].empty()) continue;
      const auto begin = open[kind].back();
      open[kind].pop_back();
      if (i - begin > kMaxDistance) continue;
      partner_[begin] = i;
      partner_[i] = begin;
    }
  }
  /// Returns whether a bracket or quotation opens in the middle of a sentence, which goes on after it. A quotation
  /// after a colon, or in a language with spaces between words, has sentences of its own.
  bool is_embedded(std::size_t i) const {
    if (partner_[i] == kNone || partner_[i] < i || content_ == kNone) return false;
    auto before = i;
    while (before > begin_ && is_white_space(text_[before - 1])) --before;
    const auto last = text_[before - 1];
    if (is_one_of(text_[i], U"\u201c\u300c\u300e"))
      return kind_of(last) == CharacterKind::kUnspaced || last == U'\u3001';
    return true;
  }

  SentenceEnd end_at(std::size_t i) const {
    SentenceEnd end{.begin = i};
    while (is_mark(i) || is_closing(i, end)) {
      if (is_mark(i)) {
        end.full_stop |= is_full_stop(i);
        end.exclaims |= is_one_of(text_[i], kExclaiming);
        if (end.end == 0 || end.end == end.marks_end) end.marks_end = i + 1;
      }
      end.quoted |= is_one_of(text_[i], U"\"'\u2019\u201d\u201c\u00bb\u300d\u300f");
      end.end = i = is_citation(i) > 0 ? i + is_citation(i) : i + 1;
      // Marks and French quotes may have a space before them: "? !", ". . .", "! »".
      const auto next = skip_space(i);
      if (next > i && !(is_full_stop(next) || is_full_stop(end.begin)) && ends_word(next)) i = next;
    }
    return end;
  }
  bool is_closing(std::size_t i, const SentenceEnd& end) const {
    if (at(i) == U'\u201c' && end.full_stop) return false;  // opens in Chinese
    return end.end > 0 && i < text_.size() &&
           (is_one_of(text_[i], kClosingSigns) || is_part_of_emoji(text_[i]) || is_citation(i));
  }
  /// Returns the length of a superscript or of a number in brackets, as of footnotes.
  std::size_t is_citation(std::size_t i) const {
    if (is_one_of(at(i), U"\u00b9\u00b2\u00b3\u2070\u2074\u2075\u2076\u2077\u2078\u2079")) return 1;
    if (at(i) != U'[' || partner_[i] == kNone || partner_[i] < i || partner_[i] - i > 4) return 0;
    return std::all_of(&text_[i] + 1, &text_[partner_[i]], is_ascii_digit) ? partner_[i] + 1 - i : 0;
  }
  /// Returns whether a mark or French quote after white space has none of the next word after it.
  bool ends_word(std::size_t i) const {
    if (!is_mark(i) && !is_one_of(at(i), U"\u00bb\u203a")) return false;
    do ++i;
    while (is_mark(i));
    return is_space(i) || is_one_of(at(i), U",;:\u00bb)");
  }

  /// Returns whether a sentence ends here. Moves the end past emoji and remarks in brackets that belong to it.
  bool ends_sentence(SentenceEnd& end) const {
    const bool within = end.begin < embedded_end_;
    if (content_ == kNone || (within && end.end <= embedded_end_)) return false;
    const bool spaced = is_space(end.end);
    const auto next = past_appendix(end);
    if (next == text_.size() || is_one_of(text_[next], U",;:)]&+=%/|<>\uff0c\u3001\uff1b\uff1a")) return false;
    if (end.full_stop) return !within && ends_after_full_stop(end, next);
    if (!spaced && !is_part_of_emoji(text_[end.end - 1])) return false;
    const auto letter = skip_opening(next);
    if (!may_begin_sentence(letter)) return false;
    const auto after = text_.substr(letter, kNear);
    if (within && !words_.starts_sentence(after) && text_[end.begin] != U'.') return false;
    if (end.exclaims) return !end.quoted || !words_.reports(after);
    if (end.marks_end - end.begin > 1 || text_[end.begin] != U'.') return !is_ascii_digit(text_[letter]);
    return words_.ends_sentence(period_at(end, after));
  }

  /// Moves the end past emoji, emoticons and short remarks in brackets, such as (Phil. 4:8). Returns the next
  /// character.
  std::size_t past_appendix(SentenceEnd& end) const {
    auto next = skip_space(end.end);
    for (auto appendix = appendix_at(next); appendix > next; appendix = appendix_at(next)) {
      end.end = appendix;
      next = skip_space(appendix);
    }
    return next;
  }
  std::size_t appendix_at(std::size_t i) const {
    constexpr std::size_t kMaxRemark = 40, kMaxEmoticon = 3;
    auto end = i;
    while (end < text_.size() && is_part_of_emoji(text_[end])) ++end;
    if (end > i) return is_space(end) ? end : i;
    if (is_one_of(at(i), U":;") && !is_space(i + 1)) {
      while (end - i <= kMaxEmoticon && !is_space(end)) ++end;
      return end - i <= kMaxEmoticon ? end : i;
    }
    if (!is_one_of(at(i), U"([") || partner_[i] == kNone || partner_[i] < i || partner_[i] - i > kMaxRemark) return i;
    end = partner_[i] + 1;
    return is_space(end) && !is_mark(end - 2) && is_upper_case(at(skip_space(end))) ? end : i;
  }

  std::size_t skip_opening(std::size_t i) const {
    const auto end = std::min(text_.size(), i + kNear);
    while (i < end && (is_one_of(text_[i], kOpeningSigns) || is_white_space(text_[i]))) ++i;
    return i;
  }
  bool may_begin_sentence(std::size_t i) const {
    const auto c = at(i);
    const bool mixed_case = is_letter(c) && is_upper_case(at(i + 1)) && !is_upper_case(c);  // "iPhone"
    return is_upper_case(c) || is_ascii_digit(c) || is_caseless(c) || mixed_case ||
           is_one_of(c, U"$\u20ac\u00a3@\u00a7");
  }

  /// Returns whether a full stop that needs no space ends the sentence.
  bool ends_after_full_stop(const SentenceEnd& end, std::size_t next) const {
    const auto last = text_[end.end - 1];
    if (is_one_of(last, U"\u300b\u3009\uff09\u3011") && end.exclaims) return false;  // a title
    if (!end.quoted) return true;
    if (is_one_of(text_[next], U"\u2014\u3068\u3063\u306f\u304c\u3092\u3082\u306b\u3067\u306a\u306e")) return false;
    // A clause such as "he asked" after the quotation belongs to it, unless it introduces the next one.
    constexpr std::u32string_view kReporting = U"\u8bf4\u8aaa\u95ee\u554f\u9053\u558a\u53eb\u7b54";
    constexpr std::u32string_view kNotReporting = U"\u5b8c\u7740\u8457\u8d77\u5230\u8fc7\u904e\u4e86";  // "having said"
    constexpr std::size_t kMaxClause = 14;
    const auto clause = text_.substr(next, kMaxClause);
    const auto clause_end = clause.find_first_of(U"\uff0c\u3002\uff01\uff1a\uff1f\u201c\u300c");
    if (clause_end == clause.npos) return true;
    if (is_one_of(clause[clause_end], U"\uff0c") && is_one_of(at(next + clause_end + 1), U"\u201c\u300c")) return false;
    const auto verb = clause.find_first_of(kReporting);
    return verb >= clause_end || is_one_of(clause[clause_end], U"\uff1a\u201c\u300c") ||
           is_one_of(clause[verb + 1], kNotReporting);
  }

  SentenceWords::Period period_at(const SentenceEnd& end, std::u32string_view after) const {
    const auto begin = std::max(begin_, end.begin - std::min(end.begin, kNear));
    SentenceWords::Period period;
    period.before = text_.substr(begin, end.begin - begin);
    period.after = after;
    period.within_brackets = is_one_of(text_[end.end - 1], U")]");
    auto word = end.begin;
    while (word > begin && !is_white_space(text_[word - 1])) --word;
    period.first_word = content_ >= word;
    while (word > begin && is_white_space(text_[word - 1])) --word;
    if (word > begin) period.first_word |= is_one_of(text_[word - 1], U":\u2022");
    return period;
  }

  const SentenceWords& words_;
  std::u32string points_;
  std::u32string_view text_;        ///< of points_
  std::vector<std::size_t> bytes_;  ///< offset of each character, and of the end
  std::vector<std::size_t> partner_;
  std::size_t begin_ = 0, content_ = kNone;  ///< of the sentence, and its first letter or digit
  std::size_t embedded_end_ = 0;
  std::vector<TextSpan> spans_;
};

class RuleSplitter : public SentenceSplitter {
 public:
  explicit RuleSplitter(std::string_view language) : words_(language) {}
  std::vector<TextSpan> sentences(std::string_view paragraph) const override {
    return ParagraphCutter(paragraph, words_).sentences();
  }

 private:
  SentenceWords words_;
};

}  // namespace

std::shared_ptr<const SentenceSplitter> rule_splitter(std::string_view language) {
  return std::make_shared<RuleSplitter>(language);
}

}  // namespace gloss
