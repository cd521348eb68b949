#include "documents/formats/subtitle_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "common/text/letter_case.h"
#include "common/text/split.h"
#include "common/text/terminal_text.h"
#include "common/text/utf8.h"
#include "common/text/word_boundary.h"
#include "documents/markup/html_entities.h"
#include "documents/markup/inline_builder.h"

namespace gloss {
namespace {

using Kind = InlineElement::Kind;

constexpr std::array<std::string_view, 4> kDashes{"-", "\u2010", "\u2013", "\u2014"};
constexpr std::array<std::string_view, 3> kNotes{"\u266a", "\u266b", "\u266c"};
constexpr std::array<std::string_view, 5> kOpenBrackets{"[", "(", "\uff08", "\uff3b", "\u3010"};
constexpr std::array<std::string_view, 5> kCloseBrackets{"]", ")", "\uff09", "\uff3d", "\u3011"};

/// Text, or a tag, of a cue.
struct CueToken {
  TextSpan range;
  std::optional<Kind> tag;  ///< nothing: text
  std::string text;         ///< decoded; of a tag its name
};

struct CueLine {
  std::vector<CueToken> tokens;
  std::string text;   ///< without tags, a dash, and white space around it
  std::string voice;  ///< of a <v Name> before the text
  std::string label;  ///< of a speaker, with its colon: "JOHN:"
  bool has_dash = false, is_sound = false;
};

std::string_view trimmed_cue_text(std::string_view text) {
  const auto begin = text.find_first_not_of(kAsciiSpace);
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(kAsciiSpace) + 1 - begin);
}

/// Returns the length of the string of a set that begins a text, or 0.
std::size_t front_of(std::string_view text, std::span<const std::string_view> set) {
  const auto found = std::ranges::find_if(set, [&](auto string) { return text.starts_with(string); });
  return found == set.end() ? 0 : found->size();
}
std::size_t back_of(std::string_view text, std::span<const std::string_view> set) {
  const auto found = std::ranges::find_if(set, [&](auto string) { return text.ends_with(string); });
  return found == set.end() ? 0 : found->size();
}

/// Returns the length of a speaker's dash, or 0: "- Hi", "-Hi", but not "-5", "--" or a long dash before a letter.
std::size_t dash_length(std::string_view text) {
  const auto length = front_of(text, kDashes);
  if (length == 0 || length == text.size()) return 0;
  const auto next = text[length];
  const bool is_hyphen = length == 1 && next != '-' && next != '>' && !is_ascii_digit(static_cast<unsigned char>(next));
  return is_hyphen || next == ' ' ? length : 0;
}

/// Returns whether a line begins with a note, or is a sound in brackets or its beginning.
bool is_sound(std::string_view text) {
  if (front_of(text, kNotes) > 0) return true;
  for (std::size_t i = 0; i < kOpenBrackets.size(); ++i) {
    if (!text.starts_with(kOpenBrackets[i])) continue;
    const auto close = text.find(kCloseBrackets[i]);
    return close == text.npos || close + kCloseBrackets[i].size() == text.size();
  }
  return false;
}

/// Returns the label of a speaker that begins a line: "JOHN:" and "MAN 2:", but not "Note:" or "10:30".
std::string_view label_of(std::string_view text) {
  constexpr std::size_t kMaxLabel = 40;
  constexpr std::u32string_view kLabelSigns = U" .'-#&()\u2019";
  const auto label = text.substr(0, text.substr(0, kMaxLabel).find(':') + 1);
  if (label.empty() || (label.size() < text.size() && kAsciiSpace.find(text[label.size()]) == kAsciiSpace.npos))
    return {};
  bool has_capital = false;
  for (std::size_t offset = 0; offset + 1 < label.size();) {
    const auto [value, bytes] = decode_utf8(label, offset);
    const auto c = value.value_or(0);
    has_capital |= is_upper_case(c);
    if (!is_upper_case(c) && !is_ascii_digit(c) && (offset == 0 || kLabelSigns.find(c) == kLabelSigns.npos)) return {};
    offset += bytes;
  }
  return has_capital ? label : std::string_view();
}

/// Reads <i>, </i>, <v Name>, a time of WebVTT, or {\an8}.
std::optional<CueToken> tag_of_cue(std::string_view line, std::size_t offset, SubtitleFormat format) {
  const auto rest = line.substr(offset);
  const bool is_style = rest.starts_with("{\\");
  const auto end = rest.find(is_style ? '}' : '>');
  if (end == rest.npos || (!is_style && rest[0] != '<')) return std::nullopt;
  CueToken tag{{offset, offset + end + 1}, Kind::kMark, {}};
  if (is_style) return tag;
  auto name = rest.substr(1, end - 1);
  const bool closes = name.starts_with('/');
  name.remove_prefix(closes ? 1 : 0);
  const bool has_name = !name.empty() && name[0] > ' ' && is_letter(static_cast<unsigned char>(name[0])) && name[0] > 0;
  if (format == SubtitleFormat::kSrt && (!has_name || name.find('<') != name.npos)) return std::nullopt;
  if (!has_name) return tag;
  tag.tag = closes ? Kind::kClosing : Kind::kOpening;
  tag.text = lower_ascii(name.substr(0, name.find_first_of(". \t/")));
  return tag;
}

/// Adds text with the white space around it as tokens of their own.
void add_cue_text(std::string_view bytes, TextSpan range, std::vector<CueToken>& tokens) {
  const auto text = range.of(bytes);
  const auto begin = range.begin + std::min(text.find_first_not_of(kAsciiSpace), text.size());
  const auto end = std::max(begin, range.begin + text.find_last_not_of(kAsciiSpace) + 1);
  for (const TextSpan part : {TextSpan{range.begin, begin}, TextSpan{begin, end}, TextSpan{end, range.end}})
    if (!part.empty()) tokens.push_back({part, {}, std::string(part.of(bytes))});
}

std::vector<CueToken> tokens_of(std::string_view bytes, TextSpan line, SubtitleFormat format) {
  std::vector<CueToken> tokens;
  const auto until_line_end = bytes.substr(0, line.end);
  auto begin = line.begin;  // of the text that is not in `tokens` yet
  const auto add = [&](CueToken token) {
    add_cue_text(bytes, {begin, token.range.begin}, tokens);
    begin = token.range.end;
    tokens.push_back(std::move(token));
  };
  for (auto offset = line.begin; offset < line.end; offset = std::max(offset + 1, begin)) {
    const auto c = bytes[offset];
    if (c == '<' || c == '{')
      if (auto tag = tag_of_cue(until_line_end, offset, format)) add(*std::move(tag));
    if (c != '&' || format == SubtitleFormat::kSrt) continue;
    auto reference = reference_at(until_line_end, offset, /*in_attribute=*/false);
    const TextSpan range{offset, offset + reference.bytes};
    if (!range.empty())
      add({range, reference.text.empty() ? std::optional(Kind::kMark) : std::nullopt, reference.text});
  }
  add_cue_text(bytes, {begin, line.end}, tokens);
  return tokens;
}

CueLine cue_line_of(std::string_view bytes, TextSpan range, SubtitleFormat format) {
  CueLine line{.tokens = tokens_of(bytes, range, format), .text = {}, .voice = {}, .label = {}};
  for (const auto& token : line.tokens) {
    if (!token.tag) line.text += token.text;
    if (token.tag != Kind::kOpening || token.text != "v" || !trimmed_cue_text(line.text).empty()) continue;
    const auto tag = token.range.of(bytes);
    if (const auto space = tag.find_first_of(" \t"); space != tag.npos)
      line.voice = trimmed_cue_text(tag.substr(space, tag.size() - 1 - space));
  }
  const auto text = trimmed_cue_text(line.text);
  const auto dash = dash_length(text);
  line.has_dash = dash > 0;
  line.text = std::string(trimmed_cue_text(text.substr(dash)));
  line.is_sound = is_sound(line.text);
  line.label = label_of(line.text);
  return line;
}

/// Makes the string of a set at the first (or last) character of the text a mark. Returns whether there was one.
bool mark_edge(std::vector<CueToken>& tokens, std::span<const std::string_view> set, bool at_front) {
  const auto is_text = [](const CueToken& token) { return !token.tag && !trimmed_cue_text(token.text).empty(); };
  const auto first = std::ranges::find_if(tokens, is_text);
  const auto after_last = std::find_if(tokens.rbegin(), tokens.rend(), is_text).base();
  if (first == tokens.end()) return false;
  const auto edge = at_front ? first : after_last - 1;
  const auto spaces = edge->text.find_first_not_of(kAsciiSpace);  // after a dash
  auto size = at_front ? front_of(std::string_view(edge->text).substr(spaces), set) : back_of(edge->text, set);
  if (size == 0 || edge->text.size() != edge->range.size()) return false;
  if (at_front) size += spaces;
  CueToken mark{edge->range, Kind::kMark, {}};
  if (at_front)
    edge->range.begin = mark.range.end = edge->range.begin + size;
  else
    edge->range.end = mark.range.begin = edge->range.end - size;
  edge->text.erase(at_front ? 0 : edge->text.size() - size, size);
  tokens.insert(at_front ? edge : edge + 1, std::move(mark));
  return true;
}

/// Makes the dash and the label of a speaker, notes, and the brackets of a sound marks, which stay at the ends.
void mark_edges(std::vector<CueToken>& tokens, const CueLine& first) {
  if (first.has_dash) mark_edge(tokens, kDashes, /*at_front=*/true);
  if (const std::string_view label = first.label; !label.empty()) mark_edge(tokens, {&label, 1}, /*at_front=*/true);
  if (!first.is_sound) return;
  mark_edge(tokens, kOpenBrackets, /*at_front=*/true);
  mark_edge(tokens, kCloseBrackets, /*at_front=*/false);
  for (const bool at_front : {true, false})
    while (mark_edge(tokens, kNotes, at_front)) continue;
}

/// Returns the text of lines with its range; nothing if it has no letter.
std::optional<PlacedText> text_of_lines(std::span<const CueLine> lines) {
  std::vector<CueToken> tokens;
  std::string_view before;
  for (const auto& line : lines) {
    if (const auto joint = line_joint(before, line.text); !tokens.empty() && !joint.empty())
      tokens.push_back({{tokens.back().range.end, line.tokens.front().range.begin}, {}, std::string(joint)});
    tokens.insert(tokens.end(), line.tokens.begin(), line.tokens.end());
    before = line.text;
  }
  mark_edges(tokens, lines.front());
  InlineBuilder builder;
  for (auto& token : tokens) {
    if (token.tag)
      builder.add_element(*token.tag, token.range, std::move(token.text));
    else
      builder.add_text(token.text, token.range);
  }
  return builder.finish();
}

}  // namespace

