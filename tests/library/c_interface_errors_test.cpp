// Wrong arguments of gloss/gloss.h: each is a code and a message, never a crash.
#include <cstddef>
#include <fstream>
#include <iterator>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gloss/gloss.h>
#include <gmock/gmock.h>

#include "tests/library/c_interface_test.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class CInterfaceErrorsTest : public CInterfaceTest {};

INSTANTIATE_TEST_SUITE_P(Devices, CInterfaceErrorsTest, testing::Values("cpu"),
                         [](const auto& device) { return device.param; });

Answer load(const char* path, const char* settings) {
  return answer_of([&](auto** result, auto** error) {
    gloss_translator* model = nullptr;
    const auto code = gloss_load(&path, 1, settings, &model, error);
    EXPECT_EQ(code == GLOSS_DONE, model != nullptr);
    gloss_translator_free(model);
    if (code == GLOSS_DONE) return gloss_split_sentences("", 0, nullptr, result, error);
    *result = nullptr;
    return code;
  });
}

Answer split(const std::string& text, const char* options) {
  return answer_of([&](auto** result, auto** error) {
    return gloss_split_sentences(text.data(), text.size(), options, result, error);
  });
}

void expect_usage(const Answer& answer, const std::string& message) {
  EXPECT_EQ(answer.code, GLOSS_USAGE) << message;
  EXPECT_THAT(answer.message, HasSubstr(message));
}

/// Returns the names of the members of a struct of the C++ header that have a default.
std::set<std::string> fields_of(const std::string& name) {
  std::ifstream file(GLOSS_INCLUDE_FOLDER "/gloss/translator.h");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  text = std::regex_replace(text, std::regex("//.*"), "");
  const auto begin = text.find("struct " + name + " {");
  EXPECT_NE(begin, text.npos);
  text = text.substr(begin, text.find("\n};", begin) - begin);
  std::set<std::string> names;
  const std::regex with_default("(\\w+)\\s*=");
  for (std::sregex_iterator field(text.begin(), text.end(), with_default), end; field != end; ++field)
    names.insert((*field)[1]);
  if (name == "TranslationOptions") names.insert("source_language");  // shares a declaration
  return names;
}

TEST_P(CInterfaceErrorsTest, EachFieldOfTheStructsIsAKeyThatIsNamed) {
  const auto refused = [&](const std::string& struct_name, std::set<std::string> names, const auto& call) {
    EXPECT_GE(names.size(), 5u) << struct_name;
    for (const auto& name : names) {
      const auto* const wrong = name == "search" || name == "glossary" ? "7" : "{}";
      expect_usage(call("{\"" + name + "\": " + wrong + "}"), name + ": wanted ");
      expect_usage(call("{\"" + name + "\": null}"), name + ": wanted ");
    }
    expect_usage(call(R"({"no_such_key": 1})"), "no_such_key: unknown key");
    expect_usage(call(R"({"": 1})"), "unknown key");
  };
  refused("TranslatorSettings", fields_of("TranslatorSettings"),
          [&](const std::string& json) { return load(kModel.c_str(), json.c_str()); });
  auto search = fields_of("TranslationOptions");
  for (const auto* name : {"deadline", "stop", "on_token", "on_result", "prepared_glossary"}) {
    EXPECT_EQ(search.erase(name), 1u) << name;
    expect_usage(translate(kLines, std::string("{\"") + name + "\": 1}"), std::string(name) + ": unknown key");
  }
  search.insert("deadline_ms");
  refused("TranslationOptions", search, [&](const std::string& json) { return translate(kLines, json); });
  refused("search", search,
          [&](const std::string& json) { return translate_text("ana", "{\"search\": " + json + '}'); });
  refused("TextOptions", fields_of("TextOptions"),
          [&](const std::string& json) { return translate_text("ana", json); });
  expect_usage(translate_text("ana", R"({"search": {"beam": 1}})"), "search.beam: unknown key");
  expect_usage(split("ana", R"({"language": 1})"), "language: wanted a string, got 1");
  expect_usage(split("ana", R"({"languages": "de"})"), R"(languages: unknown key; did you mean "language"?)");
}

