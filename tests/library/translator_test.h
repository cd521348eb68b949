#pragma once

#include <optional>
#include <string>

#include <gloss/translator.h>
#include <gtest/gtest.h>

#include "tests/library/translations.h"
#include "tests/stand_in/stand_in.h"

namespace gloss {

/// Name of the device of tests with the parameter "gpu". It is there before the first tensor.
inline const std::string kGpu = device_of_tests();

/// An untrained model, small enough to be loaded for each test.
class TranslatorTest : public testing::TestWithParam<std::string> {
 protected:
  static std::string device() { return GetParam() == "cpu" ? "cpu" : kGpu; }
  void SetUp() override {
    score_rounding = device() == "cpu" ? 0 : 1e-4;
    translator_.emplace(kModel, TranslatorSettings{.device = device(), .threads = 1});
  }
  const Translator& translator() const { return *translator_; }

  std::optional<Translator> translator_;
  TranslationOptions greedy_{.beam_size = 1};
};

}  // namespace gloss