std::vector<CuePart> parts_of_cue(std::string_view bytes, std::span<const TextSpan> lines, SubtitleFormat format) {
  std::vector<CueLine> all;
  for (const auto& line : lines)
    if (auto read = cue_line_of(bytes, line, format); !read.tokens.empty()) all.push_back(std::move(read));
  std::vector<CuePart> parts;
  std::string voice;
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    const auto& first = all[begin];
    if (!first.voice.empty()) voice = first.voice;
    const auto continues = [&](std::string_view before, const CueLine& line) {
      const bool is_closed = back_of(before, kNotes) + back_of(before, kCloseBrackets) > 0;
      return !line.is_sound && !line.has_dash && line.label.empty() && (line.voice.empty() || line.voice == voice) &&
             !(first.is_sound && is_closed);
    };
    for (end = begin + 1; end < all.size() && continues(all[end - 1].text, all[end]);) ++end;
    auto placed = text_of_lines(std::span(all).subspan(begin, end - begin));
    if (!placed) continue;
    parts.push_back({.range = placed->range,
                     .text = std::move(placed->source),
                     .speaker = voice,
                     .begins_unit = first.is_sound || first.has_dash || !first.label.empty() || begin > 0,
                     .ends_unit = first.is_sound || end < all.size()});
  }
  return parts;
}

std::string_view line_joint(std::string_view before, std::string_view after) {
  const auto is_unspaced = [](std::string_view text, std::size_t offset) {
    const auto c = decode_utf8(text, offset).value.value_or(U' ');
    return kind_of(c) == CharacterKind::kUnspaced || (kind_of(c) == CharacterKind::kOther && columns_of(c) == 2);
  };
  if (before.empty() || after.empty()) return "";
  return is_unspaced(before, last_character(before)) && is_unspaced(after, 0) ? "" : " ";
}

std::string escape_cue_text(std::string_view text, SubtitleFormat format) {
  if (format == SubtitleFormat::kVtt) return escape_html(text);
  std::string escaped(text);
  for (std::size_t arrow = 0; (arrow = escaped.find("-->", arrow)) != escaped.npos;) escaped.erase(arrow, 1);
  return escaped;
}

}  // namespace gloss
