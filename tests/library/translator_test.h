#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <gloss/translator.h>
#include <gtest/gtest.h>

#include "tests/stand_in/stand_in.h"

namespace gloss {

inline const std::string kModel = GLOSS_GOLDEN_FOLDER "/tiny_model.safetensors";
inline const std::vector<std::string> kLines = {"ana baka dalo emi", "yoze", "", "fugo hina joka lemu mo nipa",
                                                "sive waxi yoze ana"};

inline std::vector<std::string> texts(const std::vector<Translation>& translations) {
  std::vector<std::string> result;
  for (const auto& translation : translations) result.push_back(translation.text());
  return result;
}

/// Returns all results of each line.
inline bool equal(const Translation& a, const Translation& b) {
  if (a.status != b.status || a.truncated != b.truncated || a.candidates.size() != b.candidates.size()) return false;
  for (std::size_t i = 0; i < a.candidates.size(); ++i) {
    const auto &one = a.candidates[i], &other = b.candidates[i];
    if (one.text != other.text || one.pieces != other.pieces || one.score != other.score) return false;
    if (one.log_probability != other.log_probability || one.ended != other.ended) return false;
  }
  return true;
}

/// Name of the device of tests with the parameter "gpu". It is there before the first tensor.
inline const std::string kGpu = device_of_tests(/*uses_stand_in=*/false);

/// An untrained model, small enough to be loaded for each test.
class TranslatorTest : public testing::TestWithParam<std::string> {
 protected:
  static std::string device() { return GetParam() == "cpu" ? "cpu" : kGpu; }
  void SetUp() override {
    try {
      translator_.emplace(kModel, TranslatorSettings{.device = device(), .threads = 1});
    } catch (const TranslatorUsageError&) {
      if (device() == "cpu" || requires_device()) throw;
      GTEST_SKIP() << "no GPU here";
    }
  }
  const Translator& translator() const { return *translator_; }

  std::optional<Translator> translator_;
  TranslationOptions greedy_{.beam_size = 1};
};

}  // namespace gloss
