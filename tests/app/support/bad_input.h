#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "tests/app/support/process.h"

namespace gloss {

/// Describes the contents of a folder: the bytes of a file, the target of a link, the kind of anything else.
std::map<std::string, std::string> contents_of(const std::filesystem::path& folder);

/// A command, and what is to become of it.
struct BadInput {
  std::string what;
  Arguments command;
  int exit_code = 0;
  std::string message;  ///< a regular expression that must be found on stderr; empty: nothing may be printed there
  std::string input = {};
  bool is_cut = false;  ///< an untrained model translates, whose translations the length limit may cut with a warning
};

/// Runs the command and expects what is said of it: where that is a refusal, also a single line on stderr, nothing on
/// stdout and no change in `folder`; always no control character on stderr, and no exception's bare text.
Outcome expect_outcome(const BadInput& bad, const std::filesystem::path& folder);

}  // namespace gloss
