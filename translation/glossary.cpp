#include "translation/glossary.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/error.h"
#include "common/files/line_reader.h"
#include "common/text/letter_case.h"
#include "common/text/printable.h"
#include "common/text/utf8.h"
#include "common/text/word_boundary.h"
#include "tokenizer/piece_spans.h"

namespace gloss {
namespace {

/// Returns a trimmed text with one space for each run of white space and composed letters. Fills `offsets` with the
/// offset of each byte in the original text; that of a space is the offset of the next word. The last byte of a letter
/// has the offset of the last byte of its marks.
std::string single_spaced(std::string_view text, std::vector<std::size_t>* offsets = nullptr) {
  std::string result;
  std::vector<std::size_t> places;
  std::size_t next = 0;  // the search for the next word begins here
  for (const auto& word : words_of(text)) {
    const auto begin = text.find(word, next);
    if (!result.empty()) {
      result += ' ';
      places.push_back(begin);
    }
    for (std::size_t i = 0; i < word.size();) {
      const auto [mark, bytes] = decode_utf8(word, i);
      const auto last = i > 0 ? last_character(result) : 0;
      const auto letter = i > 0 ? composed(decode_utf8(result, last).value.value_or(0), mark.value_or(0)) : U'\0';
      if (letter != 0) {
        const auto place = places[last];
        result.resize(last);
        append_utf8(letter, result);
        places.resize(last);
        places.resize(result.size(), place);
        places.back() = begin + i + bytes - 1;
      } else {
        result += word.substr(i, bytes);
        for (std::size_t j = 0; j < bytes; ++j) places.push_back(begin + i + j);
      }
      i += bytes;
    }
    next = begin + word.size();
  }
  if (offsets) *offsets = std::move(places);
  return result;
}

std::string lower_cased(std::string_view text) {
  std::string result;
  for_each_character(text, [&](auto value, auto) { append_utf8(lower_case(value.value_or(U'\uFFFD')), result); });
  return result;
}

}  // namespace

TermList TermList::read(const std::filesystem::path& path) {
  TermList glossary(printable(path.string()), "line");
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
  glossary.link_prefixes();
  return glossary;
}

TermList TermList::from_entries(std::span<const std::pair<std::string, std::string>> entries) {
  TermList glossary("glossary", "entry");
  for (std::int64_t number = 1; const auto& [source, target] : entries) {
    const auto where = glossary.where(number);
    if (!is_text(source) || !is_text(target)) throw DataError(where + "wanted UTF-8 without NUL");
    Entry entry{single_spaced(source), single_spaced(target), number++};
    if (entry.source.empty() || entry.target.empty())
      throw DataError(where + "wanted a source phrase and a target phrase, got an empty one");
    glossary.add(std::move(entry));
  }
  glossary.link_prefixes();
  return glossary;
}

void TermList::add(Entry entry) {
  const auto [entry_index, is_new] = by_source_.try_emplace(entry.source, entries_.size());
  if (is_new) {
    entries_.push_back(std::move(entry));
    return;
  }
  const auto& first = entries_[entry_index->second];
  if (first.target != entry.target)
    throw DataError(where(entry.number) + "wanted one translation of \"" + printable(entry.source, 80) +
                    "\", got another than in " + unit_ + " " + std::to_string(first.number) +
                    "; leave one of them out");
}

void TermList::link_prefixes() {
  prefixes_.assign(entries_.size(), entries_.size());
  std::vector<std::size_t> open;  // each begins the source of the next one
  for (const auto& [source, entry] : by_source_) {
    while (!open.empty() && !source.starts_with(entries_[open.back()].source)) open.pop_back();
    if (!open.empty()) prefixes_[entry] = open.back();
    open.push_back(entry);
  }
}

std::size_t TermList::longest_at(std::string_view text, std::size_t offset) const {
  // The last source that does not sort after the rest of the text begins with every source that begins the rest.
  const auto rest = text.substr(offset);
  const auto next = by_source_.upper_bound(rest);
  if (next == by_source_.begin()) return entries_.size();
  const auto& [last, last_entry] = *std::prev(next);
  const auto common = static_cast<std::size_t>(std::ranges::mismatch(last, rest).in1 - last.begin());
  const auto fits = [&](const std::string& source) {
    return source.size() <= common && is_word_boundary(text, offset + source.size());
  };
  auto entry = last_entry;
  while (entry < entries_.size() && !fits(entries_[entry].source)) entry = prefixes_[entry];
  return entry;
}

std::vector<TermList::Occurrence> TermList::find(std::string_view line, std::size_t end) const {
  std::vector<std::size_t> offsets;
  const auto text = single_spaced(line, &offsets), lower = lower_cased(text);
  std::vector<Occurrence> found;
  for (std::size_t offset = 0; offset < text.size();) {
    auto entry = entries_.size();
    if (is_word_boundary(text, offset)) {
      entry = longest_at(text, offset);
      const auto other = longest_at(lower, offset);  // never has an upper-case letter
      const auto longer = [&] { return entries_[other].source.size() > entries_[entry].source.size(); };
      if (other < entries_.size() && (entry == entries_.size() || longer())) entry = other;
    }
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
