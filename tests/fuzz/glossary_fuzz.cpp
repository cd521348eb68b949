// Glossaries: tables, TBX and TMX. Entries are the same when they are given one by one, and occurrences are whole words
// of the line.

#include <vector>

#include "common/files/term_files.h"
#include "common/files/tmx_reader.h"
#include "common/text/word_boundary.h"
#include "tests/fuzz/fuzz_input.h"
#include "translation/glossary.h"

namespace gloss {
namespace {

void check_terms(const TermList& terms, std::string_view line) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& entry : terms.entries()) {
    expect(is_text(entry.source) && is_text(entry.target) && !entry.source.empty() && !entry.target.empty());
    pairs.emplace_back(entry.source, entry.target);
  }
  const auto again = TermList::from_entries(pairs);
  expect(std::ranges::equal(again.entries(), terms.entries(),
                            [](const auto& a, const auto& b) { return a.source == b.source && a.target == b.target; }));
  const auto occurrences = terms.find(line);
  std::size_t end = 0;
  for (const auto& found : occurrences) {
    expect(found.begin >= end && found.end > found.begin && found.end <= line.size());
    expect(is_word_boundary(line, found.begin) && is_word_boundary(line, found.end));
    end = found.end;
  }
  expect(again.find(line) == occurrences);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = input_text(data, size);
  const auto format = take_byte(text) % 3;
  const auto line = repair_utf8(text.substr(0, 200));
  is_read<DataError>([&] {
    if (format == 0) {
      check_terms(TermList::read(put_input("terms.tsv", text)), line);
    } else if (format == 1) {
      const auto pairs = read_terms(DocumentInput::of(std::string(text), "input"), "en", "de");
      check_terms(TermList::from_entries(pairs), line);
    } else {
      TmxReader reader(put_input("memory.tmx", text), "en", "de");
      for (TextPair pair; reader.next(pair);)
        for (const auto& side : {pair.source, pair.target}) expect(is_text(side) && single_spaced_text(side) == side);
    }
  });
  return 0;
}

}  // namespace gloss
