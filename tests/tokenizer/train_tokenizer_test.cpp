#include "tokenizer/train_tokenizer.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/temporary_folder.h"
#include "tests/tokenizer/training_text.h"
#include "tokenizer/sentencepiece_tokenizer.h"
#include "tokenizer/tokenizer.h"

namespace gloss {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;
using testing::ThrowsMessage;

TEST(TrainTokenizerTest, HasAsManyPiecesAsAskedFor) {
  const auto pieces = [](TokenizerType type) {
    return SentencePieceTokenizer(train_on(training_text(), small_config(type)), "m").vocabulary_size();
  };
  EXPECT_EQ(pieces(TokenizerType::kBpe), 180);
  EXPECT_EQ(pieces(TokenizerType::kUnigram), 120);
  EXPECT_LT(pieces(TokenizerType::kChar), 180);
}

TEST(TrainTokenizerTest, EqualTextGivesEqualBytesAtAnyPath) {
  for (const auto type : {TokenizerType::kBpe, TokenizerType::kUnigram, TokenizerType::kChar})
    EXPECT_EQ(train_on(training_text(), small_config(type)), train_on(training_text(), small_config(type)));
}

TEST(TrainTokenizerTest, SymbolsAreOnePieceEachAndStayText) {
  for (const auto type : {TokenizerType::kBpe, TokenizerType::kUnigram, TokenizerType::kChar})
    for (const bool bytes : {false, true}) {
      auto config = small_config(type);
      config.symbols = {"<BT>", "a,b", "x\"y", "<B"};
      config.byte_fallback = bytes;
      if (bytes) config.vocabulary_size = 380;
      const SentencePieceTokenizer tokenizer(train_on(training_text() + "<BT> A small river.\n", config), "m");
      for (Id i = 0; i < 4; ++i) EXPECT_EQ(tokenizer.piece(4 + i), config.symbols[static_cast<std::size_t>(i)]);
      const auto pieces = [&](const std::string& line) {
        std::string text;
        for (const auto id : tokenizer.encode(line)) {
          if (!text.empty()) text += ' ';
          text += tokenizer.piece(id);
        }
        return text;
      };
      EXPECT_THAT(pieces("<BT> A small river."), StartsWith("\u2581 <BT> \u2581"));
      EXPECT_EQ(pieces("<BT>a,bx\"y<B"), "\u2581 <BT> a,b x\"y <B") << "within a word, too";
      const std::string line = "<BT> A small river.";
      EXPECT_EQ(tokenizer.decode(tokenizer.encode(line)), line);
      EXPECT_NO_THROW(expect_symbols(tokenizer, config.symbols, "m"));
      EXPECT_THAT(
          [&] {
            expect_symbols(tokenizer, std::vector<std::string>{"<BT>", "<FT>"}, "m");
          },
          ThrowsMessage<UsageError>(HasSubstr("wanted symbols of m, got <FT>,")));
    }
}

TEST(TrainTokenizerTest, ModelHoldsNoPath) {
  const TemporaryFolder folder;
  write_text(folder / "secret-name", training_text());
  const std::array files{folder / "secret-name"};
  const auto model = train_tokenizer(files, small_config());
  EXPECT_THAT(model, Not(HasSubstr("secret-name")));
  EXPECT_THAT(model, Not(HasSubstr(folder.path().filename().string())));
}

TEST(TrainTokenizerTest, ReadsAllFiles) {
  const TemporaryFolder folder;
  const auto text = training_text();
  const auto half = text.find('\n', text.size() / 2) + 1;
  write_text(folder / "a", text.substr(0, half));
  write_text(folder / "empty", "");
  write_text(folder / "b", text.substr(half));
  const std::array files{folder / "a", folder / "empty", folder / "b"};
  EXPECT_EQ(train_tokenizer(files, small_config()), train_on(text, small_config()));
}

TEST(TrainTokenizerTest, ExcessLinesAreSampledEvenlyAndReported) {
  const TemporaryFolder folder;
  std::string all, third;
  std::istringstream lines(training_text());
  for (std::string line; std::getline(lines, line); third += line + "\n")
    all += "\u03a9 not taken\n\u03a9 nor this\n" + line + "\n";
  const auto half = all.find('\n', all.size() / 2) + 1;
  write_text(folder / "a", all.substr(0, half));
  write_text(folder / "b", all.substr(half));
  const std::array files{folder / "a", folder / "b"};
  const auto count = std::ranges::count(third, '\n');
  testing::internal::CaptureStderr();
  EXPECT_EQ(train_tokenizer(files, small_config(), count), train_on(third, small_config()));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("trained on " + std::to_string(count) + " of " + std::to_string(3 * count) + " lines"));
  testing::internal::CaptureStderr();
  EXPECT_NE(train_tokenizer(files, small_config(), 3 * count), train_on(third, small_config()));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(TrainTokenizerTest, SkippedLinesAreCountedAndNamedByFile) {
  const TemporaryFolder folder;
  write_text(folder / "a", "\n\xFF\n" + training_text() + std::string(4193, 'q') + "\n");
  write_text(folder / "b", training_text() + "last\n");
  write_text(folder / "c", "n\0ul\n\xC3(\n"s + std::string(100'000, 'z') + "\n" + std::string(4192, 'a') + "\n");
  const std::array files{folder / "a", folder / "b", folder / "c"};
  testing::internal::CaptureStderr();
  train_tokenizer(files, small_config());
  const auto warnings = testing::internal::GetCapturedStderr();
  const auto line = [](const std::string& file, const std::string& text) { return HasSubstr(file + ": " + text); };
  const auto lines_of_a = std::ranges::count(training_text(), '\n') + 3;
  EXPECT_THAT(warnings, line("/a", "1 line left out of the tokenizer's training: not UTF-8 (first lines: 2)\n"));
  EXPECT_THAT(warnings, line("/a",
                             "1 line left out of the tokenizer's training: longer than 4192 bytes "
                             "(first lines: " +
                                 std::to_string(lines_of_a) + ")\n"));
  EXPECT_THAT(warnings, line("/c", "2 lines left out of the tokenizer's training: not UTF-8 (first lines: 1, 2)\n"));
  EXPECT_THAT(warnings, line("/c",
                             "1 line left out of the tokenizer's training: longer than 4192 bytes "
                             "(first lines: 3)\n"));
  EXPECT_EQ(std::ranges::count(warnings, '\n'), 4);
}

TEST(TrainTokenizerTest, UnusableLinesChangeNothing) {
  const auto clean = training_text();
  const auto dirty = "\xEF\xBB\xBF\n\xFF broken Ω\nNUL \0 Ω\n"s + std::string(5000, 'q') + "\n" +
                     std::string(100'000, 'z') + "\n" + clean;
  EXPECT_EQ(train_on(dirty, small_config()), train_on(clean, small_config()));
}

TEST(TrainTokenizerTest, TooManyPiecesNamesTheMaximum) {
  for (const auto type : {TokenizerType::kBpe, TokenizerType::kUnigram}) {
    auto config = small_config(type);
    config.vocabulary_size = 5000;
    std::string message;
    try {
      train_on(training_text(), config);
    } catch (const UsageError& error) {
      message = error.what();
    }
    ASSERT_THAT(message, MatchesRegex("tokenizer.vocabulary_size: wanted at most [0-9]+, got 5000; .*"));
    config.vocabulary_size = std::stoll(message.substr(message.find("most ") + 5));
    EXPECT_EQ(SentencePieceTokenizer(train_on(training_text(), config), "m").vocabulary_size(), config.vocabulary_size);
  }
}

TEST(TrainTokenizerTest, OneOfTwoTokenizersTakesAsManyPiecesAsItsTextHas) {
  for (const auto type : {TokenizerType::kBpe, TokenizerType::kUnigram}) {
    auto config = small_config(type);
    config.joint = false;
    config.vocabulary_size = 5000;
    const auto smaller = SentencePieceTokenizer(train_on(training_text(), config), "m").vocabulary_size();
    EXPECT_LT(smaller, 5000);
    config.joint = true;
    config.vocabulary_size = smaller;
    EXPECT_NO_THROW(train_on(training_text(), config));
    config.vocabulary_size = smaller + 1;
    EXPECT_THROW(train_on(training_text(), config), UsageError) << "it was the maximum";
  }
}

TEST(TrainTokenizerTest, TooFewPiecesForTheCharactersNamesTheMinimum) {
  auto config = small_config();
  config.vocabulary_size = 20;
  EXPECT_THAT(
      [&] { train_on(training_text(), config); },
      ThrowsMessage<UsageError>(MatchesRegex("tokenizer.vocabulary_size: wanted at least 1[0-9]+, got 20; .*")));
}

TEST(TrainTokenizerTest, RefusesTextWithoutALine) {
  for (const auto& text : {""s, "\n\n"s, "\xFF\n"s, "   \n \n"s})
    EXPECT_THROW(train_on(text, small_config()), DataError) << text;
}

TEST(TrainTokenizerTest, RefusesFilesThatAreNotText) {
  const TemporaryFolder folder;
  write_text(folder / "good", training_text());
  const std::array files{folder / "good", folder / "absent"};
  EXPECT_THAT([&] { train_tokenizer(files, small_config()); }, ThrowsMessage<DataError>(HasSubstr("absent: ")));
}

TEST(TrainTokenizerTest, WritesNothingToStderr) {
  testing::internal::CaptureStderr();
  train_on(training_text(), small_config());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

std::vector<std::string> taken(TrainingSample& sample) {
  std::vector<std::string> lines;
  for (std::string line; sample.take(line);) lines.push_back(line);
  return lines;
}

TEST(TrainingSampleTest, HasTheUsableLinesInOrder) {
  TrainingSample sample(10);
  sample.add("one", true);
  sample.add(" \t", true);
  sample.add("broken", false);
  sample.add(std::string(UnusableLines::kMaxLineBytes + 1, 'x'), true);
  sample.add("two words", true);
  EXPECT_EQ(sample.lines(), 5);
  EXPECT_THAT(sample.unusable().not_utf8.first_lines, ElementsAre(3));
  EXPECT_THAT(sample.unusable().too_long.first_lines, ElementsAre(4));
  EXPECT_THAT(taken(sample), ElementsAre("one", "two words"));
}

TEST(TrainingSampleTest, HoldsManyBlocks) {
  TrainingSample sample(1'000'000);
  std::vector<std::string> lines;
  for (int i = 0; i < 1000; ++i) lines.push_back(std::to_string(i) + std::string(4000, 'y'));
  for (const auto& line : lines) sample.add(line, true);
  EXPECT_EQ(taken(sample), lines);
}

TEST(TrainingSampleTest, OnlyCountsTheLinesOfALongText) {
  TrainingSample sample(2);
  for (int i = 0; i < 3; ++i) sample.add("line", true);
  EXPECT_FALSE(sample.complete());
  EXPECT_EQ(sample.lines(), 3);
  EXPECT_THAT(taken(sample), IsEmpty());
}

}  // namespace
}  // namespace gloss
