#include "interchange/formats/lexical_table.h"

#include "tests/interchange/formats/foreign_bytes.h"
#include "tests/support/gzip_file.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::ElementsAre;

constexpr LexicalSizes kSizes{3, 10};
const std::string kTable = lexical_bytes(2, {{}, {4, 9}, {5}});  // whose last word of 64 bits is half

LexicalTable parsed(const std::string& bytes) { return parse_lexical_table(bytes, "lex.bin", kSizes); }
auto parsing(const std::string& bytes) {
  return [bytes] { parsed(bytes); };
}
/// The table with another number at an offset, and the checksum of that.
std::string changed(std::size_t at, const std::string& bytes) {
  auto table = kTable;
  table.replace(at, bytes.size(), bytes);
  sign_lexical(table);
  return table;
}

TEST(LexicalTableTest, HasTheListsOfTheFile) {
  const auto table = parsed(kTable);
  EXPECT_EQ(table.frequent, 2u);
  EXPECT_THAT(table.offsets, ElementsAre(0, 0, 2, 3));
  EXPECT_THAT(table.tokens, ElementsAre(4, 9, 5));
  EXPECT_THAT(parsed(lexical_bytes(0, {{}, {}, {}})).tokens, ElementsAre());
}

TEST(LexicalTableTest, IsWrittenAsItWasRead) {
  for (const auto& table : {kTable, lexical_bytes(0, {{1}, {}, {2, 3, 4}})}) {
    auto bytes = lexical_table_bytes(parsed(table));
    EXPECT_EQ(bytes[24], table == kTable ? 2 : 3) << "the longest list";
    bytes[24] = 50;  // lexical_bytes's number, which no reader needs
    sign_lexical(bytes);
    EXPECT_EQ(bytes, table);
  }
}

TEST(LexicalTableTest, IsAlsoReadCompressed) {
  const TemporaryFolder folder;
  write_gzip(folder / "lex.bin.gz", kTable);
  EXPECT_THAT(read_lexical_table(folder / "lex.bin.gz", kSizes).tokens, ElementsAre(4, 9, 5));
}

TEST(LexicalTableTest, AWrongFileIsRefusedWithTheReason) {
  EXPECT_THAT(parsing("hello hallo 0.5\n"), refuses_model("lex.bin: wanted a lexical table of Marian in its binary"));
  EXPECT_THAT(parsing(""), refuses_model("wanted a lexical table"));
  EXPECT_THAT(parsing(kTable.substr(0, 40)), refuses_model("wanted a header of 48 bytes, got 40"));
  EXPECT_THAT(parsing(lexical_bytes(2, {{}, {1}})), refuses_model("wanted 4 offsets, one more than there are source "
                                                                  "pieces, got 3; it belongs to another vocabulary"));
  EXPECT_THAT(parsing(kTable.substr(0, kTable.size() - 4)), refuses_model("wanted 4 offsets and 3 pieces"));
  EXPECT_THAT(parsing(kTable + "x"), refuses_model("got a file of 93 bytes"));
  EXPECT_THAT(parsing(changed(32, raw(std::uint64_t{1} << 61))), refuses_model("offsets"));
  EXPECT_THAT(parsing(changed(40, raw(std::uint64_t{1} << 62 | 3))), refuses_model("wanted 4 offsets and"));
  auto damaged = kTable;
  damaged[80] ^= 1;
  EXPECT_THAT(parsing(damaged), refuses_model("wanted the checksum of its header"));
  EXPECT_THAT(parsing(changed(80, raw(std::uint32_t{10}))), refuses_model("wanted target pieces from 0 to 9, got 10"));
  for (const auto& [at, offset] : {std::pair(48, 1), {56, 3}, {72, 2}})
    EXPECT_THAT(parsing(changed(static_cast<std::size_t>(at), raw(std::uint64_t(offset)))),
                refuses_model("wanted offsets that ascend from 0 to 3"));
}

}  // namespace
}  // namespace gloss
