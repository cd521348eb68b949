#include "tests/data/letter_tokenizer.h"

#include <fstream>

#include "common/files/mapped_file.h"
#include "common/system/descriptor.h"
#include "data/corpus_writer.h"

namespace gloss {

Ids LetterTokenizer::encode(std::string_view line) const {
  Ids ids;
  for (const char letter : line)
    if (letter != ' ') ids.push_back(4 + static_cast<unsigned char>(letter));
  return ids;
}

std::string LetterTokenizer::decode(std::span<const Id> ids) const {
  std::string text;
  for (const Id id : ids)
    if (id > kEos) text += static_cast<char>(id - 4);
  return text;
}

CorpusFiles::CorpusFiles(const std::string& source_text, const std::string& target_text) {
  std::ofstream(source(), std::ios::binary) << source_text;
  std::ofstream(target(), std::ios::binary) << target_text;
}

ParallelCorpus read_with_links(const CorpusFiles& files, const std::string& alignment, const Tokenizer& source,
                               EncodingOptions options) {
  const TemporaryFolder folder;
  std::ofstream(folder / "links") << alignment;
  const TextFiles text{files.source(), files.target(), folder / "links"};
  const auto cache = folder / "cache";
  std::ofstream file(cache, std::ios::binary);
  CorpusWriter links(
      [&](std::span<const std::byte> bytes) {
        file.write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
      },
      256, 0);
  options.links = &links;
  auto corpus = ParallelCorpus::read({&text, 1}, source, source.tag() ? source.untagged() : source, options);
  links.finish({}, corpus.reports());
  file.close();
  corpus.set_links(ParallelCorpus::open(MappedFile(open_regular_file(cache)->descriptor, cache), cache));
  return corpus;
}

}  // namespace gloss
