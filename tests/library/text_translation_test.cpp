// Translator::translate_text and translate_file, and split_sentences.
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gloss/translator.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/library/translator_test.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using testing::ThrowsMessage;

const std::string kText =
    "  Ana baka dalo. Yoze ana!\n\nFugo hina\tjoka? Lemu mo nipa.  Sive waxi yoze.\r\n ana baka dalo emi\n\n";

constexpr auto kMemory = R"(<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4">
<header creationtool="t" creationtoolversion="1" segtype="sentence" o-tmf="t" adminlang="en" srclang="en"
 datatype="plaintext"/>
<body><tu><tuv xml:lang="en"><seg>Ana baka.</seg></tuv><tuv xml:lang="de"><seg>Bekannt hier.</seg></tuv></tu></body>
</tmx>
)";

std::string part_of(const std::string& text, const Translation::Span& span) {
  return text.substr(span.begin, span.end - span.begin);
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}
std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Expects spans that ascend, are not empty and lie in both texts, and the same text between them in both.
void expect_equal_gaps(const std::string& text, const TextTranslation& translation) {
  std::size_t source = 0, target = 0;
  for (const auto& sentence : translation.sentences) {
    ASSERT_LE(source, sentence.source.begin);
    ASSERT_LE(target, sentence.target.begin);
    ASSERT_LT(sentence.source.begin, sentence.source.end);
    ASSERT_LT(sentence.target.begin, sentence.target.end);
    ASSERT_LE(sentence.source.end, text.size());
    ASSERT_LE(sentence.target.end, translation.text.size());
    EXPECT_EQ(part_of(text, {source, sentence.source.begin}),
              part_of(translation.text, {target, sentence.target.begin}));
    source = sentence.source.end;
    target = sentence.target.end;
  }
  EXPECT_EQ(text.substr(source), translation.text.substr(target));
}

class TextTranslationTest : public TranslatorTest {
 protected:
  Translator aligning() const { return Translator(kModel, {.device = device(), .threads = 1, .alignment = true}); }

  TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Devices, TextTranslationTest, testing::Values("cpu", "gpu"),
                         [](const auto& device) { return device.param; });

TEST_P(TextTranslationTest, SentencesNameBytesOfBothTexts) {
  for (const auto split : {SentenceSplit::kLine, SentenceSplit::kParagraph, SentenceSplit::kWrapped}) {
    const auto translation = translator().translate_text(kText, {.split = split});
    EXPECT_TRUE(translation.complete());
    expect_equal_gaps(kText, translation);
    const auto spans = split_sentences(kText, "", split);
    ASSERT_THAT(translation.sentences, SizeIs(spans.size()));
    for (std::size_t i = 0; i < spans.size(); ++i) {
      EXPECT_EQ(translation.sentences[i].source.begin, spans[i].begin);
      EXPECT_EQ(translation.sentences[i].source.end, spans[i].end);
    }
  }
}

TEST_P(TextTranslationTest, SentencesAreThoseOfLines) {
  const auto translation = translator().translate_text(kText);
  std::vector<std::string> lines;
  for (const auto& sentence : translation.sentences) {
    lines.push_back(part_of(kText, sentence.source));
    for (auto& letter : lines.back())
      if (letter == '\t') letter = ' ';
  }
  ASSERT_THAT(lines, SizeIs(6));
  const auto found = translator().translate(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& sentence = translation.sentences[i];
    EXPECT_EQ(part_of(translation.text, sentence.target), found[i].text());
    const auto& best = found[i].candidates[0];
    EXPECT_NEAR(sentence.confidence,
                std::exp(best.log_probability / static_cast<double>(best.token_log_probabilities.size())), 1e-12);
  }
}

TEST_P(TextTranslationTest, OptionsOfTheSearchAreUsed) {
  const auto translation =
      translator().translate_text("ana baka.", {.search = {.beam_size = 1, .max_length = 12, .min_length = 4}});
  EXPECT_EQ(translation.text,
            translator().translate_line("ana baka.", {.beam_size = 1, .max_length = 12, .min_length = 4}).text());
  const auto forced =
      translator().translate_text("ana baka dalo. Emi ana.", {.search = {.glossary = {{"ana", "lemu mo"}}}});
  ASSERT_THAT(forced.sentences, SizeIs(2));
  for (const auto& sentence : forced.sentences)
    EXPECT_THAT(part_of(forced.text, sentence.target), HasSubstr("lemu mo"));
}

TEST_P(TextTranslationTest, TextsWithoutSentencesStay) {
  for (const std::string text : {"", " ", "\n\r\n \t\n"}) {
    const auto translation = translator().translate_text(text);
    EXPECT_TRUE(translation.complete());
    EXPECT_EQ(translation.text, text);
    EXPECT_THAT(translation.sentences, IsEmpty());
  }
}

