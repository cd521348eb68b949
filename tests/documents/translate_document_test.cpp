#include "documents/translate_document.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/sentences/sentence_splitter.h"
#include "documents/sentence_translator.h"

namespace gloss {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

/// Writes sentences in upper case. Translates none once `left` calls were made.
class ShoutingTranslator final : public SentenceTranslator {
 public:
  int left = 1'000'000;
  mutable std::vector<std::size_t> calls;  ///< numbers of sentences

  std::vector<SentenceTranslation> translate(std::span<const SentenceRequest> sentences) const override {
    std::vector<SentenceTranslation> result(sentences.size());
    const bool is_late = std::ssize(calls) >= left;
    calls.push_back(sentences.size());
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      result[i].complete = !is_late;
      if (is_late) continue;
      result[i].text = sentences[i].text;
      for (auto& c : result[i].text)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return result;
  }
  bool fits(std::string_view) const override { return true; }
  bool can_spell(std::string_view) const override { return true; }
  std::vector<TextSpan> phrases(std::string_view) const override { return {}; }
};

/// A document of passages in memory. A unit is a range of its passage.
class FakeDocument final : public Document {
 public:
  /// Adds a passage with `units` units, which are its lines.
  void add(const std::string& line, std::size_t units) {
    Passage passage;
    for (std::size_t i = 0; i < units; ++i) {
      passage.units.push_back({"unit " + std::to_string(i), {line, {}}});
      passage.bytes += line + "\n";
    }
    passage.render = [line](std::span<const UnitTranslation> translations) {
      std::vector<Replacement> replacements;
      for (std::size_t i = 0; i < translations.size(); ++i) {
        const auto begin = i * (line.size() + 1);
        replacements.push_back({{begin, begin + line.size()}, {translations[i].target.text}});
      }
      return replacements;
    };
    passages_.push_back(std::move(passage));
  }
  /// Adds a passage without units.
  void add(const std::string& bytes) {
    passages_.emplace_back();
    passages_.back().bytes = bytes;
  }

  std::optional<Passage> next() override {
    if (read_ == passages_.size()) return std::nullopt;
    ++held_;
    max_held_ = std::max(max_held_, held_);
    return passages_[read_++];
  }
  void write(std::string_view bytes) override {
    EXPECT_FALSE(finished_);
    --held_;
    ++written_;
    output_ += bytes;
  }
  void finish() override {
    EXPECT_FALSE(finished_);
    finished_ = true;
  }
  double share_read() const override { return static_cast<double>(read_) / static_cast<double>(passages_.size()); }

  const std::string& output() const { return output_; }
  bool finished() const { return finished_; }
  std::size_t written() const { return written_; }
  std::size_t max_held() const { return max_held_; }

 private:
  std::vector<Passage> passages_;
  std::size_t read_ = 0, written_ = 0, held_ = 0, max_held_ = 0;
  std::string output_;
  bool finished_ = false;
};

class TranslateDocumentTest : public testing::Test {
 protected:
  UnitCounts translate() {
    const UnitTranslator units(translator_, {.splitter = rule_splitter("")});
    return translate_document(document_, units, [&](double share) { shares_.push_back(share); });
  }

