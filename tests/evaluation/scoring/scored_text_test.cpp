#include "evaluation/scoring/scored_text.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "common/error.h"
#include "common/system/descriptor.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

using Path = std::filesystem::path;

class ScoredTextTest : public testing::Test {
 protected:
  Path file(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }

  std::string refusal(const std::function<void()>& read) {
    try {
      read();
    } catch (const DataError& error) {
      return error.what();
    }
    return "no DataError";
  }

  std::vector<SystemOutput> systems_of(const Path& path) {
    return read_tabbed_systems(std::move(open_regular_file(path)->descriptor), "stdin");
  }

  std::string refused_lines(const std::string& text) {
    return refusal([&] { read_scored_lines(file("text", text)); });
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(ScoredTextTest, OnlyLineFeedsEndLines) {
  EXPECT_THAT(read_scored_lines(file("text",
                                     "a\rb\u2028c\x0c"
                                     "d\u0085e\nf")),
              ElementsAre("a\rb\u2028c\x0c"
                          "d\u0085e",
                          "f"));
}

TEST_F(ScoredTextTest, WhiteSpaceAtTheEndOfALineIsDropped) {
  EXPECT_THAT(read_scored_lines(file("text",
                                     " a \t\r\nb\u3000\u00a0\n\n \n\x1c"
                                     "c\x1c\u200b\n")),
              ElementsAre(" a", "b", "", "",
                          "\x1c"
                          "c\x1c\u200b"));
}

TEST_F(ScoredTextTest, AByteOrderMarkIsDroppedAtTheBeginningOnly) {
  EXPECT_THAT(read_scored_lines(file("text", "\ufeffa\n\ufeffb\n")), ElementsAre("a", "\ufeffb"));
}

TEST_F(ScoredTextTest, InvalidTextIsRefusedWithItsLine) {
  EXPECT_THAT(refused_lines("a\nb\xff\n"),
              AllOf(HasSubstr("line 2: wanted UTF-8"), HasSubstr("got an invalid byte at position 2")));
  EXPECT_THAT(refused_lines("a\nb\n\xed\xa0\x80\n"), HasSubstr("line 3: wanted UTF-8"));
  EXPECT_THAT(refused_lines(std::string("a\0b\n", 4)), HasSubstr("line 1: wanted text, got a NUL"));
  EXPECT_THAT(refused_lines("\n" + std::string(1 << 17, 'a')), HasSubstr("line 2 is longer than 65536 bytes"));
  EXPECT_THAT(refused_lines(""), HasSubstr("got an empty file"));
}

TEST_F(ScoredTextTest, SeveralFilesAreSeveralReferences) {
  const std::vector<Path> files{file("a", "1\n2\n"), file("b", "3\n\n")};
  const auto references = read_references(files);
  EXPECT_THAT(references.of_line, ElementsAre(ElementsAre("1", "3"), ElementsAre("2", "")));
  EXPECT_EQ(references.count(), "2");
}

TEST_F(ScoredTextTest, ReferenceFilesOfDifferentLengthAreRefused) {
  const std::vector<Path> files{file("a", "1\n2\n"), file("b", "3\n")};
  EXPECT_THAT(refusal([&] { read_references(files); }), AllOf(HasSubstr("b has 1 line"), HasSubstr("a 2;")));
}

TEST_F(ScoredTextTest, LastOfSeveralColumnsKeepsItsTabs) {
  const std::vector<Path> files{file("a", "1\t2\t3\n4 \t5\t \n")};
  EXPECT_THAT(read_references(files, {2, false}).of_line,
              ElementsAre(ElementsAre("1", "2\t3"), ElementsAre("4 ", "5")));
}

TEST_F(ScoredTextTest, SingleColumnKeepsItsTabs) {
  const std::vector<Path> files{file("a", "1\t2\n")};
  EXPECT_THAT(read_references(files).of_line, ElementsAre(ElementsAre("1\t2")));
}

TEST_F(ScoredTextTest, LineWithMissingReferencesIsRefused) {
  // The white space at the end of the second line is dropped, including its tab.
  const std::vector<Path> files{file("a", "1\t2\n1\t\n")};
  EXPECT_THAT(refusal([&] { read_references(files, {2, false}); }), HasSubstr("line 2: wanted 2 references"));
}

TEST_F(ScoredTextTest, LinesMayHaveDifferentNumbersOfReferences) {
  const std::vector<Path> files{file("a", "1\t2\t3\n4\n\t5\t\t6\n")};
  const auto references = read_references(files, {1, true});
  EXPECT_THAT(references.of_line, ElementsAre(ElementsAre("1", "2", "3"), ElementsAre("4"), ElementsAre("5", "6")));
  EXPECT_EQ(references.count(), "var");
}

// A table as wide as the widest line would take 10 GiB.
TEST_F(ScoredTextTest, LineWithManyReferencesDoesNotWidenTheOthers) {
  std::string text(10'000, '\t');
  for (int line = 0; line < 25'000; ++line) text += "1\n";
  text.insert(0, "0");
  const auto references = read_references(std::vector<Path>{file("a", text)}, {1, true});
  std::size_t kept = 0;
  for (const auto& line : references.of_line) kept += line.capacity();
  EXPECT_LT(kept, 100'000u);
}

// An empty column must not allocate a string.
TEST_F(ScoredTextTest, EmptyReferencesTakeNoMemory) {
  std::string text;
  for (int line = 0; line < 500; ++line) text += "1" + std::string(5'000, '\t') + "2\n";
  const auto references = read_references(std::vector<Path>{file("a", text)}, {1, true});
  std::size_t kept = 0;
  for (const auto& line : references.of_line) kept += line.capacity();
  EXPECT_LE(kept, 1'000u);
}

TEST_F(ScoredTextTest, LineWithoutReferenceIsRefused) {
  const std::vector<Path> files{file("a", "1\n\t \n")};
  EXPECT_THAT(refusal([&] { read_references(files, {1, true}); }), HasSubstr("line 2: wanted a reference"));
}

TEST_F(ScoredTextTest, ColumnsAndSeveralFilesExcludeEachOther) {
  const std::vector<Path> files{file("a", "1\t2\n"), file("b", "1\t2\n")};
  EXPECT_THROW(read_references(files, {2, false}), UsageError);
}

TEST_F(ScoredTextTest, TabsSeparateSystems) {
  const auto systems = systems_of(file("a", "1\t2\n3 \t4\t\n"));
  ASSERT_THAT(systems, SizeIs(2));
  EXPECT_EQ(systems[1].name, "System 2");
  EXPECT_THAT(systems[0].lines, ElementsAre("1", "3"));
  EXPECT_THAT(systems[1].lines, ElementsAre("2", "4"));
  EXPECT_THAT(refusal([&] { systems_of(file("b", "1\t2\n3\n")); }), HasSubstr("line 2: wanted 2 systems"));
}

// Like sacreBLEU, which reads the first line separately.
TEST_F(ScoredTextTest, ColumnsOfTheFirstLineKeepTrailingSpace) {
  const auto systems = systems_of(file("a", " 1 \t 2 \n 3 \t 4 \n"));
  ASSERT_THAT(systems, SizeIs(2));
  EXPECT_THAT(systems[0].lines, ElementsAre(" 1 ", " 3"));
  EXPECT_THAT(systems[1].lines, ElementsAre(" 2", " 4"));
}

TEST_F(ScoredTextTest, ReturnEndsALineOfSystems) {
  const auto lines = [&](const std::string& text) { return systems_of(file("a", text)).front().lines; };
  EXPECT_THAT(lines("1\r2\r\n3\n\r4"), ElementsAre("1", "2", "3", "", "4"));
  EXPECT_THAT(lines("1\r2\r"), ElementsAre("1", "2"));
  EXPECT_THAT(lines("1\r\r\n"), ElementsAre("1", ""));
  EXPECT_THAT(refusal([&] { lines("1\t2\r3"); }), HasSubstr("line 2: wanted 2 systems"));
}

TEST_F(ScoredTextTest, LineLimitAppliesToLinesEndedByReturns) {
  std::string text;
  for (int line = 0; line < 40'000; ++line) text += "a b\r";
  EXPECT_THAT(systems_of(file("a", text)).front().lines, SizeIs(40'000));
  EXPECT_THAT(refusal([&] { systems_of(file("b", "a\rb\n\r" + std::string(1 << 17, 'c') + "\r")); }),
              HasSubstr("stdin: line 4 is longer than 65536 bytes"));
  EXPECT_THAT(refusal([&] { systems_of(file("c", "a\rb\n\xff\r")); }), HasSubstr("stdin: line 3: wanted UTF-8"));
}

TEST_F(ScoredTextTest, SystemsAreReadFromTheCurrentPosition) {
  auto opened = open_regular_file(file("a", "header\n1\n2\n"));
  ASSERT_EQ(::lseek(opened->descriptor.get(), 7, SEEK_SET), 7);
  EXPECT_THAT(read_tabbed_systems(std::move(opened->descriptor), "stdin").front().lines, ElementsAre("1", "2"));
}

}  // namespace
}  // namespace gloss
