#pragma once

#include <string>

#include <gtest/gtest.h>

#include "tests/app/support/process.h"
#include "tests/app/support/small_run.h"

namespace gloss {

inline double score_of(const std::string& n_best_line) {
  return std::stod(n_best_line.substr(n_best_line.rfind(' ') + 1));
}

/// `gloss translate` with a model that was not trained: its translations mean nothing, but each line has one.
class UntrainedTranslator : public testing::Test {
 protected:
  Arguments translating(const Arguments& more = {}) const {
    Arguments arguments = {"translate", "--model", model_, "--device", "cpu", "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  Outcome translate(const std::string& input, const Arguments& more = {}) const {
    return run_gloss(translating(more), input);
  }

  SmallRun run_;
  std::string model_ = run_.untrained_model();
};

}  // namespace gloss
