#include "data/glossary.h"

#include <utility>

#include "common/error.h"
#include "common/line_reader.h"
#include "common/log.h"
#include "common/utf8.h"
#include "data/word_border.h"
#include "tokenizer/placed_pieces.h"

namespace gloss {
namespace {

std::string single_spaced(std::string_view text) {
  std::string result;
  for (const auto& word : words_of(text)) {
    if (!result.empty()) result += ' ';
    result += word;
  }
  return result;
}

}  // namespace

Glossary Glossary::read(const std::filesystem::path& path) {
  Glossary glossary(printable(path.string()));
  LineReader reader(path, Passes::kOne);
  for (std::string line; reader.next(line);) {
    const auto where = glossary.name_ + ": line " + std::to_string(reader.line_number()) + ": ";
    if (reader.overlong())
      throw DataError(where + "wanted at most " + std::to_string(LineReader::kMaxLineBytes) + " bytes, got more");
    if (!is_text(line)) throw DataError(where + "wanted UTF-8 without NUL; convert the file to UTF-8");
    const auto tabulator = line.find('\t');
    if (tabulator == line.npos && (line.starts_with('#') || single_spaced(line).empty())) continue;
    Entry entry{single_spaced(std::string_view(line).substr(0, tabulator)), {}, reader.line_number()};
    if (tabulator != line.npos) entry.target = single_spaced(std::string_view(line).substr(tabulator + 1));
    if (entry.source.empty() || entry.target.empty() || line.find('\t', tabulator + 1) != line.npos)
      throw DataError(where + "wanted a source phrase, a tabulator and a target phrase, got \"" + printable(line, 80) +
                      "\"");
    glossary.add(std::move(entry));
  }
  return glossary;
}

void Glossary::add(Entry entry) {
  const auto [place, is_new] = by_source_.try_emplace(entry.source, entries_.size());
  if (is_new) {
    lengths_.insert(entry.source.size());
    entries_.push_back(std::move(entry));
    return;
  }
  const auto& first = entries_[place->second];
  if (first.target != entry.target)
    throw DataError(name_ + ": line " + std::to_string(entry.line) + ": wanted one translation of \"" +
                    printable(entry.source, 80) + "\", got another than in line " + std::to_string(first.line) +
                    "; leave one of them out");
}

std::size_t Glossary::longest_at(std::string_view text, std::size_t offset) const {
  for (const auto length : lengths_) {
    if (length > text.size() - offset) continue;
    const auto found = by_source_.find(text.substr(offset, length));
    if (found != by_source_.end() && is_word_border(text, offset + length)) return found->second;
  }
  return entries_.size();
}

std::vector<std::size_t> Glossary::find(std::string_view line, std::size_t end) const {
  const auto text = single_spaced(line);
  const auto last = end < line.size() ? single_spaced(line.substr(0, end)).size() : text.size();
  std::vector<std::size_t> found;
  for (std::size_t offset = 0; offset < text.size();) {
    const auto entry = is_word_border(text, offset) ? longest_at(text, offset) : entries_.size();
    if (entry == entries_.size()) {
      offset += decode_utf8(text, offset).bytes;
      continue;
    }
    offset += entries_[entry].source.size();
    if (offset > last) break;
    found.push_back(entry);
  }
  return found;
}

}  // namespace gloss
