// Answers of gloss/gloss.h, which equal those of gloss/translator.h.
#include "tests/library/c_interface_test.h"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Json = nlohmann::json;

/// Lists pairs of the members of spans or links.
template <typename Pair, typename Member>
Json pairs(const std::vector<Pair>& list, Member Pair::*first, Member Pair::*second) {
  auto result = Json::array();
  for (const auto& pair : list) result.push_back({pair.*first, pair.*second});
  return result;
}
Json pairs(const std::vector<Translation::Span>& spans) {
  return pairs(spans, &Translation::Span::begin, &Translation::Span::end);
}
Json pairs(const std::vector<Translation::Link>& links) {
  return pairs(links, &Translation::Link::source, &Translation::Link::target);
}

/// Expects all fields to be equal, numbers to the last bit.
void expect_same(const Json& json, const Translation& translation) {
  constexpr const char* kNames[] = {"complete", "deadline", "cancelled"};
  EXPECT_EQ(json.size(), 5u);
  EXPECT_EQ(json.at("status"), kNames[static_cast<int>(translation.status)]);
  EXPECT_EQ(json.at("truncated"), translation.truncated);
  EXPECT_EQ(json.at("source"), translation.source);
  EXPECT_EQ(json.at("source_spans"), pairs(translation.source_spans));
  ASSERT_EQ(json.at("candidates").size(), translation.candidates.size());
  for (std::size_t i = 0; i < translation.candidates.size(); ++i) {
    const auto& candidate = translation.candidates[i];
    const auto& found = json.at("candidates")[i];
    EXPECT_EQ(found.size(), 12u);
    EXPECT_EQ(found.at("text"), candidate.text);
    EXPECT_EQ(found.at("score").get<double>(), candidate.score);
    EXPECT_EQ(found.at("log_probability").get<double>(), candidate.log_probability);
    EXPECT_EQ(found.at("pieces"), Json(candidate.pieces));
    EXPECT_EQ(found.at("ended"), candidate.ended);
    EXPECT_EQ(found.at("spans"), pairs(candidate.spans));
    EXPECT_EQ(found.at("token_log_probabilities").get<std::vector<double>>(), candidate.token_log_probabilities);
    auto words = Json::array();
    for (const auto& [text, confidence] : candidate.words)
      words.push_back({{"text", text}, {"confidence", confidence}});
    EXPECT_EQ(found.at("words"), words);
    EXPECT_EQ(found.at("alignment"), pairs(candidate.alignment));
    EXPECT_EQ(found.at("piece_alignment"), pairs(candidate.piece_alignment));
    EXPECT_EQ(found.at("flags"), Json(candidate.flags));
    EXPECT_EQ(found.at("lacks_phrase"), candidate.lacks_phrase);
  }
}

void expect_same(const Json& json, const TextTranslation& translation) {
  EXPECT_EQ(json.size(), 5u);
  EXPECT_EQ(json.at("status"), translation.complete() ? "complete" : "deadline");
  EXPECT_EQ(json.at("text"), translation.text);
  EXPECT_EQ(json.at("units"), translation.units);
  EXPECT_EQ(json.at("from_memory"), translation.from_memory);
  auto sentences = Json::array();
  for (const auto& [source, target, confidence] : translation.sentences)
    sentences.push_back(
        {{"source", {source.begin, source.end}}, {"target", {target.begin, target.end}}, {"confidence", confidence}});
  EXPECT_EQ(json.at("sentences"), sentences);
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}
std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

INSTANTIATE_TEST_SUITE_P(Devices, CInterfaceTest, testing::Values("cpu", "gpu"),
                         [](const auto& device) { return device.param; });

