// Corpus caches: pairs of one that is accepted can be read and written again. An input is a file, or after the byte 1
// its footer on a line and what precedes it, which get the right sums.

#include <span>

#include "common/files/mapped_file.h"
#include "data/corpus_writer.h"
#include "data/parallel_corpus.h"
#include "tests/fuzz/fuzz_input.h"

namespace gloss {
namespace {

std::string number_bytes(std::uint64_t value) { return {reinterpret_cast<const char*>(&value), sizeof value}; }

/// Returns the file of a footer and the bytes before it.
std::string with_footer(std::string_view footer, std::string_view bytes) {
  auto json = parse_json(footer);
  const CorpusLayout layout{json.at("pairs"), json.at("ids"), json.at("id_bytes"), json.at("length_bytes")};
  const auto begin = std::min<std::uint64_t>(layout.index_at(), bytes.size());
  json["index_sha256"] = sha256(bytes.substr(begin));
  const auto text = to_text(json);
  return std::string(bytes) + text + sha256(text) + number_bytes(text.size()) + std::string(CorpusLayout::kEnd);
}

MappedFile mapped(std::string_view bytes) {
  const auto file = open_memory_file();
  expect(write_all(file, std::as_bytes(std::span(bytes))));
  return {file, "input"};
}

void check_corpus(std::string_view bytes, ParallelCorpus::Check check) {
  is_read<DataError>([&] {
    auto corpus = ParallelCorpus::open(mapped(bytes), "input", check);
    std::string written;
    CorpusWriter writer([&](auto part) { written.append(reinterpret_cast<const char*>(part.data()), part.size()); },
                        1 << 30, 0);
    corpus.set_vocabularies(1 << 30, 1 << 30);
    for (std::int64_t i = 0; i < corpus.size(); ++i) {
      const auto source = corpus.source(i), target = corpus.target(i);
      expect(std::ssize(source) == corpus.source_length(i) && std::ssize(target) == corpus.target_length(i));
      writer.add(source, target);
    }
    writer.finish(corpus.key(), corpus.reports());
    const auto again = ParallelCorpus::open(mapped(written), "copy");
    expect(again.size() == corpus.size() && again.key() == corpus.key());
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto input = input_text(data, size);
  std::string bytes(input);
  if (input.starts_with('\x01')) {
    take_byte(input);
    const auto footer = take_line(input);
    try {
      bytes = with_footer(footer, input);
    } catch (const std::exception&) {
      return 0;
    }
  }
  check_corpus(bytes, ParallelCorpus::Check::kWhole);
  check_corpus(bytes, ParallelCorpus::Check::kIndex);
  return 0;
}

}  // namespace gloss