TEST_P(CInterfaceErrorsTest, ValuesOutOfRangeAreNamed) {
  for (const auto* options :
       {R"({"beam_size": 0})", R"({"beam_size": 1.5})", R"({"beam_size": 1e300})", R"({"beam_size": "2"})",
        R"({"beam_size": true})", R"({"beam_size": 99999999999999999999})", R"({"beam_size": -99999999999999999999})"})
    expect_usage(translate(kLines, options), "beam_size: wanted ");
  for (const auto* options : {R"({"deadline_ms": -1})", R"({"deadline_ms": 1e3})", R"({"deadline_ms": 1000000000001})"})
    expect_usage(translate(kLines, options), "deadline_ms: wanted ");
  expect_usage(translate(kLines, R"({"length_normalisation": "none"})"),
               "length_normalisation: wanted one of power, gnmt");
  expect_usage(translate(kLines, R"({"glossary": [{"source": "a", "target": "b"}, {"from": "a"}]})"),
               "glossary[1].from: unknown key");
  expect_usage(translate(kLines, R"({"glossary": [7]})"), "glossary[0]: wanted an object");
  expect_usage(translate(kLines, R"({"glossary": {"a": "b", "c": 7}})"), "glossary[1].target: wanted a string, got 7");
  expect_usage(translate_text("ana", R"({"search": {"glossary": {"c": 7}}})"), "search.glossary[0].target: wanted a");
  expect_usage(translate(kLines, R"({"glossary": {"a\u0000": "b"}})"),
               "glossary[0].source: wanted a string without NUL");
  expect_usage(translate(kLines, R"({"prefixes": ["a", 1]})"), "prefixes: wanted a list of strings");
  expect_usage(translate(kLines, R"({"prefixes": ["a"]})"), "prefixes: wanted one for each of 5 lines");
  expect_usage(translate(kLines, R"({"source_language": "a\u0000b"})"), "source_language: wanted a string without NUL");
  expect_usage(translate_text("ana", R"({"split": "words"})"), "split: wanted one of line, paragraph, wrapped");
  expect_usage(translate_text("ana", R"({"search": {"n_best": 2}})"), "search.n_best: ");
  for (const auto* threads : {"-1", "1025", "3000000000", "9223372036854775807"})
    expect_usage(load(kModel.c_str(), (std::string(R"({"threads": )") + threads + '}').c_str()), "threads: wanted ");
  expect_usage(load(kModel.c_str(), R"({"precision": "int4"})"), "precision: wanted one of auto, float32");
  expect_usage(load(kModel.c_str(), R"({"device": "tpu"})"), "tpu");
}

TEST_P(CInterfaceErrorsTest, TextThatIsNoObjectIsRefused) {
  const std::string deep(100'000, '['), deep_objects = [] {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += R"({"search":)";
    return text;
  }();
  std::string huge = "{\"prefixes\": [\"\"";
  for (int i = 0; i < 2'100'000; ++i) huge += ",\"\"";
  huge += "]}";
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[]"), std::string("7"), std::string("null"), std::string("{}{}"),
        std::string("{\"a\": NaN}"), std::string("{\"seed\": 1e400}"), std::string("{'a': 1}"),
        std::string("{\"beam_size\": 1, \"beam_size\": 1}"), std::string("\xef\xbb\xbf{}"),
        std::string("{\"\xff\": 1}"), deep, deep_objects, huge}) {
    expect_usage(translate(kLines, text), "options: ");
    expect_usage(translate_text("ana", text), "options: ");
    expect_usage(split("ana", text.c_str()), "options: ");
    expect_usage(load(kModel.c_str(), text.c_str()), "settings: ");
  }
}