  ShoutingTranslator translator_;
  FakeDocument document_;
  std::vector<double> shares_;
};

TEST_F(TranslateDocumentTest, PassagesAreWrittenInOrder) {
  document_.add("-- \n");
  document_.add("one two.", 2);
  document_.add("");
  document_.add("three", 1);
  document_.add("\nrest");
  const auto counts = translate();
  EXPECT_EQ(document_.output(), "-- \nONE TWO.\nONE TWO.\nTHREE\n\nrest");
  EXPECT_TRUE(document_.finished());
  EXPECT_EQ(document_.written(), 5u);
  EXPECT_EQ(counts.units, 3);
  EXPECT_EQ(counts.sentences, 3);
  EXPECT_EQ(counts.left, 0);
  EXPECT_THAT(translator_.calls, ElementsAre(2)) << "equal sentences are translated once, all of them together";
  EXPECT_THAT(shares_, ElementsAre(1));
}

TEST_F(TranslateDocumentTest, DocumentsWithoutUnitsAreCopied) {
  EXPECT_EQ(translate().units, 0);
  EXPECT_TRUE(document_.finished());
  EXPECT_EQ(document_.output(), "");
}

TEST_F(TranslateDocumentTest, APassageWithoutUnitsIsCopied) {
  document_.add("<hr>\n");
  document_.add("12");
  EXPECT_EQ(translate().units, 0);
  EXPECT_EQ(document_.output(), "<hr>\n12");
  EXPECT_TRUE(document_.finished());
  EXPECT_THAT(translator_.calls, IsEmpty());
}

TEST_F(TranslateDocumentTest, LongDocumentsAreTranslatedInParts) {
  std::string wanted;
  for (int i = 0; i < 5000; ++i) {
    const auto number = std::to_string(i);
    document_.add("a " + number, 1);
    wanted += "A " + number + "\n";
  }
  EXPECT_EQ(translate().units, 5000);
  EXPECT_EQ(document_.output(), wanted);
  EXPECT_LE(document_.max_held(), 1000u);
  EXPECT_THAT(translator_.calls, Each(1000));
  ASSERT_GE(shares_.size(), 5u);
  EXPECT_TRUE(std::ranges::is_sorted(shares_));
  EXPECT_EQ(shares_.back(), 1);
}

TEST_F(TranslateDocumentTest, BytesBoundWhatIsHeld) {
  for (int i = 0; i < 40; ++i) document_.add(std::string(100'000, '-'));
  translate();
  EXPECT_LE(document_.max_held(), 4u);
  EXPECT_EQ(document_.output().size(), 4'000'000u);
}

TEST_F(TranslateDocumentTest, ADocumentOfWhichUnitsAreLeftIsNotFinished) {
  for (int i = 0; i < 2500; ++i) document_.add("a " + std::to_string(i), 1);
  translator_.left = 1;
  const auto counts = translate();
  EXPECT_GT(counts.left, 0);
  EXPECT_FALSE(document_.finished());
  EXPECT_EQ(document_.written(), 1000u) << "passages with units that are left are not written";
  EXPECT_EQ(translator_.calls.size(), 2u);
}

TEST_F(TranslateDocumentTest, ProgressMayBeAbsent) {
  document_.add("one", 1);
  translate_document(document_, UnitTranslator(translator_, {.splitter = rule_splitter("")}));
  EXPECT_EQ(document_.output(), "ONE\n");
}

std::string part(std::string_view text, TextSpan span) { return std::string(span.of(text)); }

TEST(TranslateTextTest, UnitsAreLinesOrParagraphs) {
  const ShoutingTranslator translator;
  const UnitTranslator units(translator, {.splitter = rule_splitter("")});
  const std::string text = "one two. Three\n\n 12\nfour\nfive. \n \n- six";
  const std::map<SentenceMode, std::pair<int, std::vector<std::string>>> expected{
      {SentenceMode::kLine, {4, {"one two. Three", "12", "four", "five.", "six"}}},
      {SentenceMode::kParagraph, {4, {"one two.", "Three", "12", "four", "five.", "six"}}},
      {SentenceMode::kWrapped, {3, {"one two.", "Three", "12\nfour\nfive.", "six"}}}};
  for (const auto& [mode, wanted] : expected) {
    UnitCounts counts;
    const auto translation = translate_text(text, mode, units, counts);
    EXPECT_TRUE(translation.translated);
    EXPECT_EQ(translation.target.text, "ONE TWO. THREE\n\n 12\nFOUR\nFIVE. \n \n- SIX");
    EXPECT_EQ(counts.units, wanted.first);
    std::vector<std::string> sources;
    for (const auto& [target, source, confidence] : translation.sentences) {
      sources.push_back(part(text, source));
      EXPECT_EQ(part(translation.target.text, target).size(), sources.back().size());
    }
    EXPECT_EQ(sources, wanted.second);
  }
}

TEST(TranslateTextTest, ATextWithUnitsThatAreLeftIsNotTranslated) {
  ShoutingTranslator translator;
  translator.left = 0;
  UnitCounts counts;
  const auto translation = translate_text("one", SentenceMode::kParagraph,
                                          UnitTranslator(translator, {.splitter = rule_splitter("")}), counts);
  EXPECT_FALSE(translation.translated);
  EXPECT_EQ(translation.target.text, "");
}

}  // namespace
}  // namespace gloss
