#include "interchange/formats/zip_file.h"

#include <fstream>

#include "tests/interchange/formats/foreign_bytes.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::ElementsAre;

class ZipFileTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_libzip()) GTEST_SKIP() << "built without libzip";
  }

  static ZipFile parse_bytes(const std::string& bytes) {
    const TemporaryFolder folder;
    put_file(folder / "a.zip", bytes);
    return ZipFile::open(folder / "a.zip");
  }
  static ZipFile parse(const std::vector<ZipEntry>& entries) { return parse_bytes(zip_bytes(entries)); }
  static auto parsing(const std::vector<ZipEntry>& entries) {
    return [entries] { parse(entries); };
  }
  static auto reading(const std::vector<ZipEntry>& entries) {
    return [entries] { parse(entries).read(entries.front().name); };
  }
  const std::string long_ = std::string(100'000, 'a') + "b";
};

TEST_F(ZipFileTest, ReadsStoredAndDeflatedEntries) {
  const auto archive = parse({{"b.npy", "hello"}, {"folder/", ""}, {"folder/a", long_, true}, {"empty", ""}});
  EXPECT_THAT(archive.name(), testing::EndsWith("/a.zip"));
  EXPECT_THAT(archive.entries(), ElementsAre("b.npy", "empty", "folder/a"));
  EXPECT_EQ(archive.read("b.npy"), "hello");
  EXPECT_EQ(archive.read("folder/a"), long_);
  EXPECT_EQ(archive.read("empty"), "");
  EXPECT_EQ(archive.read_start("folder/a", 5), "aaaaa");
  EXPECT_EQ(archive.read_start("b.npy", 500), "hello");
  EXPECT_EQ(archive.size("folder/a"), 100'001u);
  EXPECT_THAT([&] { archive.read("none"); }, refuses_model("a.zip: wanted an entry none, got none of this name"));
}

TEST_F(ZipFileTest, ReadsAFileThatIsRemovedMeanwhile) {
  const TemporaryFolder folder;
  put_file(folder / "a.zip", zip_bytes({{"x", long_, true}}));
  auto archive = ZipFile::open(folder / "a.zip");
  std::filesystem::remove(folder / "a.zip");
  const auto moved = std::move(archive);
  EXPECT_EQ(moved.read("x"), long_);
}

TEST_F(ZipFileTest, ReadsSizesOfTheCentralDirectory) {
  const auto archive =
      parse({{"later", long_, true, {}, {}, {}, {}, 8}, {"wide", "hello", false, {}, {}, {}, {}, 0, true}});
  EXPECT_EQ(archive.read("later"), long_);
  EXPECT_EQ(archive.read("wide"), "hello");
}

TEST_F(ZipFileTest, RefusesOtherFiles) {
  const TemporaryFolder folder;
  const auto opening = [&](const std::string& bytes) {
    put_file(folder / "a.zip", bytes);
    return [path = folder / "a.zip"] { ZipFile::open(path); };
  };
  EXPECT_THAT(opening("{\"a\": 1}"), refuses_model("a.zip: wanted a ZIP archive, got a JSON text"));
  EXPECT_THAT(opening(std::string("\0\1\2", 3)), refuses_model("wanted a ZIP archive, got one that cannot be read"));
  EXPECT_THAT(opening("PK\x03\x04 and so on"), refuses_model("wanted a ZIP archive, got one that cannot be read"));
  EXPECT_THAT(opening(""), refuses_model("wanted a ZIP archive"));
  EXPECT_THAT([&] { ZipFile::open(folder.path()); }, refuses_model("wanted a regular file, got a folder or a device"));
  EXPECT_THROW(ZipFile::open(folder / "missing.zip"), IoError);
  EXPECT_THAT(parsing({}), refuses_model("a.zip: wanted a ZIP archive with entries, got none"));
  const auto whole = zip_bytes({{"a", "hello"}, {"b", long_, true}});
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW(parse_bytes(whole.substr(0, size)), ModelError) << size;
}

TEST_F(ZipFileTest, RefusesNamesThatLeadOutside) {
  for (const std::string name : {"/etc/passwd", "../a", "a/../../b", "..", "a\\b", "a\nb", "\xff\xfe"})
    EXPECT_THAT(parsing({{name, "x"}}), refuses_model("name of an entry: wanted")) << name;
  EXPECT_THAT(parsing({{std::string(1001, 'a'), "x"}}), refuses_model("wanted 1 to 1000 bytes"));
  EXPECT_NO_THROW(parse({{"a..b/..c", "x"}}));
}

TEST_F(ZipFileTest, RefusesRepeatedNames) {
  EXPECT_THAT(parsing({{"a", "x"}, {"a", "y"}}), refuses_model("entry a: wanted each name once, got it twice"));
}

TEST_F(ZipFileTest, RefusesOtherMethodsAndEncryptedEntries) {
  EXPECT_THAT(parsing({{"a", "x", false, {}, {}, {}, 12}}),
              refuses_model("entry a: wanted it stored (method 0) or deflated (8), got method 12"));
  EXPECT_THAT(parsing({{"a", "x", false, {}, {}, {}, {}, 1}}),
              refuses_model("without a password, got an encrypted one"));
}

TEST_F(ZipFileTest, RefusesSizesThatAreFalse) {
  EXPECT_THAT(parsing({{"a", "hello", false, 6}}), refuses_model("wanted equal sizes packed and unpacked"));
  EXPECT_THAT(parsing({{"a", "hello", false, 5000, 5000}}), refuses_model("the entries within the file's"));
  EXPECT_THAT(parsing({{"a", "hello", true, {}, 4'000'000'000}}), refuses_model("the entries within the file's"));
  for (const auto size : {long_.size() - 1, long_.size() + 1, std::size_t{0}})
    EXPECT_THAT(reading({{"a", long_, true, size}}), refuses_model("a.zip: entry a: ")) << size;
}

TEST_F(ZipFileTest, RefusesDamagedBytes) {
  EXPECT_THAT(reading({{"a", "hello", false, {}, {}, 17}}), refuses_model("a.zip: entry a: CRC error"));
  EXPECT_THAT(reading({{"a", "hello", true, {}, {}, 17}}), refuses_model("a.zip: entry a: CRC error"));
  EXPECT_THAT(reading({{"a", "hello, this is no deflated text", false, {}, {}, {}, 8}}),
              refuses_model("a.zip: entry a: "));
}

// Entries that share their data make bombs of a factor of millions.
TEST_F(ZipFileTest, RefusesEntriesThatOverlap) {
  std::vector<ZipEntry> entries{{"first", std::string(1000, 'x')}};
  for (int i = 0; i < 20; ++i) {
    entries.push_back(entries.front());
    entries.back().name = std::to_string(i);
    entries.back().shares_previous = true;
  }
  EXPECT_THAT(parsing(entries), refuses_model("the entries within the file's"));
}

TEST_F(ZipFileTest, ReadsTheRestOfAnEntry) {
  const auto archive = parse({{"a", "hello", false, {}, {}, 17}, {"b", long_, true}});
  std::string rest(3, '\0');
  archive.read("b", 99'998, std::as_writable_bytes(std::span(rest)));
  EXPECT_EQ(rest, "aab");
  EXPECT_THROW(archive.read("b", 0, std::as_writable_bytes(std::span(rest))), ShapeError);
  EXPECT_THAT([&] { archive.read("a", 5, {}); }, refuses_model("a.zip: entry a: CRC error"));
}

// A bomb of 64 MiB in 64 KiB is refused before a byte of it is unpacked; so are many small ones.
TEST_F(ZipFileTest, RefusesABomb) {
  EXPECT_THAT(parsing({{"a.npy", std::string(std::size_t{64} << 20, '\0'), true}}),
              refuses_model("bytes in all entries, 20 times the file, got more"));
  std::vector<ZipEntry> small(100, {"", std::string(std::size_t{1} << 20, '\0'), true});
  for (std::size_t i = 0; i < small.size(); ++i) small[i].name = std::to_string(i);
  EXPECT_THAT(parsing(small), refuses_model("bytes in all entries, 20 times the file, got more"));
}

// libzip compares each name with all others of the same hash before it returns: the number counts before that.
TEST_F(ZipFileTest, RefusesManyEntriesBeforeTheirNamesAreHashed) {
  const auto end = [](std::uint16_t count) {
    return "PK\x05\x06" + raw(std::uint32_t{0}) + raw(count) + raw(count) + raw(std::uint64_t{0}) +
           raw(std::uint16_t{0});
  };
  const auto parsing_bytes = [](const std::string& bytes) { return [bytes] { parse_bytes(bytes); }; };
  EXPECT_THAT(parsing_bytes(end(60'000)), refuses_model("wanted at most 20000 entries, got 60000"));
  EXPECT_THAT(parsing_bytes(end(60'000) + end(1)), refuses_model("wanted at most 20000 entries, got 60000"));
  const auto wide = "PK\x06\x06" + std::string(20, '\0') + raw(std::uint64_t{1} << 20) + raw(std::uint64_t{1} << 20) +
                    std::string(16, '\0');
  const auto locator = "PK\x06\x07" + raw(std::uint32_t{0}) + raw(std::uint64_t{0}) + raw(std::uint32_t{1});
  for (const std::uint16_t count : {1, 0xffff})
    EXPECT_THAT(parsing_bytes(wide + locator + end(count)), refuses_model("wanted at most 20000 entries, got 1048576"));
}

}  // namespace
}  // namespace gloss
