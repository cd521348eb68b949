#include "common/files/term_files.h"

#include <algorithm>
#include <array>
#include <map>
#include <new>
#include <optional>

#include <pugixml.hpp>

#include "common/error.h"
#include "common/files/tmx_reader.h"
#include "common/text/language_match.h"
#include "common/text/language_tag.h"
#include "common/text/printable.h"
#include "common/text/split.h"

namespace gloss {
namespace {

constexpr std::size_t kMaxTermBytes = 256 << 20;

using Terms = std::vector<std::string>;
using TermPairs = std::vector<std::pair<std::string, std::string>>;

/// Collects the target terms of each source term.
class TermCollector {
 public:
  void add(const Terms& sources, const Terms& targets) {
    for (const auto& source : sources)
      for (const auto& target : targets) {
        if (source.empty() || target.empty()) continue;
        const auto [place, is_new] = places_.try_emplace(source, pairs.size());
        if (is_new) pairs.emplace_back(source, target);
        auto& alternatives = pairs[place->second].second;
        if (!is_new && ('|' + alternatives + '|').find('|' + target + '|') == std::string::npos)
          alternatives += '|' + target;
      }
  }

  TermPairs pairs;

 private:
  std::map<std::string, std::size_t> places_;
};

std::string local_name(pugi::xml_node node) {
  const std::string_view name = node.name();
  return std::string(name.substr(name.find(':') + 1));
}

/// Returns the terms of a language in a concept. They are in <tig>, <ntig><termGrp> or <termSec>.
Terms terms_of(pugi::xml_node concept_entry, std::string_view language) {
  Terms terms;
  int best_match = 1;
  for (const auto section : concept_entry.children()) {
    const auto match = language_match(language, section.attribute("xml:lang").value());
    if ((local_name(section) != "langSet" && local_name(section) != "langSec") || match < best_match) continue;
    if (match > best_match) terms.clear();
    best_match = match;
    for (auto node = section.first_child(); node;) {
      if (local_name(node) == "term") {
        std::string text;
        for (auto part = node.first_child(); part; part = part.next_sibling())
          text += part.type() == pugi::node_element ? part.child_value() : part.value();  // <hi> within a term
        terms.push_back(single_spaced_text(text));
      }
      auto next = node.first_child();
      for (; !next && node != section; node = node.parent()) next = node.next_sibling();
      node = next;
    }
  }
  return terms;
}

void read_tbx(const std::string& bytes, const std::string& name, std::string_view source, std::string_view target,
              TermCollector& terms) {
  pugi::xml_document tree;
  const auto result = tree.load_buffer(bytes.data(), bytes.size(), pugi::parse_default, pugi::encoding_utf8);
  if (result.status == pugi::status_out_of_memory) throw std::bad_alloc();
  if (!result)
    throw DataError(name + ": byte " + std::to_string(result.offset) +
                    ": wanted well-formed XML, got: " + result.description());
  const auto root = local_name(tree.document_element());
  if (root != "martif" && root != "tbx")
    throw DataError(name + ": wanted a TBX file, <tbx> or <martif>, got <" + printable(root, 40) + ">");
  for (auto node = tree.document_element(); node;) {
    const auto kind = local_name(node);
    const bool is_concept = kind == "termEntry" || kind == "conceptEntry";
    if (is_concept) terms.add(terms_of(node, source), terms_of(node, target));
    auto next = is_concept ? pugi::xml_node() : node.first_child();
    for (; !next && node; node = node.parent()) next = node.next_sibling();
    node = next;
  }
}

char separator_of(std::string_view bytes) {
  const auto line = bytes.substr(0, bytes.find_first_of("\r\n"));
  if (line.find('\t') != line.npos) return '\t';
  return std::ranges::count(line, ';') > std::ranges::count(line, ',') ? ';' : ',';
}

/// Returns the column of a language; nothing if no cell names it.
std::optional<std::size_t> column_of(const Terms& header, std::string_view language) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const auto match = language_match(language, header[i]);
    if (match == 2 || (match == 1 && !best)) best = i;
    if (match == 2) break;
  }
  return best;
}

void read_table(std::string_view bytes, const std::string& name, std::string_view source, std::string_view target,
                TermCollector& terms) {
  const auto separator = separator_of(bytes);
  std::size_t place = 0;
  const auto header = next_table_row(bytes, separator, place);
  auto source_column = column_of(header, source), target_column = column_of(header, target);
  const bool names_languages =
      std::ranges::count_if(header, [](const auto& cell) { return !language_of_file(cell).empty(); }) > 1;
  if (names_languages && (source.empty() || target.empty()))
    throw DataError(name +
                    ": its columns are named by languages, but those of the translation are not known; name the "
                    "languages, or the columns \"source\" and \"target\"");
  if (names_languages && (!source_column || !target_column))
    throw DataError(name + ": wanted columns " + printable(source) + " and " + printable(target) + ", got " +
                    printable(header[0], 40) + ", " + printable(header[1], 40));
  if (!source_column || !target_column) {
    source_column = column_of(header, "source");
    target_column = column_of(header, "target");
  }
  if (!source_column || !target_column) {
    source_column = 0;
    target_column = 1;
    place = 0;
  }
  while (place < bytes.size()) {
    const auto row = next_table_row(bytes, separator, place);
    const auto last = std::max(*source_column, *target_column);
    if (row.size() > last) terms.add({row[*source_column]}, {row[*target_column]});
  }
}

}  // namespace

std::vector<std::string> next_table_row(std::string_view bytes, char separator, std::size_t& place) {
  std::vector<std::string> row(1);
  bool quoted = false;
  for (; place < bytes.size(); ++place) {
    const auto c = bytes[place];
    if (quoted && c == '"' && bytes.substr(place + 1).starts_with('"'))
      row.back() += bytes[place++];
    else if (c == '"' && separator != '\t' && (quoted || row.back().empty()))
      quoted = !quoted;
    else if (!quoted && c == separator)
      row.emplace_back();
    else if (!quoted && (c == '\n' || c == '\r'))
      break;
    else
      row.back() += c;
  }
  place += std::min<std::size_t>(bytes.size() - place, bytes.substr(place).starts_with("\r\n") ? 2 : 1);
  for (auto& cell : row) cell = single_spaced_text(cell);
  return row;
}

TermPairs read_terms(DocumentInput input, std::string_view source_language, std::string_view target_language) {
  const auto name = printable(input.name());
  const auto bytes = input.rest(kMaxTermBytes);
  const auto begin = bytes.find_first_not_of(kAsciiSpace);
  TermCollector terms;
  if (begin != bytes.npos && bytes[begin] == '<')
    read_tbx(bytes, name, source_language, target_language, terms);
  else
    read_table(bytes, name, source_language, target_language, terms);
  if (terms.pairs.empty() && (source_language.empty() || target_language.empty()))
    throw DataError(name + ": wanted terms, one source and one target in a row");
  if (terms.pairs.empty())
    throw DataError(name + ": wanted terms in " + printable(source_language) + " and " + printable(target_language) +
                    ", got none; check the languages of the file");
  return std::move(terms.pairs);
}

}  // namespace gloss
