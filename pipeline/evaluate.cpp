#include "pipeline/evaluate.h"

#include "common/error.h"
#include "common/log.h"
#include "common/utf8.h"
#include "tokenizer/line_reader.h"

namespace gloss {
namespace {

void expect_equal_counts(const std::filesystem::path& first, std::size_t first_lines,
                         const std::filesystem::path& second, std::size_t second_lines) {
  if (first_lines != second_lines)
    throw DataError(printable(first.string()) + " has " + std::to_string(first_lines) + " lines, " +
                    printable(second.string()) + " has " + std::to_string(second_lines) +
                    "; lines of equal number belong together");
}

}  // namespace

std::vector<std::string> read_lines(const std::filesystem::path& path, Passes passes) {
  LineReader reader(path, passes);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) {
    if (reader.overlong())
      throw DataError(printable(path.string()) + ": line " + std::to_string(reader.line_number()) + " is longer than " +
                      std::to_string(LineReader::kMaxLineBytes) + " bytes; it cannot be scored whole");
    lines.push_back(repair_utf8(line));
  }
  return lines;
}

TestSet read_test_set(const std::filesystem::path& source, const std::filesystem::path& reference, Passes passes) {
  TestSet test{read_lines(source, passes), read_lines(reference, passes)};
  expect_equal_counts(source, test.sources.size(), reference, test.references.size());
  return test;
}

std::vector<std::string> translate_lines(const Translator& translator, const DecodingConfig& decoding,
                                         std::span<const std::string> lines) {
  std::vector<std::string> translations;
  for (auto& translation : translator.translate(lines, decoding))
    translations.push_back(std::move(translation.candidates.front().text));
  return translations;
}

Bleu evaluate_model(const Translator& translator, const DecodingConfig& decoding, const TestSet& test) {
  return corpus_bleu(translate_lines(translator, decoding, test.sources), test.references);
}

}  // namespace gloss
