#include "app/output/patient_translation.h"

#include <new>
#include <stdexcept>

#include <c10/util/Exception.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gloss {
namespace {

using testing::ElementsAre;

/// Translates a line into itself, and has no memory for more than `room` bytes at once.
class Forgetful {
 public:
  explicit Forgetful(std::size_t room) : room_(room) {}

  std::vector<DetailedTranslation> operator()(std::span<const std::string> lines) {
    calls.push_back(lines.size());
    std::size_t bytes = 0;
    for (const auto& line : lines) bytes += line.size();
    if (bytes > room_) fail();
    std::vector<DetailedTranslation> translations(lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) translations[i].candidates.push_back({.text = lines[i]});
    return translations;
  }

  std::vector<std::size_t> calls;
  std::function<void()> fail = [] { throw std::bad_alloc(); };

 private:
  std::size_t room_;
};

std::vector<std::string> texts(const std::vector<std::optional<DetailedTranslation>>& translations) {
  std::vector<std::string> result;
  for (const auto& translation : translations)
    result.push_back(translation ? translation->candidates.at(0).text : "absent");
  return result;
}

TEST(PatientTranslationTest, WithEnoughMemoryItIsOneCall) {
  Forgetful translate(10);
  const std::vector<std::string> lines = {"a", "bb", "c"};
  EXPECT_THAT(texts(translate_patiently(lines, std::ref(translate))), ElementsAre("a", "bb", "c"));
  EXPECT_THAT(translate.calls, ElementsAre(3));
}

TEST(PatientTranslationTest, WhatIsTooMuchAtOnceIsTakenInPartsAndKeepsItsOrder) {
  Forgetful translate(3);
  const std::vector<std::string> lines = {"a", "bb", "c", "dd", "e"};
  EXPECT_THAT(texts(translate_patiently(lines, std::ref(translate))), ElementsAre("a", "bb", "c", "dd", "e"));
  EXPECT_THAT(translate.calls, ElementsAre(5, 2, 3, 1, 2));
}

TEST(PatientTranslationTest, OnlyTheLineThatIsTooMuchAloneIsLost) {
  Forgetful translate(3);
  const std::vector<std::string> lines = {"a", "much", "c", "d"};
  EXPECT_THAT(texts(translate_patiently(lines, std::ref(translate))), ElementsAre("a", "absent", "c", "d"));
}

// What LibTorch throws when memory runs out, on the host and on a device.
TEST(PatientTranslationTest, KnowsTheErrorsOfLibTorch) {
  const std::vector<std::string> lines = {"much"};
  Forgetful translate(3);
  translate.fail = [] { C10_THROW_ERROR(OutOfMemoryError, "CUDA out of memory"); };
  EXPECT_THAT(texts(translate_patiently(lines, std::ref(translate))), ElementsAre("absent"));
  translate.fail = [] { TORCH_CHECK(false, "DefaultCPUAllocator: can't allocate memory: you tried to ..."); };
  EXPECT_THAT(texts(translate_patiently(lines, std::ref(translate))), ElementsAre("absent"));
}

TEST(PatientTranslationTest, AnyOtherErrorPasses) {
  const std::vector<std::string> lines = {"much", "more"};
  Forgetful translate(3);
  translate.fail = [] { throw std::runtime_error("other"); };
  EXPECT_THROW(translate_patiently(lines, std::ref(translate)), std::runtime_error);
  translate.fail = [] { TORCH_CHECK(false, "shapes differ"); };
  EXPECT_THROW(translate_patiently(lines, std::ref(translate)), c10::Error);
  EXPECT_THAT(translate.calls, ElementsAre(2, 2));
}

}  // namespace
}  // namespace gloss