TEST_P(CInterfaceTest, TranslationsEqualThoseOfTheTranslatorBitForBit) {
  const std::vector<std::pair<std::string, TranslationOptions>> cases = {
      {"{}", {}},
      {R"({"beam_size": 1})", {.beam_size = 1}},
      {R"({"beam_size": 4, "n_best": 3, "length_penalty": 0.6, "length_normalisation": "gnmt", "patience": 2,
           "shrinking_beam": true, "coverage_penalty": 0.2})",
       {.beam_size = 4,
        .length_penalty = 0.6,
        .length_normalisation = LengthNormalisation::kGnmt,
        .patience = 2,
        .shrinking_beam = true,
        .n_best = 3,
        .coverage_penalty = 0.2}},
      {R"({"max_length": 9, "min_length": 5, "max_length_factor": 2.5, "batch_size": 2, "no_repeat_ngram": 1,
           "repetition_penalty": 1.5, "no_unk": true, "shortlist": false})",
       {.max_length = 9,
        .max_length_factor = 2.5,
        .min_length = 5,
        .batch_size = 2,
        .no_repeat_ngram = 1,
        .repetition_penalty = 1.5,
        .no_unk = true,
        .shortlist = false}},
      {R"({"sample": true, "temperature": 1.5, "top_k": 9, "top_p": 0.9, "seed": 3, "first_line": 7, "n_best": 2})",
       {.n_best = 2, .sample = true, .temperature = 1.5, .top_k = 9, .top_p = 0.9, .seed = 3, .first_line = 7}},
      {R"({"prefixes": ["", "joka", "", "", "ana"], "deadline_ms": 600000, "confidence": true, "alignment": true,
           "replace_unknown": true, "alignment_from": "decoder.0.cross.0"})",
       {.prefixes = {"", "joka", "", "", "ana"},
        .confidence = true,
        .alignment = true,
        .replace_unknown = true,
        .alignment_from = "decoder.0.cross.0"}},
      {R"({"glossary": [{"source": "baka", "target": "nipa ratu"}, {"source": "yoze", "target": "lemu"}],
           "max_length": 3, "source_language": "", "target_language": ""})",
       {.max_length = 3, .glossary = {{"baka", "nipa ratu"}, {"yoze", "lemu"}}}},
      {R"({"glossary": {"baka": "nipa ratu", "yoze": "lemu"}})",
       {.glossary = {{"baka", "nipa ratu"}, {"yoze", "lemu"}}}}};
  for (const auto& [text, options] : cases) {
    const auto wanted = translator().translate(kLines, options);
    const auto answer = translate(kLines, text);
    ASSERT_EQ(answer.code, GLOSS_DONE) << answer.message;
    EXPECT_EQ(answer.texts, texts(wanted));
    ASSERT_EQ(answer.json.at("translations").size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) expect_same(answer.json["translations"][i], wanted[i]);
  }
}

TEST_P(CInterfaceTest, LinesEndWithNulOrHaveALength) {
  const char* const lines[] = {"ana baka", "yoze"};
  const auto by_nul = answer_of([&](auto** result, auto** error) {
    return gloss_translate(model_.get(), lines, nullptr, 2, nullptr, nullptr, result, error);
  });
  EXPECT_EQ(by_nul.texts, texts(translator().translate(std::vector<std::string>{"ana baka", "yoze"})));
  const std::vector<std::string> odd = {std::string("ana\0baka", 8), "ana\nbaka", " ", "ana \u2603 baka"};
  EXPECT_EQ(translate(odd, "{}").texts, texts(translator().translate(odd)));
  EXPECT_EQ(translate({odd[0]}, "{}").json, translate({"ana\ufffdbaka"}, "{}").json);
  const auto none = answer_of([&](auto** result, auto** error) {
    return gloss_translate(model_.get(), nullptr, nullptr, 0, "{}", nullptr, result, error);
  });
  EXPECT_EQ(none.json.dump(), R"({"translations":[]})");
  EXPECT_THAT(none.texts, IsEmpty());
}

TEST_P(CInterfaceTest, SettingsChooseThePrecisionAndModelsAreAnEnsemble) {
  const auto device = TranslatorTest::device();
  const Json settings = {{"device", device}, {"threads", 2}, {"plain", true}, {"precision", "float32"}};
  model_ = load_for_c(kModel, settings);
  const Translator plain(kModel,
                         {.device = device, .threads = 2, .precision = MatrixPrecision::kFloat32, .plain = true});
  const auto wanted = plain.translate(kLines);
  const auto answer = translate(kLines, "{}");
  for (std::size_t i = 0; i < wanted.size(); ++i) expect_same(answer.json["translations"][i], wanted[i]);

  const char* const paths[] = {kModel.c_str(), kModel.c_str()};
  gloss_translator* both = nullptr;
  ASSERT_EQ(gloss_load(paths, 2, (R"({"device": ")" + device + "\"}").c_str(), &both, nullptr), GLOSS_DONE);
  model_.reset(both);
  const auto together = Translator({kModel, kModel}, {.device = device}).translate(kLines);
  const auto found = translate(kLines, "{}");
  for (std::size_t i = 0; i < together.size(); ++i) expect_same(found.json["translations"][i], together[i]);
}

TEST_P(CInterfaceTest, TextsEqualThoseOfTheTranslator) {
  const std::string text = "  Ana baka dalo. Yoze ana!\n\nFugo hina\tjoka? Lemu {mo} nipa.\r\n";
  const std::string page = "<p>ana <b>baka</b> dalo.</p>";
  const std::string messages = "msgid \"ana\"\nmsgstr \"yoze\"\n";
  const std::vector<std::tuple<std::string, std::string, TextOptions>> cases = {
      {text, "{}", {}},
      {text, R"({"split": "line"})", {.split = SentenceSplit::kLine}},
      {text, R"({"split": "wrapped", "format": "txt"})", {.format = "txt", .split = SentenceSplit::kWrapped}},
      {text,
       R"({"split": "paragraph", "search": {"beam_size": 1, "max_length": 4}})",
       {.search = {.beam_size = 1, .max_length = 4}}},
      {page, R"({"format": "html"})", {.format = "html"}},
      {messages,
       R"({"format": "po", "overwrite_translations": true})",
       {.format = "po", .overwrite_translations = true}},
      {"", "{}", {}}};
  for (const auto& [source, options, given] : cases) {
    const auto wanted = translator().translate_text(source, given);
    const auto answer = translate_text(source, options);
    ASSERT_EQ(answer.code, GLOSS_DONE) << answer.message;
    expect_same(answer.json, wanted);
    EXPECT_THAT(answer.texts, ElementsAre(wanted.text));
  }
  const auto late = translate_text(text, R"({"search": {"deadline_ms": 0}})");
  expect_same(late.json, translator().translate_text(text, {.search = {.deadline = std::chrono::steady_clock::now()}}));
  EXPECT_THAT(late.texts, ElementsAre("NULL"));
  EXPECT_EQ(answer_of([&](auto** result, auto** error) {
              return gloss_translate_text(model_.get(), nullptr, 0, nullptr, nullptr, result, error);
            }).texts,
            std::vector<std::string>{""});
}

