#include "app/output/standard_output.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

class OutputFileTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "results";
};

TEST_F(OutputFileTest, TheFileAppearsWithAllResultsOrNotAtAll) {
  {
    OutputFile output(file_);
    EXPECT_FALSE(output.is_stdout());
    output.write("one\n");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));

  OutputFile output(file_);
  output.write("one\n");
  output.write("two\n");
  EXPECT_FALSE(std::filesystem::exists(file_));
  output.commit();
  EXPECT_EQ(read_file(file_, 100), "one\ntwo\n");
}

TEST_F(OutputFileTest, AnOlderFileStaysUntilItIsReplaced) {
  write_file(file_, "older");
  OutputFile output(file_);
  output.write("newer");
  EXPECT_EQ(read_file(file_, 100), "older");
  output.commit();
  EXPECT_EQ(read_file(file_, 100), "newer");
}

TEST_F(OutputFileTest, AFileThatCannotBeMadeIsRefusedAtOnce) {
  EXPECT_THROW(OutputFile(folder_.path()), IoError);
  EXPECT_THROW(OutputFile(folder_ / "absent" / "results"), IoError);
}

TEST_F(OutputFileTest, WithoutAFileResultsGoToStdout) {
  testing::internal::CaptureStdout();
  OutputFile output(std::nullopt);
  EXPECT_TRUE(output.is_stdout());
  output.write("one\n");
  output.commit();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "one\n");
}

TEST(PrintableReportTest, KeepsLinesAndTheMeaningOfJson) {
  EXPECT_EQ(printable_report("a\tb\n\u4f60\n"), "a\tb\n\u4f60\n");
  EXPECT_EQ(printable_report("[\"\u009b2J\u202e\x7f\x1b\"]\r\n"), "[\"\\u009b2J\\u202e\\u007f\\u001b\"]\\u000d\n");
  EXPECT_EQ(printable_report("a\xff\xe2\x82z"), "a\ufffd\ufffdz");
}

}  // namespace
}  // namespace gloss
