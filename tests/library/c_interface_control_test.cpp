// Callbacks, cancellation and deadlines of gloss/gloss.h.
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gloss/gloss.h>
#include <gmock/gmock.h>

#include "tests/library/c_interface_test.h"

namespace gloss {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;
using Json = nlohmann::json;

class CInterfaceControlTest : public CInterfaceTest {};

INSTANTIATE_TEST_SUITE_P(Devices, CInterfaceControlTest, testing::Values("cpu", "gpu"),
                         [](const auto& device) { return device.param; });

TEST_P(CInterfaceControlTest, CallbacksReceiveTheEventsOfTheTranslator) {
  std::vector<Json> wanted, tokens, results;
  translator().translate(kLines, {.beam_size = 2, .on_token = [&](const StreamedToken& token) {
                                    wanted.push_back({{"line", token.line},
                                                      {"piece", token.piece},
                                                      {"text", token.text},
                                                      {"log_probability", token.log_probability},
                                                      {"end", token.end}});
                                    return true;
                                  }});
  const Control control(gloss_control_new());
  const auto take = [](void* user, std::size_t line, const char* text, const char* event) {
    const auto json = Json::parse(event);
    EXPECT_EQ(json.at("line"), line);
    const auto& translation = json.contains("text") ? json : json.at("translation").at("candidates").at(0);
    EXPECT_EQ(translation.at("text"), text);
    static_cast<std::vector<Json>*>(user)->push_back(json);
    return 0;
  };
  EXPECT_EQ(gloss_control_on_token(control.get(), take, &tokens), GLOSS_DONE);
  EXPECT_EQ(gloss_control_on_result(control.get(), take, &results), GLOSS_DONE);
  const auto answer = translate(kLines, R"({"beam_size": 2})", control.get());
  EXPECT_EQ(tokens, wanted);
  ASSERT_THAT(results, SizeIs(kLines.size()));
  for (const auto& result : results)
    EXPECT_EQ(result.at("translation"), answer.json["translations"].at(result.at("line").get<std::size_t>()));

  gloss_control_on_token(control.get(), nullptr, nullptr);
  gloss_control_on_result(control.get(), nullptr, nullptr);
  EXPECT_EQ(translate(kLines, R"({"beam_size": 2})", control.get()).json, answer.json);
  EXPECT_THAT(tokens, SizeIs(wanted.size()));
}

TEST_P(CInterfaceControlTest, AnotherValueOfACallbackCancels) {
  const Control control(gloss_control_new());
  std::size_t count = 0;
  const auto stop = [](void* user, std::size_t, const char*, const char*) {
    return ++*static_cast<std::size_t*>(user) == 2 ? -1 : 0;
  };
  gloss_control_on_token(control.get(), stop, &count);
  const auto answer = translate(kLines, R"({"beam_size": 1, "min_length": 5})", control.get());
  EXPECT_EQ(answer.code, GLOSS_DONE);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(answer.texts, (std::vector<std::string>{"NULL", "NULL", "", "NULL", "NULL"}));
  EXPECT_EQ(answer.json["translations"][0]["status"], "cancelled");
}

TEST_P(CInterfaceControlTest, AnExceptionOfACallbackIsAnError) {
  const Control control(gloss_control_new());
  const auto fail = [](void*, std::size_t, const char*, const char*) -> int { throw std::out_of_range("mine"); };
  gloss_control_on_result(control.get(), fail, nullptr);
  const auto answer = translate(kLines, "{}", control.get());
  EXPECT_EQ(answer.code, GLOSS_USAGE);
  EXPECT_THAT(answer.message, HasSubstr("callback: "));
}

TEST_P(CInterfaceControlTest, ACallbackMayTranslateWithTheSameTranslator) {
  const auto wanted = translate({"yoze"}, "{}").texts;
  std::pair<const gloss_translator*, std::vector<std::string>> user{model_.get(), {}};
  const auto take = [](void* data, std::size_t, const char*, const char*) {
    auto& [model, found] = *static_cast<decltype(user)*>(data);
    const auto* const line = "yoze";
    const auto answer = answer_of([&, model = model](auto** result, auto** error) {
      return gloss_translate(model, &line, nullptr, 1, nullptr, nullptr, result, error);
    });
    found = answer.texts;
    return 0;
  };
  const Control control(gloss_control_new());
  gloss_control_on_result(control.get(), take, &user);
  EXPECT_EQ(translate(kLines, "{}", control.get()).texts, texts(translator().translate(kLines)));
  EXPECT_EQ(user.second, wanted);
}

TEST_P(CInterfaceControlTest, AnotherThreadCancels) {
  const Control control(gloss_control_new());
  std::thread other;
  std::pair<gloss_control*, std::thread*> user{control.get(), &other};
  const auto start = [](void* data, std::size_t, const char*, const char*) {
    auto& [of_call, thread] = *static_cast<decltype(user)*>(data);
    if (!thread->joinable()) *thread = std::thread([of_call = of_call] { gloss_control_cancel(of_call); });
    std::this_thread::sleep_for(1ms);
    return 0;
  };
  gloss_control_on_token(control.get(), start, &user);
  // Without the other thread the call takes 20 s, 1 ms for each line.
  const std::vector<std::string> many(20'000, kLines[0]);
  const auto answer = translate(many, R"({"beam_size": 1, "batch_size": 1})", control.get());
  other.join();
  EXPECT_EQ(answer.code, GLOSS_DONE);
  EXPECT_EQ(answer.texts.back(), "NULL");
  EXPECT_EQ(answer.json["translations"].back()["status"], "cancelled");
  gloss_control_on_token(control.get(), nullptr, nullptr);
  EXPECT_THAT(translate(kLines, "{}", control.get()).texts, Each("NULL"));
  EXPECT_EQ(translate_text("ana", "{}", control.get()).json.at("status"), "cancelled");
}

TEST_P(CInterfaceControlTest, ADeadlineLeavesLinesAndIsNoError) {
  const auto late = translate(kLines, R"({"deadline_ms": 0})");
  EXPECT_EQ(late.code, GLOSS_DONE);
  EXPECT_THAT(late.texts, AllOf(SizeIs(kLines.size()), Each("NULL")));
  for (const auto& translation : late.json["translations"]) EXPECT_EQ(translation.at("status"), "deadline");
  const auto answer = translate(kLines, R"({"deadline_ms": 1000000000000})");
  EXPECT_EQ(answer.texts, texts(translator().translate(kLines)));
}

}  // namespace
}  // namespace gloss
