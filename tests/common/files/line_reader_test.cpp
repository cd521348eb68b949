#include "common/files/line_reader.h"

#include <fstream>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/error.h"
#include "common/files/sha256.h"
#include "common/system/descriptor.h"
#include "tests/support/gzip_file.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using namespace std::string_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

void write_text(const std::filesystem::path& path, const std::string& text) { std::ofstream(path) << text; }

class LineReaderTest : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& bytes) {
    write_text(folder_ / "text", bytes);
    return folder_ / "text";
  }

  std::vector<std::string> lines(const std::string& bytes) {
    LineReader reader(file(bytes));
    std::vector<std::string> result;
    for (std::string line; reader.next(line);) result.push_back(line);
    EXPECT_EQ(reader.line_number(), std::ssize(result));
    return result;
  }

  TemporaryFolder folder_;
};

TEST_F(LineReaderTest, LineFeedEndsALine) {
  EXPECT_THAT(lines("one\n\n three \n"), ElementsAre("one", "", " three "));
  EXPECT_THAT(lines(""), ElementsAre());
  EXPECT_THAT(lines("\n"), ElementsAre(""));
}

TEST_F(LineReaderTest, ReadsAnOpenFileFromItsPosition) {
  auto opened = open_regular_file(file("one\ntwo\nthree\n"));
  ASSERT_EQ(::lseek(opened->descriptor.get(), 4, SEEK_SET), 4);
  LineReader reader(std::move(opened->descriptor), "stdin");
  std::string line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "two");
  EXPECT_EQ(reader.line_number(), 1);
}

TEST_F(LineReaderTest, ReadsASocket) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  ASSERT_EQ(::write(ends[1], "one\n", 4), 4);
  ASSERT_EQ(::close(ends[1]), 0);
  LineReader reader(Descriptor{ends[0]}, "stdin");
  std::string line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "one");
  EXPECT_FALSE(reader.next(line));
}

TEST_F(LineReaderTest, ErrorsOfAnOpenFileUseItsName) {
  EXPECT_THAT([&] { LineReader(std::move(open_regular_file(file("\xFF\xFEx"))->descriptor), "stdin"); },
              ThrowsMessage<DataError>(HasSubstr("stdin: wanted UTF-8, got UTF-16")));
  EXPECT_THAT([] { LineReader(Descriptor(), "stdin"); }, ThrowsMessage<IoError>(HasSubstr("stdin: cannot read")));
}

TEST_F(LineReaderTest, LastLineWithoutAnEndCounts) { EXPECT_THAT(lines("one\ntwo"), ElementsAre("one", "two")); }

TEST_F(LineReaderTest, CarriageReturnBeforeTheEndIsDropped) {
  LineReader reader(file("one\r\n\r\ntwo\r\r\nthree\r"));
  std::vector<std::string> result;
  for (std::string line; reader.next(line);) result.push_back(line);
  EXPECT_THAT(result, ElementsAre("one", "", "two\r", "three\r"));
  EXPECT_TRUE(reader.saw_crlf());
}

TEST_F(LineReaderTest, OtherBreaksAreOrdinaryCharacters) {
  const auto text =
      "a\rb\u2028c\u0085"
      "d\0e"s;
  EXPECT_THAT(lines(text + '\n'), ElementsAre(text));
}

TEST_F(LineReaderTest, ByteOrderMarkIsDroppedAtTheBeginningOnly) {
  EXPECT_THAT(lines("\xEF\xBB\xBFone\n\xEF\xBB\xBFtwo\n"), ElementsAre("one", "\xEF\xBB\xBFtwo"));
  EXPECT_THAT(lines("\xEF\xBB\xBF"), ElementsAre(""));
}

TEST_F(LineReaderTest, LineOverTheLimitIsCutAndMarked) {
  constexpr auto kMax = LineReader::kMaxLineBytes;
  LineReader reader(file(std::string(3 * kMax, 'a') + "\nb\n" + std::string(kMax, 'c') + "\r\n" +
                         std::string(kMax, 'd') + "ee\r\n" + std::string(kMax + 1, 'f')));
  std::string line;
  const auto next = [&] { return reader.next(line) ? std::pair(line.substr(0, 1), line.size()) : std::pair(""s, 0ul); };
  EXPECT_EQ(next(), std::pair("a"s, kMax));
  EXPECT_TRUE(reader.overlong());
  EXPECT_EQ(next(), std::pair("b"s, 1ul));
  EXPECT_FALSE(reader.overlong());
  EXPECT_EQ(next(), std::pair("c"s, kMax));
  EXPECT_FALSE(reader.overlong());
  EXPECT_EQ(next(), std::pair("d"s, kMax));
  EXPECT_TRUE(reader.overlong());
  EXPECT_EQ(next(), std::pair("f"s, kMax));
  EXPECT_TRUE(reader.overlong());
  EXPECT_FALSE(reader.next(line));
  EXPECT_EQ(reader.line_number(), 5);
}

