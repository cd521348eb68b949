#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/system/signals.h"
#include "common/system/stop.h"
#include "run/config/initial_weights.h"
#include "run/run_tokenizers.h"
#include "tests/run/small_job.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Reading of training.initial_embeddings, without a model.
class InitialEmbeddingsTest : public testing::Test {
 protected:
  InitialEmbeddingsTest() { testing::internal::CaptureStderr(); }
  ~InitialEmbeddingsTest() override { testing::internal::GetCapturedStderr(); }

  static std::string vector_of(const std::string& word, int first = 1) {
    std::string line = word;
    for (int i = 0; i < 8; ++i) line += ' ' + std::to_string(first + i);
    return line;
  }
  std::string write(const std::string& name, const std::vector<std::string>& lines) const {
    write_lines(job_ / name, lines);
    return job_ / name;
  }
  Json read() {
    const RunTokenizers tokenizers(job_.config, RunFolder(job_ / "run", false, false));
    InitialWeights weights(job_.config);
    weights.read_embeddings(*tokenizers.source(), *tokenizers.target());
    return weights.hashes();
  }
  std::string printed() {
    auto text = testing::internal::GetCapturedStderr();
    testing::internal::CaptureStderr();
    return text;
  }

  SmallJob job_;
};

TEST_F(InitialEmbeddingsTest, EachSideHasVectorsOfItsOwnTokenizersPieces) {
  job_.use_two_tokenizers(TieEmbeddings::kNone);
  auto& files = job_.config.training.initial_embeddings;
  files.source = write("source", {vector_of("a"), vector_of("A")});
  files.target = write("target", {vector_of("A"), vector_of("B"), vector_of("a")});
  read();
  const auto text = printed();
  EXPECT_THAT(text, HasSubstr("initial_embeddings.source: vectors for 1 of "));
  EXPECT_THAT(text, HasSubstr("initial_embeddings.target: vectors for 2 of "));
}

TEST_F(InitialEmbeddingsTest, TheirHashIsOfPiecesAndNumbers) {
  auto& source = job_.config.training.initial_embeddings.source;
  source = write("vectors", {vector_of("a"), vector_of("b", 9)});
  const auto hashes = read();
  write("vectors", {"2 8", vector_of("b", 9), vector_of("a")});
  EXPECT_EQ(read(), hashes) << "in another order";
  write("vectors", {vector_of("a"), vector_of("e", 9)});
  EXPECT_NE(read(), hashes) << "of other pieces";
  write("vectors", {vector_of("a"), vector_of("b", 8)});
  EXPECT_NE(read(), hashes);
}

TEST_F(InitialEmbeddingsTest, OneUnusableLineIsWarnedOfAndAHeadingThatIsRightIsNot) {
  auto& source = job_.config.training.initial_embeddings.source;
  std::vector<std::string> lines = {"200 8", vector_of("a")};
  while (lines.size() < 201) lines.push_back(vector_of("word" + std::to_string(lines.size())));
  source = write("vectors", lines);
  read();
  EXPECT_THAT(printed(), Not(HasSubstr("warning")));
  lines[7] = "word and no numbers";
  write("vectors", lines);
  read();
  EXPECT_THAT(printed(), HasSubstr("1 lines left out: not a word and 8 finite numbers (first lines: 8)"));
}

TEST_F(InitialEmbeddingsTest, ASignalEndsTheReading) {
  job_.config.training.initial_embeddings.source = write("vectors", {vector_of("a")});
  const RunTokenizers tokenizers(job_.config, RunFolder(job_ / "run", false, false));
  InitialWeights weights(job_.config);
  {
    const StopOnSignal stop;
    std::raise(SIGTERM);
    EXPECT_THROW(weights.read_embeddings(*tokenizers.source(), *tokenizers.target()), Stopped);
  }
  const StopOnSignal forgets_the_signal;
}

}  // namespace
}  // namespace gloss
