#include "common/files/file_kind.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace gloss {
namespace {

using namespace std::string_literals;

TEST(FileKindTest, RecognizesFormatsByTheirFirstBytes) {
  for (const auto& [start, kind] : {
           std::pair{""s, "an empty file"},
           {"{\"seed\""s, "a JSON text"},
           {"\n  [1, 2]"s, "a JSON text"},
           {"\xef\xbb\xbf {\"a\""s, "a JSON text"},
           {"Two dogs"s, "a text"},
           {"zwölf B\xc3"s, "a text"},
           {"\n\x0e\n\x05<unk"s, "a SentencePiece model"},
           {"\n\x09\n\x02he\x15\x00"s, "a SentencePiece model"},
           {"\x40\x00\x00\x00\x00\x00\x00\x00{\"__metadata__\""s, "a safetensors file"},
           {"PK\x03\x04____"s, "a zip archive, as torch.save and NumPy write"},
           {"\x1f\x8b\x08\x00____"s, "gzip: decompress it first"},
           {"\xff\xfeh\x00i\x00"s, "UTF-16"},
           {"version https"s, "a Git LFS pointer: fetch the file itself"},
           {"\x40\x00\x00\x00\x00\x00\x00\x00"s, ""},
           {"\n"s, ""},
           {"\x81\x82\x83\x84\x85\x86\x87\x88"s, ""},
       })
    EXPECT_EQ(file_kind(start), kind) << start;
}

}  // namespace
}  // namespace gloss