TEST_F(LineReaderTest, LinesAcrossBufferBoundariesAreWhole) {
  std::string text;
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < 400; ++i) {
    expected.emplace_back((i * 7919) % 1500, static_cast<char>('a' + i % 26));
    text += expected.back() + (i % 2 == 0 ? "\n" : "\r\n");
  }
  EXPECT_EQ(lines(text), expected);
}

TEST_F(LineReaderTest, RefusesTarArchives) {
  std::string archive(512, '\0');
  archive.replace(0, 8, "train.en");
  archive.replace(257, 5, "ustar");
  const auto path = file(archive + "a line\n");
  EXPECT_THAT([&] { LineReader reader(path); },
              ThrowsMessage<DataError>(HasSubstr("wanted plain text, got a tar archive; unpack it first")));
  EXPECT_EQ(lines(std::string(257, 'x') + "usta"), std::vector{std::string(257, 'x') + "usta"});
}

TEST_F(LineReaderTest, RefusesCompressedFiles) {
  for (const auto& [magic, format] :
       {std::pair("BZh91AY&SY"s, "bzip2"), std::pair("BZh1\x17\x72\x45\x38\x50\x90"s, "bzip2"),
        std::pair("\xFD"
                  "7zXZ\0\0"s,
                  "xz"),
        std::pair("\x28\xB5\x2F\xFD$"s, "zstd"), std::pair("PK\x03\x04"s, "zip")}) {
    const auto path = file(magic);
    EXPECT_THAT(([&path] { LineReader reader(path); }),
                ThrowsMessage<DataError>(AllOf(HasSubstr("text: "), HasSubstr(format), HasSubstr("decompress"))));
  }
}

TEST_F(LineReaderTest, ReadsGzipWithSeveralMembers) {
  const auto path = folder_ / "text.gz";
  const std::string long_line(LineReader::kMaxLineBytes, 'x');
  write_gzip(path, "one\ntw");
  write_gzip(path, "o\n\n" + long_line + "\n", "ab");
  Sha256 sum;
  LineReader reader(path, Passes::kSeveral, &sum);
  std::vector<std::string> result;
  for (std::string line; reader.next(line);) result.push_back(line);
  EXPECT_THAT(result, ElementsAre("one", "two", "", long_line));
  Sha256 of_text;
  of_text.update("one\ntwo\n\n" + long_line + "\n");
  EXPECT_EQ(sum.hex(), of_text.hex()) << "of the text, so that a run resumes with the decompressed file, too";
}

TEST_F(LineReaderTest, RefusesDamagedGzip) {
  const auto path = folder_ / "text.gz";
  write_gzip(path, "one\ntwo\n");
  const auto bytes = std::filesystem::file_size(path);
  const auto read_all = [&] {
    LineReader reader(path);
    for (std::string line; reader.next(line);) continue;
  };
  EXPECT_NO_THROW(read_all());
  std::filesystem::resize_file(path, bytes - 1);
  EXPECT_THAT(read_all, ThrowsMessage<DataError>(HasSubstr("text.gz: the gzip file is cut off")));
  write_text(path, "\x1F\x8B\x08 and no more of it");
  EXPECT_THAT(read_all, ThrowsMessage<DataError>(HasSubstr("text.gz: wanted a gzip file, got damaged bytes")));
}

TEST_F(LineReaderTest, ReadsAColumnOfATable) {
  const auto path = folder_ / "pairs.tsv";
  write_text(path, "one\teins\nbad line\n");
  LineReader first(path.string() + ":1"), second(path.string() + ":2");
  std::string line;
  ASSERT_TRUE(first.next(line));
  EXPECT_EQ(line, "one");
  ASSERT_TRUE(second.next(line));
  EXPECT_EQ(line, "eins");
  EXPECT_THAT([&] { second.next(line); }, ThrowsMessage<DataError>(HasSubstr("pairs.tsv: line 2: wanted at least 2")));
}

