#pragma once

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/app/support/process.h"

namespace gloss {

/// Expects exit code 0 and returns the one JSON value on stdout: json::parse refuses anything after it.
inline nlohmann::json only_json(const Outcome& outcome) {
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

}  // namespace gloss