TEST_P(TextTranslationTest, LinesOfNumbersStay) {
  const std::string text = "12\nana baka\n3.5\n";
  write(folder_ / "in.txt", text);
  translator().translate_file(folder_ / "in.txt", folder_ / "out.txt");
  const auto translation = translator().translate_text(text);
  EXPECT_EQ(translation.text, read(folder_ / "out.txt"));
  EXPECT_THAT(translation.text, StartsWith("12\n"));
}

TEST_P(TextTranslationTest, PlaceholdersStay) {
  for (const auto& model : {translator(), aligning()}) {
    const std::string text = "Ana {name} baka. See https://a.org/b now.";
    const auto translation = model.translate_text(text);
    EXPECT_THAT(translation.text, testing::AllOf(HasSubstr("{name}"), HasSubstr("https://a.org/b")));
    EXPECT_LT(translation.text.find("{name}"), translation.text.find("https://"));
    for (const auto& [source, target, confidence] : translation.sentences) {
      EXPECT_LE(source.end, text.size());
      EXPECT_LE(target.end, translation.text.size());
    }
  }
}

TEST_P(TextTranslationTest, SpansAreOfTheCallersBytes) {
  const std::string text = "ana \xff baka. Yoze \xc3 ana.";
  try {
    const auto translation = translator().translate_text(text);
    ASSERT_FALSE(translation.sentences.empty());
    EXPECT_EQ(translation.sentences.back().source.end, text.size());
  } catch (const TranslatorError& error) {  // a refusal is right, too, as that of split_sentences
    EXPECT_THAT(error.what(), HasSubstr("UTF-8"));
  }
}

TEST_P(TextTranslationTest, TagsOfWebPagesStay) {
  const std::string before = "<!DOCTYPE html><!-- ana --><script>ana</script><p class=x>",
                    after = "</p>\r\n<p translate=no>emi</p>";
  for (const auto& model : {translator(), aligning()}) {
    const auto page = model.translate_text(before + "ana <b>baka</b> dalo." + after, {.format = "html"});
    EXPECT_TRUE(page.complete());
    EXPECT_EQ(page.units, 1);
    EXPECT_THAT(page.sentences, IsEmpty());
    ASSERT_TRUE(page.text.starts_with(before)) << page.text;
    ASSERT_TRUE(page.text.ends_with(after)) << page.text;
    const auto opening = page.text.find("<b>");
    EXPECT_LT(opening, page.text.find("</b>", opening));
    EXPECT_THAT(page.text, Not(HasSubstr("baka")));
  }
}

TEST_P(TextTranslationTest, ATranslationMemoryIsUsed) {
  write(folder_ / "m.tmx", kMemory);
  const auto mixed = translator().translate_text("Ana baka. Yoze ana.", {.memory = folder_ / "m.tmx"});
  EXPECT_THAT(mixed.text, StartsWith("Bekannt hier. "));
  ASSERT_THAT(mixed.sentences, SizeIs(2));
  EXPECT_EQ(mixed.sentences[0].confidence, 1);
  EXPECT_LT(mixed.sentences[1].confidence, 1);
  EXPECT_EQ(mixed.from_memory, 0);

  const auto whole = translator().translate_text("Ana  baka.", {.memory = folder_ / "m.tmx"});
  EXPECT_EQ(whole.text, "Bekannt hier.");
  EXPECT_EQ(whole.from_memory, 1);
}

TEST_P(TextTranslationTest, ATextOfAMemoryHasItsSentenceAndItsWhiteSpace) {
  write(folder_ / "m.tmx", kMemory);
  const auto translation = translator().translate_text(" Ana baka.\n", {.memory = folder_ / "m.tmx"});
  EXPECT_EQ(translation.text, " Bekannt hier.\n");
  ASSERT_THAT(translation.sentences, SizeIs(1));
  EXPECT_EQ(translation.sentences[0].confidence, 1);
  expect_equal_gaps(" Ana baka.\n", translation);
}

TEST_P(TextTranslationTest, SentencesMayBeCutByTheRulesOfAFile) {
  write(folder_ / "bar.srx", R"(<?xml version="1.0"?>
<srx xmlns="http://www.lisa.org/srx20" version="2.0"><header segmentsubflows="yes" cascade="no"/><body>
<languagerules><languagerule languagerulename="bar">
<rule break="yes"><beforebreak>\|</beforebreak><afterbreak>\s</afterbreak></rule>
</languagerule></languagerules>
<maprules><languagemap languagepattern=".*" languagerulename="bar"/></maprules></body></srx>
)");
  try {
    const auto translation = translator().translate_text("ana| baka. Yoze ana", {.srx = folder_ / "bar.srx"});
    ASSERT_THAT(translation.sentences, SizeIs(2));
    EXPECT_EQ(translation.sentences[0].source.end, 4u);
    EXPECT_EQ(translation.sentences[1].source.begin, 5u);
  } catch (const TranslatorUsageError& error) {
    if (std::string(error.what()).find("built without ICU") == std::string::npos) throw;
    GTEST_SKIP() << error.what();
  }
}

