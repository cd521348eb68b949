#include "documents/markup/html.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "common/text/letter_case.h"
#include "common/text/split.h"
#include "documents/markup/document_language.h"
#include "documents/markup/html_elements.h"
#include "documents/markup/html_entities.h"
#include "documents/markup/inline_builder.h"
#include "documents/markup/markup_tokenizer.h"

namespace gloss {
namespace {

using Kind = InlineElement::Kind;
using Role = HtmlRole;
using Token = MarkupToken::Kind;
constexpr std::string_view kScopes = "button dl math menu object ol select svg table template ul";
constexpr std::string_view kOptionalEnds = "dd dt li option p td th tr";
constexpr std::string_view kMetaTexts = "description keywords og:description og:title";

/// A unit, or a value of the attribute lang, and its place.
struct HtmlUnit {
  PlacedText placed;
  bool is_attribute = false, in_pre = false;
  char quote = 0;            ///< of the attribute
  bool names_space = false;  ///< a no-break space is written as &nbsp;
};

/// Finds the units of a document.
class HtmlUnitFinder {
 public:
  /// A part in another language than the source is not translated, if that is known. Both must outlive the object.
  HtmlUnitFinder(std::string_view bytes, const DocumentOptions& options) : bytes_(bytes), options_(options) {}
  void read();

  std::vector<HtmlUnit> units;      ///< in the order of the document
  std::vector<HtmlUnit> languages;  ///< values of lang and xml:lang of the html element
  std::vector<TextSpan> charsets;   ///< names of encodings that the translation does not have

 private:
  /// An element that may have an end tag.
  struct Open {
    std::string name;
    bool is_inline = false;
    bool is_border = false;  ///< no unit crosses its tags
    bool translates = true;
    bool is_scope = false, has_optional_end = false;  ///< for start tags that end other elements
  };

  bool translates() const { return open_.empty() || open_.back().translates; }
  bool in_pre() const { return pre_ != InlineElement::kNone; }
  bool in_word() const { return word_ != InlineElement::kNone; }
  void start_tag(const MarkupToken& token);
  void end_tag(const MarkupToken& token);
  void add_decoded(InlineBuilder& builder, TextSpan range, bool is_attribute);
  std::string with_single_line_ends(std::string_view text);
  void end_implied(std::string_view tag, std::size_t offset);
  void close_to(std::size_t depth, std::size_t offset);
  void add_element(Role role, TextSpan source);
  void end_word(std::size_t offset);
  void end_unit();
  void add_unit(HtmlUnit unit);

  std::string_view attribute(const MarkupToken& token, std::string_view name) const;
  bool is_text(const MarkupToken& token, std::string_view name) const;
  std::optional<bool> own_translation(const MarkupToken& token) const;
  void read_attributes(const MarkupToken& token);
  void read_charset(const MarkupToken& token);

