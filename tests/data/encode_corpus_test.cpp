#include "data/encode_corpus.h"

#include <atomic>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/data/letter_tokenizer.h"

namespace gloss {
namespace {

using testing::ElementsAre;

const LetterTokenizer kAlphabet;
constexpr int kLines = 10'000;  // more than the tasks below take at once

// Writes good lines with some empty, long, broken and overlong ones among them.
std::string text(int offset) {
  std::string text;
  for (int i = 0; i < kLines; ++i) {
    const int kind = (i + offset) % 997;
    if (kind == 0)
      text += "";
    else if (kind == 1)
      text += std::string(300, 'l');
    else if (kind == 2)
      text += "\xff";
    else if (kind == 3)
      text += std::string(70'000, 'o');
    else
      text += std::to_string(i * offset);
    text += '\n';
  }
  return text;
}

struct Encoded {
  std::string file;
  CorpusReport report;
};

Encoded encode(const CorpusFiles& files, int threads, const Tokenizer& tokenizer = kAlphabet) {
  Encoded encoded;
  CorpusWriter writer(
      [&](std::span<const std::byte> bytes) {
        encoded.file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      },
      tokenizer.vocabulary_size(), 256);
  encoded.report = encode_corpus({files.source(), files.target(), &tokenizer, &tokenizer},
                                 {.max_length = 256, .before_pair = {}, .threads = threads}, writer);
  writer.finish({}, encoded.report);
  return encoded;
}

TEST(EncodeCorpusTest, AnyNumberOfThreadsGivesTheSameFile) {
  const CorpusFiles files(text(1), text(7));
  const auto wanted = encode(files, 1);
  EXPECT_EQ(wanted.report.lines, kLines);
  EXPECT_EQ(wanted.report.empty.count, 20);
  EXPECT_THAT(wanted.report.invalid_utf8.first_lines, ElementsAre(2, 993, 999, 1990, 1996)) << "in order of the lines";
  for (const int threads : {2, 3, 7}) EXPECT_TRUE(encode(files, threads).file == wanted.file) << threads;
}

// Throws at one line, and counts the lines before.
class FailingTokenizer final : public Tokenizer {
 public:
  Ids encode(std::string_view line) const override {
    ++lines;
    if (line == "5000") throw ModelError("line 5000");
    return kAlphabet.encode(line);
  }
  std::string decode(std::span<const Id> ids) const override { return kAlphabet.decode(ids); }
  std::int64_t vocabulary_size() const override { return kAlphabet.vocabulary_size(); }
  const std::string& serialized() const override { return kAlphabet.serialized(); }

  mutable std::atomic<int> lines = 0;
};

TEST(EncodeCorpusTest, AnExceptionOfATaskEndsTheReadingSoonAfter) {
  const CorpusFiles files(text(1), text(1));
  const FailingTokenizer tokenizer;
  int read = 0;
  CorpusWriter writer([](std::span<const std::byte>) {}, 1000, 256);
  EXPECT_THROW(encode_corpus({files.source(), files.target(), &tokenizer, &tokenizer},
                             {.max_length = 256, .before_pair = [&] { ++read; }, .threads = 2}, writer),
               ModelError);
  EXPECT_GT(read, 5000);
  EXPECT_LE(read, 5000 + 2 * 2048 + 1);
}

}  // namespace
}  // namespace gloss
