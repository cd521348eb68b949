#include "common/files/tmx_reader.h"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include <pugixml.hpp>

#include "common/error.h"
#include "common/text/format.h"
#include "common/text/language_match.h"
#include "common/text/printable.h"
#include "common/text/split.h"
#include "common/text/utf8.h"

namespace gloss {
namespace {

constexpr std::size_t kPartBytes = 1 << 16;  ///< of bytes between units
constexpr std::size_t kMaxSegmentDepth = 256;

/// Returns how the markup ends that begins a text.
std::string_view ending_of(std::string_view markup) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kEndings{
      {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}}};
  for (const auto& [beginning, ending] : kEndings)
    if (markup.starts_with(beginning)) return ending;
  return ">";
}

bool is_tag(std::string_view tag, std::string_view name) {
  return tag.starts_with(name) && tag.size() > name.size() &&
         (kAsciiSpace.find(tag[name.size()]) != kAsciiSpace.npos || tag[name.size()] == '>' || tag[name.size()] == '/');
}

/// Adds the text of a segment without the codes of its inline elements. Only <hi> and unknown elements have text.
void add_segment_text(pugi::xml_node segment, std::size_t depth, std::string& text) {
  constexpr std::array<std::string_view, 6> kCodes{"bpt", "ept", "ph", "it", "ut", "sub"};
  for (const auto node : segment.children()) {
    if (node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata) text += node.value();
    if (node.type() != pugi::node_element || depth == kMaxSegmentDepth) continue;
    if (std::ranges::find(kCodes, std::string_view(node.name())) == kCodes.end())
      add_segment_text(node, depth + 1, text);
  }
}

std::string segment_text(pugi::xml_node variant) {
  std::string text;
  add_segment_text(variant.child("seg"), 0, text);
  return single_spaced_text(text);
}

}  // namespace

pugi::xml_node tmx_variant(pugi::xml_node unit, std::string_view language, pugi::xml_node other) {
  pugi::xml_node best;
  int best_match = 0;
  for (const auto variant : unit.children("tuv")) {
    const auto tag = variant.attribute("xml:lang") ? variant.attribute("xml:lang") : variant.attribute("lang");
    const auto match = language.empty() ? 1 : language_match(language, tag.value());
    if (match <= best_match || variant == other) continue;
    best = variant;
    best_match = match;
  }
  return best;
}

std::string TmxScanner::where() const {
  return printable(input_.name()) + ": line " + std::to_string(input_.line_number()) + ": ";
}

bool TmxScanner::fill() {
  std::string line;
  if (!input_.next_line(line)) return false;
  buffer_ += line;
  return true;
}

std::size_t TmxScanner::find(std::string_view wanted, std::size_t place) {
  for (;;) {
    const auto found = buffer_.find(wanted, place);
    if (found != buffer_.npos) return found;
    place = std::max(place, buffer_.size() - std::min(buffer_.size(), wanted.size() - 1));
    if (buffer_.size() > kMaxUnitBytes)
      throw DataError(where() + "wanted units, comments and texts of at most " + bytes_text(kMaxUnitBytes) +
                      ", got more; split the unit");
    if (!fill()) return buffer_.npos;
  }
}

bool TmxScanner::hand_out(std::size_t bytes, bool is_unit, Part& part) {
  part = {buffer_.substr(0, bytes), is_unit};
  buffer_.erase(0, bytes);
  return !part.bytes.empty();
}

bool TmxScanner::next(Part& part) {
  constexpr std::size_t kMaxBeginning = 9;
  bool in_unit = false;
  for (std::size_t place = 0;;) {
    const auto begin = find("<", place);
    if (begin == buffer_.npos && !has_ended_) throw DataError(where() + "wanted </tmx>, got the end; the file is cut");
    if (begin == buffer_.npos) return hand_out(buffer_.size(), false, part);
    while (buffer_.size() < begin + kMaxBeginning && fill()) continue;
    const auto ending = ending_of(std::string_view(buffer_).substr(begin));
    const auto end = find(ending, begin + 1);
    if (end == buffer_.npos)
      throw DataError(where() + "wanted " + std::string(ending) + ", got the end; the file is cut");
    place = end + ending.size();
    if (ending.size() == 1) {
      const auto tag = std::string_view(buffer_).substr(begin, place - begin);
      if (!has_begun_ && !tag.starts_with("<!")) {
        if (!is_tag(tag, "<tmx")) throw DataError(where() + "wanted a TMX file, got " + printable(tag, 40));
        has_begun_ = true;
      }
      has_ended_ |= is_tag(tag, "</tmx");
      const bool begins_unit = is_tag(tag, "<tu");
      if (begins_unit && begin > 0 && !in_unit) return hand_out(begin, false, part);
      in_unit |= begins_unit;
      if (in_unit && (is_tag(tag, "</tu") || (begins_unit && tag.ends_with("/>")))) return hand_out(place, true, part);
    }
    if (!in_unit && place >= kPartBytes) return hand_out(place, false, part);
  }
}

TmxReader::TmxReader(const std::filesystem::path& path, std::string source_language, std::string target_language)
    : scanner_(DocumentInput(path, path.string())),
      source_(std::move(source_language)),
      target_(std::move(target_language)) {}

bool TmxReader::next(TextPair& pair) {
  for (TmxScanner::Part part; scanner_.next(part);) {
    if (!part.is_unit) continue;
    pugi::xml_document tree;
    const auto result = tree.load_buffer(part.bytes.data(), part.bytes.size(),
                                         pugi::parse_default | pugi::parse_ws_pcdata, pugi::encoding_utf8);
    if (result.status == pugi::status_out_of_memory) throw std::bad_alloc();
    if (!result) throw DataError(scanner_.where() + "wanted a <tu> of well-formed XML, got: " + result.description());
    const auto source = tmx_variant(tree.document_element(), source_);
    pair = {segment_text(source), segment_text(tmx_variant(tree.document_element(), target_, source))};
    if (!pair.source.empty() && !pair.target.empty()) return true;
  }
  return false;
}

std::string single_spaced_text(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto begin = std::min(text.find_first_not_of(kAsciiSpace), text.size());
    text.remove_prefix(begin);
    const auto word = text.substr(0, text.find_first_of(kAsciiSpace));
    if (!word.empty() && !result.empty()) result += ' ';
    result += word;
    text.remove_prefix(word.size());
  }
  return result;
}

}  // namespace gloss