TEST_P(CInterfaceTest, FilesEqualThoseOfTheTranslator) {
  const TemporaryFolder folder;
  write(folder / "in.html", "<p>ana <b>baka</b> dalo.</p><p translate=no>emi</p>");
  write(folder / "memory.tmx", R"(<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4"><header creationtool="t" creationtoolversion="1" segtype="sentence" o-tmf="t" adminlang="en"
 srclang="en" datatype="plaintext"/><body><tu><tuv xml:lang="en"><seg>Ana.</seg></tuv>
<tuv xml:lang="de"><seg>Bekannt.</seg></tuv></tu></body></tmx>)");
  const auto wanted = translator().translate_file(folder / "in.html", folder / "wanted.html");
  const auto answer = translate_file(folder / "in.html", folder / "out.html", "{}");
  ASSERT_EQ(answer.code, GLOSS_DONE) << answer.message;
  expect_same(answer.json, wanted);
  EXPECT_THAT(answer.texts, IsEmpty());
  EXPECT_EQ(read(folder / "out.html"), read(folder / "wanted.html"));

  write(folder / "in.txt", "Ana.");
  const Json options = {{"memory", (folder / "memory.tmx").string()}};
  EXPECT_EQ(translate_file(folder / "in.txt", folder / "out.txt", options.dump()).json.at("from_memory"), 1);
  EXPECT_EQ(read(folder / "out.txt"), "Bekannt.");
  EXPECT_EQ(translate_text("Ana.", options.dump()).texts, std::vector<std::string>{"Bekannt."});
}

TEST_P(CInterfaceTest, LanguagesAreThoseOfTheTranslator) {
  const auto answer =
      answer_of([&](auto** result, auto** error) { return gloss_languages(model_.get(), result, error); });
  EXPECT_EQ(answer.texts, translator().languages());
  EXPECT_EQ(answer.json, Json({{"languages", translator().languages()}}));
}

TEST_P(CInterfaceTest, ThreadsShareATranslatorAndHaveErrorsOfTheirOwn) {
  const auto wanted = translate(kLines, "{}");
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([&, number] {
      const auto key = "key" + std::to_string(number);
      for (int round = 0; round < 20; ++round) {
        const auto found = translate(kLines, "{}");
        EXPECT_EQ(found.texts, wanted.texts);
        EXPECT_TRUE(score_rounding > 0 || found.json == wanted.json);
        EXPECT_THAT(translate(kLines, "{\"" + key + "\": 1}").message, HasSubstr(key + ": unknown key"));
      }
    });
  for (auto& thread : threads) thread.join();
}

TEST(CInterfaceOfTheLibraryTest, SentencesAreThoseOfTheLibrary) {
  const std::string text = " Ein Hund, z. B. Rex. Er bellt.\nUnd\n\nschl\u00e4ft. ";
  const std::vector<std::tuple<std::string, std::string, SentenceSplit>> cases = {
      {R"({"language": "de"})", "de", SentenceSplit::kParagraph},
      {R"({"split": "line"})", "", SentenceSplit::kLine},
      {R"({"language": "de", "split": "wrapped"})", "de", SentenceSplit::kWrapped}};
  for (const auto& [options, language, split] : cases) {
    const auto spans = split_sentences(text, language, split);
    const auto answer = answer_of([&](auto** result, auto** error) {
      return gloss_split_sentences(text.data(), text.size(), options.c_str(), result, error);
    });
    EXPECT_EQ(answer.json, Json({{"sentences", pairs(spans)}}));
    ASSERT_THAT(answer.texts, SizeIs(spans.size()));
    for (std::size_t i = 0; i < spans.size(); ++i)
      EXPECT_EQ(answer.texts[i], text.substr(spans[i].begin, spans[i].end - spans[i].begin));
  }
}

TEST(CInterfaceOfTheLibraryTest, VersionsAreThoseOfTheHeaders) {
  EXPECT_EQ(gloss_interface_version(), GLOSS_INTERFACE_VERSION);
  EXPECT_STREQ(gloss_version(), version());
}

}  // namespace
}  // namespace gloss
