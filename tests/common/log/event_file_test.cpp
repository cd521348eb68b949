#include "common/log/event_file.h"

#include <chrono>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/system/descriptor.h"
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
    std::istringstream text(read_file(path_, 10'000'000));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "log.jsonl";
};

double now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

TEST_F(EventFileTest, EventHasNameAndTime) {
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

TEST_F(EventFileTest, EventIsWrittenAtOnce) {
  EventFile events(path_);
  events.write("step", {});
  EXPECT_EQ(lines().size(), 1U);
}

TEST_F(EventFileTest, AppendsToExistingContent) {
  write_file(path_, "{\"event\":\"older\"}\n");
  EventFile(path_).write("newer", {});
  ASSERT_EQ(lines().size(), 2U);
  EXPECT_EQ(lines()[0], "{\"event\":\"older\"}");
}

TEST_F(EventFileTest, TheBeginningOfAnEventIsRemovedFromTheEnd) {
  const std::string whole = "{\"event\":\"whole\"}";
  for (const auto& torn : std::vector<std::string>{"{\"event\":\"to", "{", "{\"event\":\"torn\"",
                                                   std::string("{\"\0\0", 4), std::string(200, '\0')}) {
    for (const std::string& before : {std::string(), whole + '\n', std::string(3 << 20, ' ') + whole + '\n'}) {
      write_file(path_, before + torn);
      EventFile(path_).write("newer", {});
      const auto lines = this->lines();
      ASSERT_EQ(lines.size(), before.empty() ? 1U : 2U) << torn;
      EXPECT_EQ(parse_json(lines.back())["event"], "newer");
    }
  }
}

TEST_F(EventFileTest, AnotherLastLineIsEndedFirst) {
  for (const std::string& last :
       {std::string("{\"event\":\"whole\"}"), std::string("a note"), '{' + std::string(2 << 20, 'x')}) {
    write_file(path_, last);
    EventFile(path_).write("newer", {});
    ASSERT_EQ(lines().size(), 2U);
    EXPECT_EQ(lines()[0], last);
    EXPECT_EQ(parse_json(lines()[1])["event"], "newer");
  }
}

TEST_F(EventFileTest, OpeningAddsNothing) {
  { const EventFile events(path_); }
  EXPECT_THAT(lines(), IsEmpty());
  write_file(path_, "{}\n");
  { const EventFile events(path_); }
  EXPECT_THAT(lines(), ElementsAre("{}"));
}

TEST_F(EventFileTest, LinesOfTwoWritersStayWhole) {
  EventFile first(path_), second(path_);
  for (int i = 0; i < 10; ++i) {
    first.write("first", {});
    second.write("second", {});
  }
  EXPECT_EQ(lines().size(), 20U);
  for (const auto& line : lines()) EXPECT_NO_THROW(parse_json(line));
}

TEST_F(EventFileTest, ClosedFileDiscardsEvents) {
  EventFile events;
  EXPECT_FALSE(events.is_open());
  EXPECT_TRUE(events.write("step", {}));
}

TEST_F(EventFileTest, WriteErrorClosesTheFileAndIsReportedOnce) {
  EventFile events("/dev/full");
  EXPECT_FALSE(events.write("step", {}));
  EXPECT_FALSE(events.is_open());
  EXPECT_TRUE(events.write("step", {}));
}

/// A named pipe at `path_`, opened for reading; `read` returns its content.
class EventPipeTest : public EventFileTest {
 protected:
  EventPipeTest() {
    if (::mkfifo(path_.c_str(), 0600) != 0) throw std::runtime_error("no pipe");
  }

  std::string read() const {
    std::string text(1 << 20, '\0');
    const Descriptor pipe(::open(path_.c_str(), O_RDONLY | O_NONBLOCK));
    text.resize(read_up_to_empty(pipe, text));
    return text;
  }

  static std::vector<Json> events_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<Json> events;
    for (std::string line; std::getline(stream, line);) events.push_back(parse_json(line));
    return events;
  }

 private:
  static std::size_t read_up_to_empty(const Descriptor& pipe, std::string& text) {
    std::size_t size = 0;
    for (ssize_t got = 0; (got = ::read(pipe.get(), text.data() + size, text.size() - size)) > 0;)
      size += static_cast<std::size_t>(got);
    return size;
  }
};

TEST_F(EventPipeTest, OpeningAndWritingDoNotWaitForAReader) {
  EventFile events(path_);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(events.write("step", {{"step", i}, {"text", std::string(200, 'x')}}));
  EXPECT_TRUE(events.is_open());
  EXPECT_GT(events.dropped(), 0);
}

TEST_F(EventPipeTest, LateReaderFindsWholeLinesAndTheNumberOfDroppedOnes) {
  // The lines do not fit into a page of the pipe, so the last one is accepted in part.
  EventFile events(path_);
  for (int i = 0; i < 100; ++i) events.write("step", {{"step", i}, {"text", std::string(5000, 'x')}});
  const auto dropped = events.dropped();
  auto text = read();
  events.write("step", {{"step", 100}});
  text += read();
  events.write("step", {{"step", 101}});
  text += read();
  const auto found = events_of(text);
  ASSERT_GT(found.size(), 3u);
  EXPECT_EQ(found[found.size() - 3]["event"], "dropped");
  EXPECT_EQ(found[found.size() - 3]["events"], dropped);
  EXPECT_EQ(found[found.size() - 2]["step"], 100);
  EXPECT_EQ(found.back()["step"], 101);
  EXPECT_EQ(static_cast<std::int64_t>(found.size()) - 1 + dropped, 102);
  for (std::size_t i = 0; i + 3 < found.size(); ++i) EXPECT_EQ(found[i]["step"], i);
}

TEST_F(EventPipeTest, AnEventThatIsTornAtTheEndIsCounted) {
  const Descriptor reader(::open(path_.c_str(), O_RDONLY | O_NONBLOCK));
  EventFile events(path_);
  for (int i = 0; i < 100; ++i) events.write("step", {{"step", i}, {"text", std::string(5000, 'x')}});
  const auto dropped = events.dropped();
  EXPECT_EQ(events.finish(), dropped + 1) << "the last one was taken in part";
  EXPECT_FALSE(events.is_open());
}

// The lines fit into the pipe, but they end with it.
TEST_F(EventPipeTest, EventsThatNobodyReadsAreCountedAtTheEnd) {
  EventFile events(path_);
  for (int i = 0; i < 3; ++i) events.write("step", {{"step", i}});
  EXPECT_EQ(events.dropped(), 0);
  EXPECT_EQ(events.finish(), 3);
}

TEST_F(EventPipeTest, AReaderKeepsTheEventsOfAProcessThatHasEnded) {
  const Descriptor reader(::open(path_.c_str(), O_RDONLY | O_NONBLOCK));
  EventFile events(path_);
  events.write("step", {{"step", 1}});
  EXPECT_EQ(events.finish(), 0);
  EXPECT_EQ(events_of(read()).size(), 1u);
}

TEST_F(EventFileTest, UnopenablePathIsAnError) {
  EXPECT_THAT([&] { EventFile events(folder_ / "absent" / "log"); },
              ThrowsMessage<IoError>(HasSubstr("absent/log: cannot open: No such file")));
  EXPECT_THAT([&] { EventFile events(folder_.path()); }, ThrowsMessage<IoError>(HasSubstr("Is a directory")));
}

}  // namespace
}  // namespace gloss
