#include "run/data_files.h"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/system/signals.h"
#include "common/system/stop.h"
#include "run/train_translate.h"
#include "tests/run/small_job.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

class DataFilesTest : public testing::Test {
 protected:
  // Returns the text on stderr when the run was refused.
  std::string refused(const std::string& message) const {
    testing::internal::CaptureStderr();
    EXPECT_THAT([&] { job_.run(); }, ThrowsMessage<DataError>(HasSubstr(message)));
    EXPECT_FALSE(std::filesystem::exists(job_ / "run"));
    return testing::internal::GetCapturedStderr();
  }

  SmallJob job_;
};

TEST_F(DataFilesTest, AreAllCheckedBeforeATokenizerIsTrained) {
  const auto data = job_.config.data;
  for (const auto& path : {data.train_source, data.train_target, data.valid_source, data.valid_target, data.test_source,
                           data.test_target}) {
    const auto lines = lines_of_file(path);
    auto more = lines;
    more.push_back("one more");
    write_lines(path, more);
    EXPECT_THAT(refused("line n of one must belong to line n of the other"), Not(HasSubstr("training tokenizer")))
        << path;
    more.front() = "\x1F\x8B" + more.front();
    write_lines(path, more);
    EXPECT_THAT(refused("wanted a gzip file, got damaged bytes"), Not(HasSubstr("training tokenizer"))) << path;
    write_lines(path, lines);
  }
  for (const auto& path : {data.valid_source, data.valid_target}) write_lines(path, {});
  EXPECT_THAT(refused("got empty files"), Not(HasSubstr("training tokenizer")));
}

TEST_F(DataFilesTest, AreNamedByKeyIfMissing) {
  auto data = job_.config.data;
  EXPECT_NO_THROW(expect_data_files(data));
  data.train_target = data.train_source;
  EXPECT_THAT([&] { expect_data_files(data); }, ThrowsMessage<UsageError>(HasSubstr("data.train_target: is the same")));
  data.train_target = "";
  EXPECT_THAT([&] { expect_data_files(data); }, ThrowsMessage<UsageError>(HasSubstr("data.train_target: wanted")));
  data = job_.config.data;
  data.test_target = "nowhere";
  EXPECT_THAT([&] { expect_data_files(data); }, ThrowsMessage<DataError>(HasSubstr("nowhere")));
}

TEST_F(DataFilesTest, ASignalStopsTheReadingAndNothingIsLeft) {
  {
    const StopOnSignal stop;
    std::raise(SIGTERM);
    EXPECT_THROW(expect_aligned(TextFiles{job_.config.data.train_source, job_.config.data.train_target}), Stopped);
    testing::internal::CaptureStderr();
    EXPECT_EQ(job_.run().end, TrainingEnd::kStopped);
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                AllOf(HasSubstr("stopped before training began"), Not(HasSubstr("training tokenizer"))));
  }
  EXPECT_FALSE(std::filesystem::exists(job_ / "run"));
  const StopOnSignal forgets_the_last_signal;
}

}  // namespace
}  // namespace gloss