  std::string_view bytes_;
  const DocumentOptions& options_;
  std::vector<Open> open_;
  InlineBuilder builder_;    ///< of the text between two borders
  bool line_ended_ = false;  ///< the white space at the end of the text has a line end
  // Indices of elements of open_, or kNone: <pre>, and an element within a text that is not translated.
  std::size_t pre_ = InlineElement::kNone, word_ = InlineElement::kNone;
  std::size_t pre_first_unit_ = 0, word_begin_ = 0;
  bool pre_is_code_ = false;
  Role word_role_ = Role::kInline;
};

void HtmlUnitFinder::read() {
  if (const auto encoding = quoted_value(bytes_.substr(0, bytes_.find('>')), "<?xml", "encoding");
      is_other_charset(encoding.of(bytes_)))
    charsets.push_back(encoding);
  MarkupTokenizer tokenizer(bytes_);
  for (MarkupToken token; tokenizer.next(token);) {
    if (token.kind == Token::kStartTag) {
      if (token.name == "meta") read_charset(token);
      start_tag(token);
    } else if (token.kind == Token::kEndTag) {
      end_tag(token);
    } else if (translates()) {
      if (token.kind == Token::kText) add_decoded(builder_, token.range, /*is_attribute=*/false);
      if (token.kind == Token::kData) builder_.add_element(Kind::kWord, token.range);
      if (token.kind == Token::kComment) builder_.add_element(Kind::kMark, token.range);
    }
  }
  close_to(0, bytes_.size());
  end_unit();
  std::ranges::stable_sort(units, {}, [](const HtmlUnit& unit) { return unit.placed.range.begin; });
}

void HtmlUnitFinder::start_tag(const MarkupToken& token) {
  const auto role = html_role(token.name);
  const auto [begin, end] = token.range;
  const bool is_block = role == Role::kBlock || role == Role::kBlockMark;
  if (is_block) {
    end_unit();
    end_implied(token.name, begin);
  }
  const bool outer = translates();
  const auto own = own_translation(token);
  if (own.value_or(outer)) read_attributes(token);
  const bool is_code = role == Role::kOpaqueWord || role == Role::kOpaquePicture ||
                       (token.name == "pre" && !attribute(token, "class").empty());
  const bool inner = role != Role::kOpaqueMark && own.value_or(outer && !is_code);
  const bool is_empty = token.self_closing || role == Role::kBlockMark || role == Role::kMark ||
                        role == Role::kPicture || open_.size() >= 2 * kMaxDepth;
  if (in_pre() && is_in_words(token.name, "code kbd samp span tt var")) pre_is_code_ = true;
  if (!outer && inner) {
    end_word(begin);
    end_unit();
  } else if (outer && !is_block && is_empty) {
    add_element(role == Role::kInline ? Role::kMark : role, token.range);
  } else if (outer && !is_block && inner) {
    builder_.add_element(Kind::kOpening, token.range, token.name);
  } else if (outer && !is_block) {
    word_ = open_.size();
    word_begin_ = begin;
    word_role_ = role;
  }
  // Most inline elements need no place among the open ones, because they change nothing.
  const bool in_inline = !open_.empty() && open_.back().is_inline;
  const bool is_plain = outer && inner && (open_.size() >= kMaxDepth || (!is_block && !in_inline));
  if (is_empty || is_plain) return;
  if (token.name == "pre" && !in_pre()) {
    pre_ = open_.size();
    pre_first_unit_ = units.size();
    pre_is_code_ = false;
  }
  open_.push_back({token.name, !is_block, is_block || (!outer && inner), inner, is_in_words(token.name, kScopes),
                   is_in_words(token.name, kOptionalEnds)});
}

void HtmlUnitFinder::end_tag(const MarkupToken& token) {
  const auto role = html_role(token.name);
  auto depth = open_.size();
  while (depth > 0 && open_[depth - 1].name != token.name) --depth;
  bool ends_word = false, is_border = role == Role::kBlock || role == Role::kBlockMark;
  if (depth > 0) {
    ends_word = word_ == depth - 1;
    is_border = open_[depth - 1].is_border;
    close_to(depth - 1, ends_word ? token.range.end : token.range.begin);
  }
  if (is_border)
    end_unit();
  else if (!ends_word && translates())
    builder_.end_pair(token.range, token.name, is_in_words(token.name, "a sub sup"));
}

/// Closes the elements that a start tag of a block ends without an end tag.
void HtmlUnitFinder::end_implied(std::string_view tag, std::size_t offset) {
  auto closed = open_.size();
  for (auto depth = open_.size(); depth-- > 0;) {
    if (open_[depth].is_scope) break;
    if (open_[depth].has_optional_end && ends_element(tag, open_[depth].name)) closed = depth;
  }
  close_to(closed, offset);
}

/// Closes all open elements but the first `depth`.
void HtmlUnitFinder::close_to(std::size_t depth, std::size_t offset) {
  while (open_.size() > depth) {
    const auto last = open_.size() - 1;
    if (word_ == last) end_word(offset);
    if (open_.back().is_border) end_unit();
    if (pre_ == last) {
      if (pre_is_code_) units.resize(pre_first_unit_);
      pre_ = InlineElement::kNone;
    }
    open_.pop_back();
  }
}

/// Adds an element without text of its own, or with text that is not translated.
void HtmlUnitFinder::add_element(Role role, TextSpan source) {
  if (role == Role::kPicture || role == Role::kOpaquePicture) return builder_.add_picture(source);
  builder_.add_element(role == Role::kMark || role == Role::kOpaqueMark ? Kind::kMark : Kind::kWord, source);
}

void HtmlUnitFinder::end_word(std::size_t offset) {
  if (in_word()) add_element(word_role_, {word_begin_, offset});
  word_ = InlineElement::kNone;
}

void HtmlUnitFinder::end_unit() {
  if (in_word()) return;
  line_ended_ = false;
  if (auto placed = builder_.finish()) add_unit({std::move(*placed), false, in_pre()});
}

void HtmlUnitFinder::add_unit(HtmlUnit unit) {
  unit.names_space = unit.placed.range.of(bytes_).find("&nbsp;") != std::string_view::npos;
  units.push_back(std::move(unit));
}

void HtmlUnitFinder::add_decoded(InlineBuilder& builder, TextSpan range, bool is_attribute) {
  const auto text = range.of(bytes_);
  const auto add = [&](std::string_view decoded, std::size_t begin, std::size_t end) {
    const TextSpan source{range.begin + begin, range.begin + end};
    builder.add_text(is_attribute || in_pre() ? std::string(decoded) : with_single_line_ends(decoded), source);
  };
  std::size_t written = 0;
  for (auto at = text.find('&'); at != text.npos; at = text.find('&', std::max(written, at + 1))) {
    const auto reference = reference_at(text, at, is_attribute);
    if (reference.bytes == 0) continue;
    if (at > written) add(text.substr(written, at - written), written, at);
    written = at + reference.bytes;
    if (reference.text.empty())
      builder.add_element(Kind::kWord, {range.begin + at, range.begin + written});
    else
      add(reference.text, at, written);
  }
  if (written < text.size()) add(text.substr(written), written, text.size());
}

/// Returns text in which white space has one line end at most; other line ends become spaces. An empty line ends no
/// paragraph in HTML.
std::string HtmlUnitFinder::with_single_line_ends(std::string_view text) {
  std::string kept;
  for (const char c : text) {
    const bool ends_line = c == '\n' || c == '\r';
    const bool is_second = ends_line && line_ended_ && !(c == '\n' && kept.ends_with('\r'));
    line_ended_ = ends_line || (line_ended_ && kAsciiSpace.find(c) != kAsciiSpace.npos);
    kept += is_second ? ' ' : c;
  }
  return kept;
}

/// Returns the value of an attribute as it is written; empty if there is none.
std::string_view HtmlUnitFinder::attribute(const MarkupToken& token, std::string_view name) const {
  for (const auto& attribute : token.attributes)
    if (lower_ascii(attribute.name.of(bytes_)) == name) return attribute.value.of(bytes_);
  return {};
}

/// Returns whether the value of an attribute is a text for people.
bool HtmlUnitFinder::is_text(const MarkupToken& token, std::string_view name) const {
  if (is_text_attribute(token.name, name)) return true;
  const auto has = [&](const char* key, std::string_view values) {
    return is_in_words(lower_ascii(attribute(token, key)), values);
  };
  if (token.name == "meta" && name == "content") return has("name", kMetaTexts) || has("property", kMetaTexts);
  return token.name == "input" && name == "value" && has("type", "button reset submit");
}

/// Returns whether an element is translated, if its tag decides that.
std::optional<bool> HtmlUnitFinder::own_translation(const MarkupToken& token) const {
  const auto value = lower_ascii(attribute(token, "translate"));
  std::string classes(attribute(token, "class"));
  std::ranges::replace_if(
      classes, [](char c) { return kAsciiSpace.find(c) != kAsciiSpace.npos; }, ' ');
  for (const auto part : split_text(classes, ' '))
    if (part == "notranslate") return false;
  if (value == "no" || std::ranges::count(options_.kept_elements, token.name) > 0) return false;
  for (const auto* language : {"lang", "xml:lang"})
    if (token.name != "html" && is_other_language(attribute(token, language), options_.source_language)) return false;
  return value == "yes" ? std::optional(true) : std::nullopt;
}

void HtmlUnitFinder::read_attributes(const MarkupToken& token) {
  for (const auto& [name_span, value, quote] : token.attributes) {
    const auto name = lower_ascii(name_span.of(bytes_));
    if (token.name == "html" && (name == "lang" || name == "xml:lang") && !value.empty())
      languages.push_back({{{}, value}, true, false, quote});
    if (!is_text(token, name)) continue;
    InlineBuilder builder;
    add_decoded(builder, value, /*is_attribute=*/true);
    auto placed = builder.finish();
    if (placed && (quote != 0 || placed->range == value)) add_unit({std::move(*placed), true, false, quote});
  }
}

/// Reads the encoding that <meta charset="..."> or <meta http-equiv="content-type" content="...; charset=..."> names.
void HtmlUnitFinder::read_charset(const MarkupToken& token) {
  constexpr std::string_view kCharset = "charset=";
  const bool is_type = lower_ascii(attribute(token, "http-equiv")) == "content-type";
  for (const auto& [name_span, value, quote] : token.attributes) {
    const auto name = lower_ascii(name_span.of(bytes_)), text = lower_ascii(value.of(bytes_));
    const auto place = is_type && name == "content" ? text.find(kCharset) : text.npos;
    if (name != "charset" && place == text.npos) continue;
    auto range = value;
    if (place != text.npos) range.begin += place + kCharset.size();
    range.end = std::min(bytes_.find_first_of(" ;", range.begin), value.end);
    if (is_other_charset(range.of(bytes_))) charsets.push_back(range);
  }
}

Replacement html_replacement(const HtmlUnit& unit, const InlineText& target) {
  const char quote = unit.is_attribute && unit.quote == 0 ? '"' : unit.quote;
  Replacement replacement{unit.placed.range, rendered(target, [&](std::string_view text) {
                            return escape_html(text, quote, unit.names_space);
                          })};
  if (quote != unit.quote) {
    replacement.parts.insert(replacement.parts.begin(), std::string(1, quote));
    replacement.parts.emplace_back(std::string(1, quote));
  }
  return replacement;
}

}  // namespace

Passage read_html(std::string bytes, const DocumentOptions& options) {
  HtmlUnitFinder finder(bytes, options);
  finder.read();
  Passage passage;
  LineNames names(bytes);
  for (const auto& unit : finder.units) {
    const auto mode = unit.is_attribute ? SentenceMode::kParagraph
                      : unit.in_pre     ? SentenceMode::kLine
                                        : SentenceMode::kWrapped;
    passage.units.push_back({names.of(unit.placed.range.begin), unit.placed.source, mode});
  }
  passage.bytes = std::move(bytes);
  if (passage.units.empty()) return passage;
  passage.render = [units = std::move(finder.units), languages = std::move(finder.languages),
                    charsets = std::move(finder.charsets),
                    language = options.target_language](std::span<const UnitTranslation> translations) {
    std::vector<Replacement> replacements;
    for (std::size_t i = 0; i < units.size(); ++i)
      if (!is_unchanged(units[i].placed.source, translations[i].target))
        replacements.push_back(html_replacement(units[i], translations[i].target));
    for (const auto& place : languages)
      if (!language.empty()) replacements.push_back(html_replacement(place, {language, {}}));
    for (const auto& place : charsets) replacements.push_back({place, {"utf-8"}});
    return replacements;
  };
  return passage;
}

}  // namespace gloss