TEST_P(TextTranslationTest, AfterADeadlineThereIsNoText) {
  const TranslationOptions late{.deadline = steady_clock::now() - 1s};
  write(folder_ / "in.txt", kText);
  write(folder_ / "old.txt", "old");
  for (const auto* format : {"", "txt", "html", "markdown"}) {
    const auto translation = translator().translate_text(kText, {.search = late, .format = format});
    EXPECT_EQ(translation.status, Translation::Status::kDeadline);
    EXPECT_FALSE(translation.complete());
    EXPECT_THAT(translation.text, IsEmpty());
    EXPECT_THAT(translation.sentences, IsEmpty());
  }
  for (const auto* output : {"new.txt", "old.txt"})
    EXPECT_EQ(translator().translate_file(folder_ / "in.txt", folder_ / output, {.search = late}).status,
              Translation::Status::kDeadline);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new.txt"));
  EXPECT_EQ(read(folder_ / "old.txt"), "old");
}

TEST_P(TextTranslationTest, ACanceledCallHasNoText) {
  std::stop_source stop;
  stop.request_stop();
  const auto translation = translator().translate_text(kText, {.search = {.stop = stop.get_token()}});
  EXPECT_EQ(translation.status, Translation::Status::kCancelled);
  EXPECT_THAT(translation.text, IsEmpty());
}

TEST_P(TextTranslationTest, OptionsOfLinesAreRefused) {
  write(folder_ / "in.txt", "ana");
  const auto refuse = [&](const TranslationOptions& search, const std::string& name) {
    const auto message = HasSubstr(name + ": ");
    EXPECT_THAT([&] { translator().translate_text("ana", {.search = search}); },
                ThrowsMessage<TranslatorUsageError>(message));
    EXPECT_THAT([&] { translator().translate_text("<p>ana", {.search = search, .format = "html"}); },
                ThrowsMessage<TranslatorUsageError>(message));
    EXPECT_THAT([&] { translator().translate_file(folder_ / "in.txt", folder_ / "out.txt", {.search = search}); },
                ThrowsMessage<TranslatorUsageError>(message));
  };
  refuse({.n_best = 2}, "n_best");
  refuse({.sample = true}, "sample");
  refuse({.prefixes = {"ana"}}, "prefixes");
  refuse({.on_token = [](const StreamedToken&) { return true; }}, "on_token");
  refuse({.on_result = [](std::size_t, const Translation&) { return true; }}, "on_result");
  refuse({.confidence = true}, "confidence");
  refuse({.alignment = true}, "alignment");
  refuse({.replace_unknown = true}, "replace_unknown");
  refuse({.alignment_from = "decoder.1.cross"}, "alignment");
  refuse({.beam_size = 0}, "beam_size");
  refuse({.top_k = 2}, "top_k");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.txt"));
}

TEST_P(TextTranslationTest, APreparedGlossaryIsRefused) {
  const std::vector<GlossaryEntry> entries{{"ana", "lemu mo"}};
  const TranslationOptions search{.prepared_glossary = translator().prepare(entries)};
  EXPECT_THAT([&] { translator().translate_text("ana", {.search = search}); },
              ThrowsMessage<TranslatorUsageError>(HasSubstr("prepared_glossary: ")));
}

TEST_P(TextTranslationTest, APhraseThatTheModelCannotWriteIsTheSameErrorAsForLines) {
  const TranslationOptions search{.glossary = {{"ana", "\u4e00"}}};
  EXPECT_THROW(translator().translate_line("ana", search), TranslatorUsageError);
  EXPECT_THROW(translator().translate_text("ana", {.search = search}), TranslatorUsageError);
}

TEST_P(TextTranslationTest, FormatsAreChecked) {
  for (const auto* format : {"odf", "htmls", "docx", "epub"})  // the last two are no texts
    EXPECT_THAT([&] { translator().translate_text("ana", {.format = format}); },
                ThrowsMessage<TranslatorUsageError>(HasSubstr("format: wanted")));
  EXPECT_THAT([&] { translator().translate_text("{\"a\"", {.format = "json"}); },
              ThrowsMessage<TranslatorError>(HasSubstr("wanted JSON")));
}