TEST_P(CInterfaceErrorsTest, RandomChangesOfOptionsAreReadOrRefused) {
  const std::string good =
      R"({"beam_size": 2, "glossary": [{"source": "a", "target": "b"}], "prefixes": ["", "a"], "deadline_ms": 0})";
  std::mt19937 random(1);
  for (int round = 0; round < 2'000; ++round) {
    auto text = good;
    for (auto changes = random() % 3 + 1; changes > 0; --changes)
      text[random() % text.size()] = static_cast<char>(random() % 4 == 0 ? random() : "{}[]\",:0-\\"[random() % 10]);
    const auto answer = translate({"a", "b"}, text);
    EXPECT_THAT(answer.code, testing::AnyOf(GLOSS_DONE, GLOSS_USAGE)) << text << ": " << answer.message;
  }
}

TEST_P(CInterfaceErrorsTest, TextThatIsNotUtf8IsRefused) {
  for (const std::string bad : {"\xff", "ana \xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\xaf"}) {
    expect_usage(translate({"ana", bad}, "{}"), "lines[1]: wanted UTF-8");
    expect_usage(translate_text(bad, "{}"), "text: wanted UTF-8");
    expect_usage(split(bad, nullptr), "text: wanted UTF-8");
  }
  expect_usage(translate({"ana \xff"}, "{}"), "offset 4");
}

TEST_P(CInterfaceErrorsTest, NullPointersAreRefused) {
  const auto* const line = "ana";
  const char* const lines[] = {"ana", nullptr};
  const std::size_t lengths[] = {3, 1};
  const auto* const model = model_.get();
  const auto refused = [](const std::string& message, const auto& call) { expect_usage(answer_of(call), message); };
  refused("translator: ", [&](auto** result, auto** error) {
    return gloss_translate(nullptr, &line, nullptr, 1, nullptr, nullptr, result, error);
  });
  refused("lines: ", [&](auto** result, auto** error) {
    return gloss_translate(model, nullptr, nullptr, 1, nullptr, nullptr, result, error);
  });
  refused("lines[1]: ", [&](auto** result, auto** error) {
    return gloss_translate(model, lines, nullptr, 2, nullptr, nullptr, result, error);
  });
  refused("lines[1]: ", [&](auto** result, auto** error) {
    return gloss_translate(model, lines, lengths, 2, nullptr, nullptr, result, error);
  });
  refused("translator: ", [&](auto** result, auto** error) {
    return gloss_translate_text(nullptr, "", 0, nullptr, nullptr, result, error);
  });
  refused("text: ", [&](auto** result, auto** error) {
    return gloss_translate_text(model, nullptr, 1, nullptr, nullptr, result, error);
  });
  refused("text: ",
          [&](auto** result, auto** error) { return gloss_split_sentences(nullptr, 1, nullptr, result, error); });
  refused("translator: ", [&](auto** result, auto** error) {
    return gloss_translate_file(nullptr, "in", "out", nullptr, nullptr, result, error);
  });
  refused("input: ", [&](auto** result, auto** error) {
    return gloss_translate_file(model, nullptr, "out", nullptr, nullptr, result, error);
  });
  refused("output: ", [&](auto** result, auto** error) {
    return gloss_translate_file(model, "in", nullptr, nullptr, nullptr, result, error);
  });
  refused("translator: ", [&](auto** result, auto** error) { return gloss_languages(nullptr, result, error); });

  gloss_translator* loaded = nullptr;
  const char* const paths[] = {kModel.c_str(), nullptr};
  EXPECT_EQ(gloss_load(nullptr, 1, nullptr, &loaded, nullptr), GLOSS_USAGE);
  EXPECT_EQ(gloss_load(paths, 2, nullptr, &loaded, nullptr), GLOSS_USAGE);
  EXPECT_EQ(gloss_load(paths, 0, nullptr, &loaded, nullptr), GLOSS_USAGE);
  EXPECT_EQ(loaded, nullptr);

  // No place for the result, and none for the error.
  EXPECT_EQ(gloss_load(paths, 1, nullptr, nullptr, nullptr), GLOSS_USAGE);
  EXPECT_EQ(gloss_translate(model, &line, nullptr, 1, nullptr, nullptr, nullptr, nullptr), GLOSS_USAGE);
  EXPECT_EQ(gloss_translate_text(model, "", 0, nullptr, nullptr, nullptr, nullptr), GLOSS_USAGE);
  EXPECT_EQ(gloss_translate_file(model, "in", "out", nullptr, nullptr, nullptr, nullptr), GLOSS_USAGE);
  EXPECT_EQ(gloss_languages(model, nullptr, nullptr), GLOSS_USAGE);
  EXPECT_EQ(gloss_split_sentences("", 0, nullptr, nullptr, nullptr), GLOSS_USAGE);

  EXPECT_EQ(gloss_control_on_token(nullptr, nullptr, nullptr), GLOSS_USAGE);
  EXPECT_EQ(gloss_control_on_result(nullptr, nullptr, nullptr), GLOSS_USAGE);
  gloss_control_cancel(nullptr);
  gloss_control_free(nullptr);
  gloss_translator_free(nullptr);
  gloss_result_free(nullptr);
  gloss_error_free(nullptr);
  EXPECT_EQ(gloss_result_json(nullptr), nullptr);
  EXPECT_EQ(gloss_result_size(nullptr), 0u);
  std::size_t length = 7;
  EXPECT_EQ(gloss_result_text(nullptr, 0, &length), nullptr);
  EXPECT_EQ(length, 0u);
  EXPECT_STREQ(gloss_error_message(nullptr), "no error");
}

