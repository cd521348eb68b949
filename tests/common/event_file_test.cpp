#include "common/event_file.h"

#include <chrono>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/atomic_file.h"
#include "common/error.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

class EventFileTest : public testing::Test {
 protected:
  std::vector<std::string> lines() const {
    std::istringstream text(read_file(path_, 1'000'000));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "log.jsonl";
};

double now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

TEST_F(EventFileTest, AnEventIsALineWithItsNameAndItsTime) {
  const auto before = now();
  EventFile events(path_);
  EXPECT_TRUE(events.is_open());
  EXPECT_TRUE(events.write("step", {{"loss", 0.5}, {"text", "a\nb"}}));
  EXPECT_TRUE(events.write("end", {}));
  ASSERT_EQ(lines().size(), 2U);
  const auto step = parse_json(lines()[0]);
  EXPECT_EQ(step.size(), 4U);
  EXPECT_EQ(step["event"], "step");
  EXPECT_EQ(step["loss"], 0.5);
  EXPECT_EQ(step["text"], "a\nb");
  EXPECT_GE(step["time"], before);
  EXPECT_LE(step["time"], now());
  EXPECT_EQ(parse_json(lines()[1])["event"], "end");
}

TEST_F(EventFileTest, AnEventIsInTheFileAtOnce) {
  EventFile events(path_);
  events.write("step", {});
  EXPECT_EQ(lines().size(), 1U);
}

TEST_F(EventFileTest, WhatStandsThereIsAddedTo) {
  write_file(path_, "{\"event\":\"older\"}\n");
  EventFile(path_).write("newer", {});
  ASSERT_EQ(lines().size(), 2U);
  EXPECT_EQ(lines()[0], "{\"event\":\"older\"}");
}

TEST_F(EventFileTest, ALineThatAKilledProcessLeftTornIsEndedFirst) {
  write_file(path_, "{\"event\":\"whole\"}\n{\"event\":\"to");
  EventFile(path_).write("newer", {});
  ASSERT_EQ(lines().size(), 3U);
  EXPECT_EQ(lines()[1], "{\"event\":\"to");
  EXPECT_EQ(parse_json(lines()[2])["event"], "newer");
}

TEST_F(EventFileTest, OpeningAddsNothing) {
  { const EventFile events(path_); }
  EXPECT_THAT(lines(), IsEmpty());
  write_file(path_, "{}\n");
  { const EventFile events(path_); }
  EXPECT_THAT(lines(), ElementsAre("{}"));
}

TEST_F(EventFileTest, TwoWritersOfOneFileKeepTheirLinesWhole) {
  EventFile first(path_), second(path_);
  for (int i = 0; i < 10; ++i) {
    first.write("first", {});
    second.write("second", {});
  }
  EXPECT_EQ(lines().size(), 20U);
  for (const auto& line : lines()) EXPECT_NO_THROW(parse_json(line));
}

TEST_F(EventFileTest, AClosedOneTakesEventsAndKeepsNone) {
  EventFile events;
  EXPECT_FALSE(events.is_open());
  EXPECT_TRUE(events.write("step", {}));
}

TEST_F(EventFileTest, WhereItCannotBeWrittenItIsClosedAndSaysSoOnce) {
  EventFile events("/dev/full");
  EXPECT_FALSE(events.write("step", {}));
  EXPECT_FALSE(events.is_open());
  EXPECT_TRUE(events.write("step", {}));
}

TEST_F(EventFileTest, APathThatCannotBeOpenedIsAnError) {
  EXPECT_THAT([&] { EventFile events(folder_ / "absent" / "log"); },
              ThrowsMessage<IoError>(HasSubstr("absent/log: cannot open: No such file")));
  EXPECT_THAT([&] { EventFile events(folder_.path()); }, ThrowsMessage<IoError>(HasSubstr("Is a directory")));
}

}  // namespace
}  // namespace gloss