TEST_P(TextTranslationTest, FilesHaveTheFormatOfTheirNames) {
  const std::string page = "<p translate=no>ana</p><p>ana <i>baka</i></p>";
  write(folder_ / "in.html", page);
  write(folder_ / "in.txt", "ana baka.\n\nemi\n");
  const auto translation = translator().translate_file(folder_ / "in.html", folder_ / "out.html");
  EXPECT_TRUE(translation.complete());
  EXPECT_EQ(translation.units, 1);
  EXPECT_EQ(read(folder_ / "out.html"), translator().translate_text(page, {.format = "html"}).text);
  EXPECT_EQ(translator().translate_file(folder_ / "in.txt", folder_ / "out.txt").units, 2);
  EXPECT_EQ(read(folder_ / "out.txt"), translator().translate_text("ana baka.\n\nemi\n").text);
  translator().translate_file(folder_ / "in.html", folder_ / "out.txt", {.format = "txt"});
  EXPECT_EQ(read(folder_ / "out.txt"), translator().translate_text(page).text);
}

TEST_P(TextTranslationTest, FilesThatCannotBeTranslatedLeaveTheOutput) {
  write(folder_ / "in.pdf", "%PDF-1.4\n");
  write(folder_ / "in.other", "ana");
  write(folder_ / "in.txt", "ana \xff");
  write(folder_ / "in.xlf", "<xliff><file>");
  write(folder_ / "out", "old");
  for (const auto* input : {"in.pdf", "in.other", "in.txt", "in.xlf", "none.txt", "none.html"}) {
    EXPECT_THROW(translator().translate_file(folder_ / input, folder_ / "out"), TranslatorError) << input;
    EXPECT_EQ(read(folder_ / "out"), "old");
  }
  EXPECT_THAT([&] { translator().translate_file(folder_ / "in.pdf", folder_ / "out"); },
              ThrowsMessage<TranslatorError>(HasSubstr("cannot translate pdf")));
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_.path())) ++files;
  EXPECT_EQ(files, 5u);
}

TEST_P(TextTranslationTest, ThreadsShareOneWithEqualResults) {
  const Translator model(kModel, {.device = device(), .threads = 2, .alignment = true});
  const std::string page = "<p>ana <b>baka</b> dalo.</p><p>Yoze {name} ana.</p>";
  const auto text = model.translate_text(kText).text,
             translated_page = model.translate_text(page, {.format = "html"}).text;
  std::vector<std::vector<std::string>> found(4);
  std::vector<std::thread> threads;
  for (auto& of_thread : found)
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) {
        of_thread.push_back(model.translate_text(kText).text);
        of_thread.push_back(model.translate_text(page, {.format = "html"}).text);
      }
    });
  for (auto& thread : threads) thread.join();
  for (const auto& of_thread : found)
    for (std::size_t i = 0; i < of_thread.size(); ++i) EXPECT_EQ(of_thread[i], i % 2 == 0 ? text : translated_page);
}

TEST(SplitTextTest, LanguagesAndLinesDecide) {
  const auto sentences = [](const std::string& text, const std::string& language, SentenceSplit split) {
    std::vector<std::string> result;
    for (const auto& span : split_sentences(text, language, split)) result.push_back(part_of(text, span));
    return result;
  };
  using testing::ElementsAre;
  const std::string text = " Ein Hund, z. B. Rex. Er bellt.\nUnd\n\nschl\u00e4ft. ";
  EXPECT_THAT(sentences(text, "de", SentenceSplit::kParagraph),
              ElementsAre("Ein Hund, z. B. Rex.", "Er bellt.", "Und", "schl\u00e4ft."));
  EXPECT_THAT(sentences(text, "de", SentenceSplit::kLine),
              ElementsAre("Ein Hund, z. B. Rex. Er bellt.", "Und", "schl\u00e4ft."));
  EXPECT_THAT(sentences("Ein\nHund. Er\n\nbellt", "", SentenceSplit::kWrapped),
              ElementsAre("Ein\nHund.", "Er", "bellt"));
  EXPECT_THAT(sentences("\u5929\u6c14\u597d\u3002\u8d70\u5427\uff01", "zh", SentenceSplit::kParagraph),
              ElementsAre("\u5929\u6c14\u597d\u3002", "\u8d70\u5427\uff01"));
  EXPECT_THAT(split_sentences("", ""), IsEmpty());
  EXPECT_THAT(split_sentences(" \n\t", "en"), IsEmpty());
  EXPECT_THAT([] { split_sentences("\xff", ""); },
              ThrowsMessage<TranslatorUsageError>(HasSubstr("text: wanted UTF-8")));
}

}  // namespace
}  // namespace gloss
