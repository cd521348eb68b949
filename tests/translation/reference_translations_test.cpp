// Translations and scores against those of another program, where the environment names them:
//   GLOSS_REFERENCE_MODEL    a model file with one tokenizer
//   GLOSS_REFERENCE_INPUT    the lines that were translated
//   GLOSS_REFERENCE_RESULTS  a JSON line for each: {"line": 1, "greedy": {"ids": [...], "text": "...", "score": -1.5},
//                            "beam5_penalty0": {...}, "beam5_penalty1": {...}}
//   GLOSS_REFERENCE_MIN_LENGTH  tokens that the other program asked for before the eos; 0 where it is not set
// A score is the sum of log-probabilities, eos counted, over length^penalty; greedy is without penalty.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include <gtest/gtest.h>

#include "common/config/json.h"
#include "decoding/scorers/make_scorer.h"
#include "model/storage/model_file.h"
#include "tests/support/device_test.h"
#include "tokenizer/sentencepiece_tokenizer.h"
#include "translation/line_translator.h"

namespace gloss {
namespace {

constexpr double kTolerance = 1e-3;    // of a score
constexpr double kWantedShare = 0.99;  // of lines equal

std::vector<std::string> read_lines(const char* path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// Without eos.
std::vector<std::string> pieces_of(const LineTranslation::Candidate& candidate) {
  std::vector<std::string> pieces;
  for (const auto& token : candidate.tokens) pieces.push_back(token.piece);
  if (candidate.ended) pieces.pop_back();
  return pieces;
}

std::vector<std::string> pieces_of(const Ids& ids, const Tokenizer& tokenizer) {
  std::vector<std::string> pieces;
  for (const auto id : ids) pieces.push_back(tokenizer.piece(id));
  return pieces;
}

class ReferenceTranslationsTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    const char* results = std::getenv("GLOSS_REFERENCE_RESULTS");
    model_ = std::getenv("GLOSS_REFERENCE_MODEL");
    input_ = std::getenv("GLOSS_REFERENCE_INPUT");
    if (!model_ || !input_ || !results)
      GTEST_SKIP() << "GLOSS_REFERENCE_MODEL, GLOSS_REFERENCE_INPUT and GLOSS_REFERENCE_RESULTS name no files";
    for (const auto& line : read_lines(results)) wanted_.push_back(parse_json(line));
    ASSERT_FALSE(wanted_.empty());
  }

  void expect_equal(const std::string& setting, DecodingConfig config) {
    if (const char* tokens = std::getenv("GLOSS_REFERENCE_MIN_LENGTH")) config.min_length = std::atoi(tokens);
    const auto loaded = read_model_file(model_, device());
    const auto tokenizer =
        std::make_shared<SentencePieceTokenizer>(loaded.description.tokenizers.at("tokenizer.model"), model_);
    const LineTranslator translator(make_scorer(loaded.model, loaded.config, 1024), tokenizer, tokenizer, 1024);
    const auto translations = translator.translate(read_lines(input_), config);
    ASSERT_EQ(translations.size(), wanted_.size());

    std::size_t equal = 0;
    double largest = 0;  // difference of score between lines of equal pieces
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      const auto& wanted = wanted_[i].at(setting);
      const auto& candidate = translations[i].candidates.at(0);
      const double difference = std::abs(candidate.score - wanted.at("score").get<double>());
      const bool same_pieces = pieces_of(candidate) == pieces_of(wanted.at("ids").get<Ids>(), *tokenizer);
      if (same_pieces) largest = std::max(largest, difference);
      if (same_pieces && difference <= kTolerance && candidate.text == wanted.at("text").get<std::string>()) {
        ++equal;
        continue;
      }
      std::cout << setting << ", line " << i + 1 << ": wanted " << wanted.at("score") << " " << wanted.at("text")
                << "\n  got " << candidate.score << " " << candidate.text << "\n";
    }
    std::cout << setting << ": " << equal << " of " << wanted_.size() << " lines equal, largest difference of score "
              << largest << "\n";
    EXPECT_GE(static_cast<double>(equal), kWantedShare * static_cast<double>(wanted_.size()));
  }

 private:
  const char* model_ = nullptr;
  const char* input_ = nullptr;
  std::vector<Json> wanted_;
};

TEST_P(ReferenceTranslationsTest, Greedy) { expect_equal("greedy", {.beam_size = 1, .length_penalty = 0}); }

TEST_P(ReferenceTranslationsTest, BeamWithoutLengthPenalty) {
  expect_equal("beam5_penalty0", {.beam_size = 5, .length_penalty = 0});
}

TEST_P(ReferenceTranslationsTest, BeamWithLengthPenalty) {
  expect_equal("beam5_penalty1", {.beam_size = 5, .length_penalty = 1});
}

INSTANTIATE_DEVICES(ReferenceTranslationsTest);

}  // namespace
}  // namespace gloss