TEST_F(LineReaderTest, AcceptsTextThatStartsLikeACompressedFile) {
  for (const auto& text : {"BZh"s, "BZh is short for something"s, "BZh0\x31\x41\x59&SY"s, "BZh9 1AY&SY"s, "PK"s})
    EXPECT_EQ(lines(text), std::vector{text});
}

TEST_F(LineReaderTest, RefusesUtf16) {
  for (const auto& bytes : {"\xFF\xFEh\0i\0"s, "\xFE\xFF\0h\0i"s})
    EXPECT_THAT([&] { LineReader reader(file(bytes)); }, ThrowsMessage<DataError>(HasSubstr("got UTF-16")));
}

TEST_F(LineReaderTest, RefusesMissingFilesFoldersAndDevices) {
  EXPECT_THAT([&] { LineReader reader(folder_ / "absent"); }, ThrowsMessage<DataError>(HasSubstr("not there")));
  EXPECT_THAT([&] { LineReader reader(folder_.path()); }, ThrowsMessage<DataError>(HasSubstr("got a folder")));
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_THAT([&] { LineReader reader(folder_ / "pipe"); }, ThrowsMessage<UsageError>(HasSubstr("several passes")));
  EXPECT_THAT([&] { LineReader reader("/dev/zero"); }, ThrowsMessage<UsageError>(HasSubstr("several passes")));
  EXPECT_THAT([&] { LineReader reader("/dev/zero", Passes::kOne); },
              ThrowsMessage<UsageError>(HasSubstr("wanted a text file, got a device")));
}

TEST_F(LineReaderTest, PipeIsReadInOnePass) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  std::thread writer([&] { write_text(folder_ / "pipe", "\xEF\xBB\xBFone\r\ntwo"); });
  LineReader reader(folder_ / "pipe", Passes::kOne);
  std::string first, second, none;
  EXPECT_TRUE(reader.next(first) && reader.next(second));
  EXPECT_FALSE(reader.next(none));
  writer.join();
  EXPECT_EQ(first, "one");
  EXPECT_EQ(second, "two");
}

TEST_F(LineReaderTest, ErrorNamesTheUnreadableFile) {
  std::filesystem::create_symlink("circle", folder_ / "circle");
  EXPECT_THAT([&] { LineReader reader(folder_ / "circle"); }, ThrowsMessage<IoError>(HasSubstr("circle: cannot")));
}

class TextPathTest : public testing::Test {
 protected:
  TextPathTest() {
    std::ofstream(folder_ / "pairs.tsv") << "a\tb\n";
    std::ofstream(folder_ / "odd:1") << "a\n";
  }
  TextPath of(const std::string& name) { return TextPath::of(folder_ / name); }

  TemporaryFolder folder_;
};

TEST_F(TextPathTest, NumberAfterAColonIsAColumn) {
  EXPECT_EQ(of("pairs.tsv:2").file, folder_ / "pairs.tsv");
  EXPECT_EQ(of("pairs.tsv:2").column, 2U);
  EXPECT_EQ(of("pairs.tsv").column, 0U);
}

TEST_F(TextPathTest, FileOfThatNameAndOtherEndingsAreWholeNames) {
  for (const auto* name : {"odd:1", "pairs.tsv:0", "pairs.tsv:x", "pairs.tsv:", "pairs.tsv:1x", "absent:1",
                           "pairs.tsv:99999999999999999999"}) {
    EXPECT_EQ(of(name).file, folder_ / name);
    EXPECT_EQ(of(name).column, 0U) << name;
  }
}

TEST_F(TextPathTest, SelectLeavesTheColumn) {
  const auto select = [&](const std::string& name, std::string line) {
    of(name).select(line, 7);
    return line;
  };
  EXPECT_EQ(select("pairs.tsv:1", "a b\tc\td"), "a b");
  EXPECT_EQ(select("pairs.tsv:2", "a b\tc\td"), "c");
  EXPECT_EQ(select("pairs.tsv:3", "a b\tc\td"), "d");
  EXPECT_EQ(select("pairs.tsv:2", "a\t"), "");
  EXPECT_EQ(select("pairs.tsv", "a\tb"), "a\tb");
  EXPECT_THAT(
      [&] { select("pairs.tsv:3", "a\tb"); },
      ThrowsMessage<DataError>(HasSubstr("pairs.tsv: line 7: wanted at least 3 columns separated by tabs, got 2")));
}

}  // namespace
}  // namespace gloss
