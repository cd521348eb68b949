#include "tests/app/support/bad_input.h"

#include <algorithm>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/support/small_run.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;
using testing::StartsWith;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n'; }

void expect_refusal(const Outcome& outcome) {
  EXPECT_THAT(outcome.out, IsEmpty());
  const auto lines = lines_of(outcome.err);
  const auto is_refusal = [](const std::string& line) { return line.starts_with("gloss: "); };
  EXPECT_EQ(std::ranges::count_if(lines, is_refusal), 1) << outcome.err;
  EXPECT_TRUE(!lines.empty() && is_refusal(lines.back())) << outcome.err;
}

}  // namespace

std::map<std::string, std::string> contents_of(const fs::path& folder) {
  std::map<std::string, std::string> contents;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    auto& content = contents[entry.path().string()];
    if (entry.is_symlink()) {
      content = "-> " + fs::read_symlink(entry.path()).string();
    } else if (entry.is_regular_file()) {
      content = "file " + read_text(entry.path());
    } else {
      content = entry.is_directory() ? "folder" : "other";
    }
  }
  return contents;
}

Outcome expect_outcome(const BadInput& bad, const fs::path& folder) {
  SCOPED_TRACE(bad.what);
  const auto before = contents_of(folder);
  const auto outcome = run_gloss(bad.command, bad.input);
  EXPECT_EQ(outcome.exit_code, bad.exit_code) << outcome.err;
  const auto messages = bad.is_cut ? without_cut_warning(outcome.err) : outcome.err;
  if (bad.message.empty())
    EXPECT_THAT(messages, IsEmpty());
  else
    EXPECT_TRUE(std::regex_search(messages, std::regex(bad.message)))
        << "wanted " << bad.message << "\ngot " << outcome.err;
  EXPECT_EQ(std::ranges::count_if(outcome.err, is_control), 0) << outcome.err;
  if (bad.exit_code != 0) {
    expect_refusal(outcome);
    EXPECT_TRUE(contents_of(folder) == before) << "the folder has changed";
  }
  return outcome;
}

}  // namespace gloss
