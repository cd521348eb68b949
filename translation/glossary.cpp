#include "translation/glossary.h"

#include <utility>

#include "common/error.h"
#include "common/files/line_reader.h"
#include "common/text/printable.h"
#include "common/text/utf8.h"
#include "common/text/word_boundary.h"
#include "tokenizer/piece_spans.h"

namespace gloss {
namespace {

/// Returns a trimmed text with one space for each run of white space. Fills `offsets` with the offset of each byte in
/// the original text; that of a space is the offset of the next word.
std::string single_spaced(std::string_view text, std::vector<std::size_t>* offsets = nullptr) {
  std::string result;
  std::size_t next = 0;  // the search for the next word begins here
  for (const auto& word : words_of(text)) {
    const auto begin = text.find(word, next);
    if (!result.empty()) {
      result += ' ';
      if (offsets) offsets->push_back(begin);
    }
    result += word;
    for (std::size_t i = 0; offsets && i < word.size(); ++i) offsets->push_back(begin + i);
    next = begin + word.size();
  }
  return result;
}

}  // namespace

Glossary Glossary::read(const std::filesystem::path& path) {
  Glossary glossary(printable(path.string()), "line");
  LineReader reader(path, Passes::kOne);
  for (std::string line; reader.next(line);) {
    const auto where = glossary.where(reader.line_number());
    if (reader.overlong())
      throw DataError(where + "wanted at most " + std::to_string(LineReader::kMaxLineBytes) + " bytes, got more");
    if (!is_text(line)) throw DataError(where + "wanted UTF-8 without NUL; convert the file to UTF-8");
    const auto tab = line.find('\t');
    if (tab == line.npos && (line.starts_with('#') || single_spaced(line).empty())) continue;
    Entry entry{single_spaced(std::string_view(line).substr(0, tab)), {}, reader.line_number()};
    if (tab != line.npos) entry.target = single_spaced(std::string_view(line).substr(tab + 1));
    if (entry.source.empty() || entry.target.empty() || line.find('\t', tab + 1) != line.npos)
      throw DataError(where + "wanted a source phrase, a tab and a target phrase, got \"" + printable(line, 80) + "\"");
    glossary.add(std::move(entry));
  }
  return glossary;
}

Glossary Glossary::from_entries(std::span<const std::pair<std::string, std::string>> entries) {
  Glossary glossary("glossary", "entry");
  for (std::int64_t number = 1; const auto& [source, target] : entries) {
    const auto where = glossary.where(number);
    if (!is_text(source) || !is_text(target)) throw DataError(where + "wanted UTF-8 without NUL");
    Entry entry{single_spaced(source), single_spaced(target), number++};
    if (entry.source.empty() || entry.target.empty())
      throw DataError(where + "wanted a source phrase and a target phrase, got an empty one");
    glossary.add(std::move(entry));
  }
  return glossary;
}

void Glossary::add(Entry entry) {
  const auto [entry_index, is_new] = by_source_.try_emplace(entry.source, entries_.size());
  if (is_new) {
    lengths_.insert(entry.source.size());
    entries_.push_back(std::move(entry));
    return;
  }
  const auto& first = entries_[entry_index->second];
  if (first.target != entry.target)
    throw DataError(where(entry.number) + "wanted one translation of \"" + printable(entry.source, 80) +
                    "\", got another than in " + unit_ + " " + std::to_string(first.number) +
                    "; leave one of them out");
}

std::size_t Glossary::longest_at(std::string_view text, std::size_t offset) const {
  for (const auto length : lengths_) {
    if (length > text.size() - offset) continue;
    const auto found = by_source_.find(text.substr(offset, length));
    if (found != by_source_.end() && is_word_boundary(text, offset + length)) return found->second;
  }
  return entries_.size();
}

std::vector<Glossary::Occurrence> Glossary::find(std::string_view line, std::size_t end) const {
  std::vector<std::size_t> offsets;
  const auto text = single_spaced(line, &offsets);
  std::vector<Occurrence> found;
  for (std::size_t offset = 0; offset < text.size();) {
    const auto entry = is_word_boundary(text, offset) ? longest_at(text, offset) : entries_.size();
    if (entry == entries_.size()) {
      offset += decode_utf8(text, offset).bytes;
      continue;
    }
    const auto begin = offsets[offset];
    offset += entries_[entry].source.size();
    const auto after = offsets[offset - 1] + 1;
    if (after > end) break;
    found.push_back({entry, begin, after});
  }
  return found;
}

}  // namespace gloss