TEST_P(CInterfaceErrorsTest, TextsPastTheEndAreNull) {
  const auto* const line = "ana";
  gloss_result* result = nullptr;
  ASSERT_EQ(gloss_translate(model_.get(), &line, nullptr, 1, nullptr, nullptr, &result, nullptr), GLOSS_DONE);
  EXPECT_NE(gloss_result_text(result, 0, nullptr), nullptr);
  EXPECT_EQ(gloss_result_text(result, 1, nullptr), nullptr);
  EXPECT_EQ(gloss_result_text(result, static_cast<std::size_t>(-1), nullptr), nullptr);
  gloss_result_free(result);
}

TEST_P(CInterfaceErrorsTest, CodesAreThoseOfTheProgram) {
  const TemporaryFolder folder;
  std::ofstream(folder / "text") << "This is no model.\n";
  std::ofstream(folder / "in.xlf") << "<xliff><file>";
  std::ofstream(folder / "in.txt") << "ana";
  const auto missing = load((folder / "missing").c_str(), nullptr);
  expect_usage(missing, (folder / "missing").string());
  EXPECT_EQ(load((folder / "text").c_str(), nullptr).code, GLOSS_DATA);
  EXPECT_EQ(load("", nullptr).code, GLOSS_USAGE);
  EXPECT_EQ(translate_file(folder / "in.xlf", folder / "out", "{}").code, GLOSS_DATA);
  EXPECT_EQ(translate_file(folder / "in.txt", folder / "no_folder" / "out.txt", "{}").code, GLOSS_IO);
  EXPECT_EQ(translate_file(folder / "none.txt", folder / "out.txt", "{}").code, GLOSS_DATA);
}

TEST_P(CInterfaceErrorsTest, CallbacksAreRefusedForTexts) {
  const Control control(gloss_control_new());
  const auto take = [](void*, std::size_t, const char*, const char*) { return 0; };
  gloss_control_on_token(control.get(), take, nullptr);
  expect_usage(translate_text("ana", "{}", control.get()), "search.on_token: ");
}

}  // namespace
}  // namespace gloss
