#include "documents/markup/markup_tokenizer.h"

#include <algorithm>

#include "common/text/letter_case.h"
#include "common/text/word_boundary.h"
#include "documents/markup/html_elements.h"

namespace gloss {
namespace {

using Token = MarkupToken::Kind;
constexpr std::string_view kHtmlSpace = " \t\n\f\r", kTagNameEnd = " \t\n\f\r/>", kAttributeNameEnd = " \t\n\f\r/>=";

constexpr std::string_view kRawTextElements = "script style xmp iframe noembed noframes plaintext title textarea";
/// HTML elements that end svg and math.
constexpr std::string_view kBreakoutElements = "body br div dl h1 h2 h3 h4 h5 h6 img li ol p span table ul";

/// Returns whether a document is XHTML, by its XML declaration or the namespace of its first elements.
bool begins_as_xml(std::string_view bytes) {
  constexpr std::size_t kMaxChecked = 4096;
  return bytes.starts_with("<?xml") || bytes.starts_with("\xEF\xBB\xBF<?xml") ||
         quoted_value(bytes.substr(0, kMaxChecked), "<html", "xmlns=").of(bytes) == "http://www.w3.org/1999/xhtml";
}

bool is_foreign(std::string_view name) { return name == "svg" || name == "math"; }

}  // namespace

MarkupTokenizer::MarkupTokenizer(std::string_view bytes, std::size_t offset)
    : bytes_(bytes), at_(offset), is_xml_(begins_as_xml(bytes)) {}

bool MarkupTokenizer::next(MarkupToken& token) {
  if (at_ >= bytes_.size()) return false;
  token = {};
  token.range.begin = at_;
  const auto end = raw_name_.empty() ? at_ : raw_text_end();
  if (end > at_) {
    const bool has_references = raw_name_ == "title" || raw_name_ == "textarea";
    token.kind = has_references ? Token::kText : Token::kData;
    at_ = end;
  } else if (begins_markup(at_)) {
    read_markup(token);
  } else {
    do at_ = std::min(bytes_.find('<', at_ + 1), bytes_.size());
    while (at_ < bytes_.size() && !begins_markup(at_));
  }
  if (token.kind != Token::kStartTag) raw_name_.clear();
  token.range.end = at_;
  return true;
}

bool MarkupTokenizer::begins_markup(std::size_t offset) const {
  if (bytes_[offset] != '<' || offset + 1 == bytes_.size()) return false;
  const char c = bytes_[offset + 1];
  return is_ascii_letter(c) || c == '!' || c == '?' || (c == '/' && offset + 2 < bytes_.size());
}

void MarkupTokenizer::read_markup(MarkupToken& token) {
  const auto rest = bytes_.substr(at_);
  const bool closing = rest[1] == '/';
  if (is_ascii_letter(rest[closing ? 2 : 1])) return read_tag(token);
  token.kind = Token::kComment;
  if (rest.starts_with("<!--")) {
    at_ = comment_end();
  } else if (rest.starts_with("<![CDATA[") && (is_xml_ || foreign_ > 0)) {
    token.kind = Token::kData;
    at_ = after("]]>", at_);
  } else if (is_xml_ && rest[1] == '?') {
    at_ = after("?>", at_);
  } else {
    const auto end = after(">", at_);
    const bool has_subset = is_xml_ && rest[1] == '!' && rest.substr(0, end - at_).find('[') != rest.npos;
    at_ = has_subset ? after(">", after("]", at_)) : end;
  }
}

void MarkupTokenizer::read_tag(MarkupToken& token) {
  token.kind = bytes_[at_ + 1] == '/' ? Token::kEndTag : Token::kStartTag;
  const auto begin = at_ + (token.kind == Token::kEndTag ? 2 : 1);
  at_ = std::min(bytes_.find_first_of(kTagNameEnd, begin), bytes_.size());
  token.name = lower_ascii(bytes_.substr(begin, at_ - begin));
  if (is_xml_) token.name.erase(0, token.name.find(':') + 1);
  bool slash = false;
  for (;;) {
    for (slash = false; at_ < bytes_.size() && kTagNameEnd.substr(0, 6).find(bytes_[at_]) != kTagNameEnd.npos; ++at_)
      slash = bytes_[at_] == '/';
    if (at_ >= bytes_.size() || bytes_[at_] == '>') break;
    read_attribute(token);
  }
  if (at_ >= bytes_.size()) {
    token.kind = Token::kComment;
    return;
  }
  ++at_;
  const auto& name = token.name;
  if (token.kind == Token::kEndTag) {
    if (is_foreign(name) && foreign_ > 0) --foreign_;
    return;
  }
  if (is_in_words(name, kBreakoutElements)) foreign_ = 0;
  token.self_closing = slash && (is_xml_ || foreign_ > 0 || is_foreign(name));
  if (is_foreign(name) && !token.self_closing) ++foreign_;
  raw_name_ = !token.self_closing && foreign_ == 0 && is_in_words(name, kRawTextElements) ? name : "";
}

void MarkupTokenizer::read_attribute(MarkupToken& token) {
  MarkupAttribute attribute;
  const auto skip_space = [&](std::size_t offset) {
    return std::min(bytes_.find_first_not_of(kHtmlSpace, offset), bytes_.size());
  };
  const auto name_end = std::min(bytes_.find_first_of(kAttributeNameEnd, at_ + 1), bytes_.size());
  attribute.name = {at_, name_end};
  attribute.value = {name_end, name_end};
  at_ = name_end;
  if (const auto equals = skip_space(at_); equals < bytes_.size() && bytes_[equals] == '=') {
    auto begin = skip_space(equals + 1), end = begin;
    const char first = begin < bytes_.size() ? bytes_[begin] : '>';
    if (first == '"' || first == '\'') {
      attribute.quote = first;
      end = std::min(bytes_.find(first, ++begin), bytes_.size());
    } else if (first != '>') {
      end = std::min(bytes_.find_first_of(" \t\n\f\r>", begin), bytes_.size());
    }
    attribute.value = {begin, end};
    at_ = std::min(end + (attribute.quote ? 1 : 0), bytes_.size());
  }
  if (token.attributes.size() < kMaxAttributes) token.attributes.push_back(attribute);
}

/// Returns the offset after the next `mark`, or the end.
std::size_t MarkupTokenizer::after(std::string_view mark, std::size_t offset) const {
  const auto found = bytes_.find(mark, offset);
  return found == bytes_.npos ? bytes_.size() : found + mark.size();
}

std::size_t MarkupTokenizer::comment_end() const {
  const auto text = bytes_;
  const auto begin = at_ + 4;
  for (const std::string_view short_end : {">", "->"})
    if (text.substr(begin).starts_with(short_end)) return begin + short_end.size();
  for (auto dashes = text.find("--", begin); dashes != text.npos; dashes = text.find("--", dashes + 1))
    for (const std::string_view end : {"-->", "--!>"})
      if (text.substr(dashes).starts_with(end)) return dashes + end.size();
  return text.size();
}

/// Returns whether a tag such as "</script" begins at `offset`.
bool MarkupTokenizer::has_tag(std::size_t offset, std::string_view tag) const {
  const auto end = offset + tag.size();
  return end < bytes_.size() && lower_ascii(bytes_.substr(offset, tag.size())) == tag &&
         kTagNameEnd.find(bytes_[end]) != kTagNameEnd.npos;
}

std::size_t MarkupTokenizer::raw_text_end() const {
  if (raw_name_ == "plaintext") return bytes_.size();
  if (raw_name_ == "script") return script_end();
  auto end = bytes_.find("</", at_);
  while (end != bytes_.npos && !has_tag(end, "</" + raw_name_)) end = bytes_.find("</", end + 2);
  return std::min(end, bytes_.size());
}

/// Finds the end of a script. Within <!-- and -->, a <script> has an end of its own.
std::size_t MarkupTokenizer::script_end() const {
  bool escaped = false, nested = false;
  for (auto i = bytes_.find_first_of("<-", at_); i != bytes_.npos; i = bytes_.find_first_of("<-", i + 1)) {
    const auto rest = bytes_.substr(i);
    if (rest.starts_with("<!--")) {
      escaped = true;
    } else if (rest.starts_with("-->")) {
      escaped = nested = false;
    } else if (has_tag(i, "</script")) {
      if (!nested) return i;
      nested = false;
    } else if (escaped && has_tag(i, "<script")) {
      nested = true;
    }
  }
  return bytes_.size();
}

TextSpan quoted_value(std::string_view bytes, std::string_view tag, std::string_view attribute) {
  const auto begin = std::min(bytes.find(tag), bytes.size()), end = std::min(bytes.find('>', begin), bytes.size());
  const auto place = bytes.find_first_of("\"'", std::min(bytes.find(attribute, begin), end));
  if (place >= end) return {};
  return {place + 1, std::min(bytes.find(bytes[place], place + 1), end)};
}

bool is_other_charset(std::string_view name) { return !name.empty() && !lower_ascii(name).starts_with("utf"); }

}  // namespace gloss
