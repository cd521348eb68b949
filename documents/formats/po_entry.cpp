#include "documents/formats/po_entry.h"

#include <algorithm>

#include "common/text/printable.h"
#include "common/text/split.h"

namespace gloss {
namespace {

constexpr std::size_t kEnoughBytes = 1 << 16;  ///< of an entry that may be divided

/// Returns a line without the white space at its ends.
std::string_view content_of_line(std::string_view line) {
  const auto begin = std::min(line.find_first_not_of(kAsciiSpace), line.size());
  return line.substr(begin, line.find_last_not_of(kAsciiSpace) + 1 - begin);
}

}  // namespace

bool PoEntry::ends_before(std::string_view next_line) const {
  if (!is_complete() && !is_obsolete) return false;
  const auto content = content_of_line(next_line);
  if (after_blank_ || bytes.size() > kEnoughBytes) return !content.starts_with('"');
  if (is_obsolete) return !content.empty() && !content.starts_with("#~");
  return content.starts_with('#') || content.starts_with("msgid") || content.starts_with("msgctxt") ||
         content.starts_with("domain");
}

std::optional<std::string> PoEntry::add(std::string_view next_line) {
  const auto content = content_of_line(next_line);
  const auto begin = bytes.size() + static_cast<std::size_t>(content.data() - next_line.data());
  bytes += next_line;
  after_blank_ = content.empty();
  if (content.empty()) return {};
  if (content.starts_with('#')) {
    add_comment(content, begin);
    return {};
  }
  if (!content.starts_with('"')) return add_keyword(content, begin);
  if (!has_keyword_) return "msgid before a string";
  if (!add_strings(content, begin)) return "a string within quotation marks";
  return {};
}

void PoEntry::add_comment(std::string_view comment, std::size_t begin) {
  if (comment.starts_with("#~")) is_obsolete = true;
  if (comment.starts_with("#|") && !before) before = begin;
  if (!comment.starts_with("#,")) return;
  if (!flags) flags = begin + 2;
  for (const auto flag : split_text(comment.substr(2), ',')) is_fuzzy |= content_of_line(flag) == "fuzzy";
}

std::optional<std::string> PoEntry::add_keyword(std::string_view content, std::size_t begin) {
  const auto end = std::min(content.find_first_of(" \t\""), content.size());
  const auto keyword = content.substr(0, end);
  strings_ = &ignored_;
  ignored_.clear();
  if (keyword == "msgid" && !message) {
    strings_ = &message.emplace();
  } else if (keyword == "msgid_plural" && message && !plural && !is_complete()) {
    strings_ = &plural.emplace();
  } else if ((keyword == "msgstr" && message && !plural && !is_complete()) ||
             (keyword.starts_with("msgstr[") && plural)) {
    strings_ = &translation;
    translations = {is_complete() ? translations.begin : begin, begin + end};
  } else if (keyword == "msgctxt" && !message && !has_context) {
    has_context = true;
  } else if (keyword != "domain" || message) {
    return "msgctxt, msgid, msgid_plural and msgstr in this order";
  }
  has_keyword_ = true;
  if (keyword != "domain" && !before) before = begin;
  if (keyword != "domain" && !add_strings(content.substr(end), begin + end))
    return "a string within quotation marks after " + printable(keyword, 40);
  return {};
}

bool PoEntry::add_strings(std::string_view content, std::size_t begin) {
  std::size_t place = 0;
  for (;;) {
    place = content.find_first_not_of(kAsciiSpace, place);
    if (place == content.npos) return true;
    if (content[place] != '"') return false;
    const auto first = ++place;
    while (place < content.size() && content[place] != '"') place += content[place] == '\\' ? 2 : 1;
    if (place >= content.size()) return false;
    *strings_ += content.substr(first, place - first);
    ++place;
    if (strings_ == &translation) translations.end = begin + place;
  }
}

std::string_view PoEntry::line_end() const {
  const auto end = bytes.find_first_of("\r\n");
  if (end == bytes.npos) return "\n";
  return std::string_view(bytes).substr(end, std::string_view(bytes).substr(end).starts_with("\r\n") ? 2 : 1);
}

}  // namespace gloss
