#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gloss/gloss.h>
#include <gloss/translator.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/library/translator_test.h"

namespace gloss {

template <auto free>
struct FreedBy {
  void operator()(auto* handle) const { free(handle); }
};
using Control = std::unique_ptr<gloss_control, FreedBy<gloss_control_free>>;
using LoadedModel = std::unique_ptr<gloss_translator, FreedBy<gloss_translator_free>>;

/// Code, message and result of a function of the C interface.
struct Answer {
  int code = -1;
  std::string message;
  nlohmann::json json;
  std::vector<std::string> texts;  ///< "NULL" for none
};

/// Calls a function that takes the places of a result and of an error, and frees both. After a failure there is a
/// message and no result; otherwise there is a result.
inline Answer answer_of(const std::function<int(gloss_result**, gloss_error**)>& function) {
  auto* const untouched = reinterpret_cast<gloss_error*>(1);  // as in a variable that nobody has initialized
  gloss_result* result = reinterpret_cast<gloss_result*>(1);
  gloss_error* error = untouched;
  Answer answer;
  answer.code = function(&result, &error);
  EXPECT_NE(error, untouched);
  EXPECT_EQ(answer.code == GLOSS_DONE, error == nullptr);
  EXPECT_EQ(answer.code == GLOSS_DONE, result != nullptr);
  if (error != nullptr) answer.message = gloss_error_message(error);
  if (result != nullptr) answer.json = nlohmann::json::parse(gloss_result_json(result));
  for (std::size_t i = 0; i < gloss_result_size(result); ++i) {
    std::size_t length = 99;
    const auto* const text = gloss_result_text(result, i, &length);
    answer.texts.push_back(text == nullptr ? "NULL" : std::string(text, length));
  }
  gloss_error_free(error);
  gloss_result_free(result);
  return answer;
}

inline LoadedModel load_for_c(const std::string& path, const nlohmann::json& settings) {
  const auto* const name = path.c_str();
  gloss_translator* model = nullptr;
  gloss_error* error = nullptr;
  EXPECT_EQ(gloss_load(&name, 1, settings.dump().c_str(), &model, &error), GLOSS_DONE) << gloss_error_message(error);
  gloss_error_free(error);
  return LoadedModel(model);
}

/// A model that can align, loaded by the C++ and by the C interface.
class CInterfaceTest : public TranslatorTest {
 protected:
  void SetUp() override {
    TranslatorTest::SetUp();
    if (IsSkipped()) return;
    translator_.emplace(kModel, TranslatorSettings{.device = device(), .threads = 1, .alignment = true});
    model_ = load_for_c(kModel, {{"device", device()}, {"threads", 1}, {"alignment", true}});
    ASSERT_NE(model_, nullptr);
  }

  Answer translate(const std::vector<std::string>& lines, const std::string& options,
                   const gloss_control* control = nullptr) const {
    std::vector<const char*> texts;
    std::vector<std::size_t> lengths;
    for (const auto& line : lines) {
      texts.push_back(line.data());
      lengths.push_back(line.size());
    }
    return answer_of([&](auto** result, auto** error) {
      return gloss_translate(model_.get(), texts.data(), lengths.data(), texts.size(), options.c_str(), control, result,
                             error);
    });
  }
  Answer translate_text(const std::string& text, const std::string& options,
                        const gloss_control* control = nullptr) const {
    return answer_of([&](auto** result, auto** error) {
      return gloss_translate_text(model_.get(), text.data(), text.size(), options.c_str(), control, result, error);
    });
  }
  Answer translate_file(const std::string& input, const std::string& output, const std::string& options) const {
    return answer_of([&](auto** result, auto** error) {
      return gloss_translate_file(model_.get(), input.c_str(), output.c_str(), options.c_str(), nullptr, result, error);
    });
  }

  LoadedModel model_;
};

}  // namespace gloss
