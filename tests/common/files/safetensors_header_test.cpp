#include "common/files/safetensors_header.h"

#include <cstring>
#include <ostream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace gloss {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::size_t length_of(const std::string& start, std::uint64_t file_size) {
  return read_header_length(std::as_bytes(std::span(start)), file_size, "file");
}

std::string little_endian(std::uint64_t value) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &value, 8);
  return bytes;
}

auto refuses(const std::string& message) { return ThrowsMessage<ModelError>(HasSubstr(message)); }

TEST(HeaderLengthTest, IsReadLittleEndianAndBounded) {
  EXPECT_EQ(length_of(little_endian(264), 272), 264U);
  EXPECT_THAT([] { length_of(little_endian(264), 271); },
              refuses("file: is not a model file, or cut short: header length: wanted a multiple of 8, at most 263"));
  EXPECT_THAT([] { length_of("", 0); },
              refuses("file: is not a model file: wanted a safetensors file, got an empty file"));
  EXPECT_THAT([] { length_of(std::string(7, '\0'), 7); }, refuses("cut short: wanted at least 8 bytes, got 7"));
  EXPECT_THAT([] { length_of(little_endian(~0ULL), 1'000); }, refuses("at most 992, got 18446744073709551615"));
  EXPECT_THAT([] { length_of(little_endian(0), 1'000); }, refuses("got 0"));
  EXPECT_THAT([] { length_of(little_endian(12), 1'000); }, refuses("got 12"));
  EXPECT_THAT([] { length_of(little_endian((64U << 20) + 8), 1ULL << 40); }, refuses("at most 67108864, got 67108872"));
}

TEST(HeaderLengthTest, OtherFormatsAreNamed) {
  EXPECT_THAT([] { length_of("PK\x03\x04\x00\x00\x08\x08"s, 1'000); },
              refuses("got a zip archive, as torch.save and NumPy write"));
  EXPECT_THAT([] { length_of("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46"s, 1'000); }, refuses("got a pickle"));
  EXPECT_THAT([] { length_of("\x1f\x8b\x08\x00\x00\x00\x00\x00"s, 1'000'000); }, refuses("got gzip"));
  EXPECT_THAT([] { length_of("version https://git-lfs", 130); }, refuses("got a Git LFS pointer"));
  EXPECT_THAT([] { length_of("{\"seed\": 1}", 11); },
              refuses("file: is not a model file: wanted a safetensors file, got a JSON text"));
  EXPECT_THAT([] { length_of("Call me Ishmael.", 16); }, refuses("got a text"));
  EXPECT_THAT([] { length_of("\n\x0e\n\x05<pad", 100); }, refuses("got a SentencePiece model"));
  EXPECT_THAT([] { length_of("{\n", 2); }, refuses("got a JSON text"));
}

struct BadHeader {
  const char* name;
  std::string text;
  std::uint64_t data_size;
  const char* message;
};

void PrintTo(const BadHeader& bad, std::ostream* out) { *out << bad.name; }

// One tensor "a" of 8 bytes with one part of its entry replaced.
std::string tensor(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"a":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}
std::string two_tensors(const std::string& first, const std::string& second) {
  const auto part = [](const std::string& offsets) {
    return R"({"dtype":"U8","shape":[8],"data_offsets":)" + offsets + "}";
  };
  return R"({"a":)" + part(first) + R"(,"b":)" + part(second) + "}";
}
std::string named(const std::string& name) {
  return "{\"" + name + R"(":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
}
std::string many_tensors(int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) {
    text += (i == 0 ? "\"" : ",\"") + std::to_string(i) + R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
  }
  return text + "}";
}

class HeaderRefuses : public testing::TestWithParam<BadHeader> {};

TEST_P(HeaderRefuses, WithTheFault) {
  const auto& bad = GetParam();
  EXPECT_THAT([&] { read_header(bad.text, bad.data_size, "file"); }, refuses(bad.message));
}

const std::string kRepeated =
    R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";

INSTANTIATE_TEST_SUITE_P(
    Header, HeaderRefuses,
    testing::Values(
        BadHeader{"NoObject", "[1, 2]  ", 0, "file: header: wanted a JSON object, got \"[1, 2]  \""},
        BadHeader{"LeadingSpace", " {}", 0, "wanted a JSON object"},
        BadHeader{"BadUtf8", "{\"\xff\":1}", 0, "file: header: line 1, column 3: not UTF-8"},
        BadHeader{"BadJson", "{\"a\":}", 0, "file: header: line 1, column 6: syntax error"},
        BadHeader{"TrailingJson", "{} {}", 0, "file: header: line 1, column 4"},
        BadHeader{"TooDeep", R"({"a":{"shape":[[1]]}})", 0, "nested deeper than 3 levels"},
        BadHeader{"TooManyTensors", many_tensors(200'001), 0, "wanted at most 200000 tensors, got 200001"},
        BadHeader{"DuplicateName", kRepeated, 8, "repeated key \"a\""},
        BadHeader{"DuplicateMetadata", R"({"__metadata__":{"x":"1","x":"2"}})", 0, "repeated key \"__metadata__.x\""},
        BadHeader{"MetadataNoObject", R"({"__metadata__":[]})", 0, "file: __metadata__: wanted an object, got []"},
        BadHeader{"MetadataNoString", R"({"__metadata__":{"x":1}})", 0, "file: __metadata__.x: wanted a string, got 1"},
        BadHeader{"EntryNoObject", R"({"a":1})", 0, "tensor \"a\": wanted dtype, shape and data_offsets, got 1"},
        BadHeader{"EntryMissesAKey", R"({"a":{"dtype":"F32","shape":[2]}})", 8, "wanted dtype, shape and data_offsets"},
        BadHeader{"EntryHasAnotherKey", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1}})", 8,
                  "wanted dtype, shape and data_offsets"},
        BadHeader{"UnknownDtype", tensor("\"F64\"", "[1]", "[0,8]"), 8,
                  "dtype: wanted F32, BF16, F16, I64, I32, I8 or U8"},
        BadHeader{"DtypeNoString", tensor("4", "[2]", "[0,8]"), 8, "dtype: wanted"},
        BadHeader{"ShapeNoList", tensor("\"F32\"", "2", "[0,8]"), 8, "shape: wanted a list of at most 8 sizes, got 2"},
        BadHeader{"TooManyDimensions", tensor("\"F32\"", "[2,1,1,1,1,1,1,1,1]", "[0,8]"), 8, "at most 8 sizes"},
        BadHeader{"NegativeSize", tensor("\"F32\"", "[-2]", "[0,8]"), 8, "shape: wanted whole numbers from 0, got -2"},
        BadHeader{"FractionalSize", tensor("\"F32\"", "[2.0]", "[0,8]"), 8, "wanted whole numbers from 0, got 2.0"},
        BadHeader{"HugeSize", tensor("\"U8\"", "[9223372036854775808]", "[0,8]"), 8, "wanted whole numbers from 0"},
        BadHeader{"ProductOverflows64", tensor("\"F32\"", "[4294967296,4294967296]", "[0,0]"), 0,
                  "fewer than 2^63 bytes"},
        BadHeader{"ProductOverflows63", tensor("\"U8\"", "[3037000500,3037000500]", "[0,8]"), 8,
                  "fewer than 2^63 bytes"},
        BadHeader{"ProductWrapsToTheRightSize", tensor("\"F32\"", "[4611686018427387906]", "[0,8]"), 8,
                  "fewer than 2^63"},
        BadHeader{"OverflowHiddenByZero", tensor("\"F32\"", "[0,4294967296,4294967296]", "[0,0]"), 0,
                  "fewer than 2^63"},
        BadHeader{"ShapeUnlikeBytes", tensor("\"F32\"", "[3]", "[0,8]"), 8, "wanted 12 bytes for F32 [3], got 8"},
        BadHeader{"EmptyShapeWithBytes", tensor("\"F32\"", "[0]", "[0,8]"), 8, "wanted 0 bytes for F32 [0], got 8"},
        BadHeader{"OffsetsNoPair", tensor("\"F32\"", "[2]", "[0,8,8]"), 8, "data_offsets: wanted [begin, end]"},
        BadHeader{"NegativeOffset", tensor("\"F32\"", "[2]", "[-8,0]"), 8, "data_offsets: wanted whole numbers from 0"},
        BadHeader{"OffsetsReversed", tensor("\"F32\"", "[2]", "[8,0]"), 8, "data_offsets: wanted begin <= end"},
        BadHeader{"OffsetPastTheEnd", tensor("\"F32\"", "[4]", "[0,16]"), 8,
                  "wanted 16 bytes of tensors, from the header, "
                  "got 8; the file is cut short"},
        BadHeader{"TrailingBytes", tensor("\"F32\"", "[2]", "[0,8]"), 9,
                  "wanted 8 bytes of tensors, from the header, got "
                  "9; the file is too long"},
        BadHeader{"BytesWithoutTensors", "{}", 8, "wanted 0 bytes of tensors"},
        BadHeader{"Overlap", two_tensors("[0,8]", "[4,12]"), 12, "tensor \"b\": overlap: wanted it to begin at byte 8"},
        BadHeader{"SameBytesTwice", two_tensors("[0,8]", "[0,8]"), 8, "overlap"},
        BadHeader{"Hole", two_tensors("[0,8]", "[12,20]"), 20, "tensor \"b\": hole: wanted it to begin at byte 8"},
        BadHeader{"HoleAtTheStart", tensor("\"F32\"", "[2]", "[4,12]"), 12, "hole"},
        BadHeader{"Unaligned",
                  R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                  R"("b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}})",
                  6, "tensor \"b\": data_offsets: wanted a multiple of 4, got [2,6]"},
        BadHeader{"ParentPath", named("../a"), 8, "tensor name: wanted printable ASCII without a path, got \"../a\""},
        BadHeader{"AbsolutePath", named("/etc/passwd"), 8, "without a path"},
        BadHeader{"Backslash", named("a\\\\b"), 8, "without a path"},
        BadHeader{"HiddenName", named(".lock"), 8, "without a path"},
        BadHeader{"TwoDots", named("a..b"), 8, "without a path"},
        BadHeader{"EmptyName", named(""), 8, "without a path"},
        BadHeader{"ControlInName", named("a\\u001b"), 8, "got \"a\\x1b\""},
        BadHeader{"NulInName", named("a\\u0000"), 8, "\\x00"},
        BadHeader{"LongName", named(std::string(257, 'x')), 8, "without a path"}),
    [](const auto& parameter) { return parameter.param.name; });

TEST(HeaderTest, ReadsEveryTypeAndShape) {
  const auto header = read_header(R"({"scalar":{"dtype":"I64","shape":[],"data_offsets":[0,8]},)"
                                  R"("matrix":{"dtype":"BF16","shape":[2,3],"data_offsets":[8,20]},)"
                                  R"("empty":{"dtype":"F16","shape":[0,5],"data_offsets":[20,20]},)"
                                  R"("bytes":{"dtype":"U8","shape":[3],"data_offsets":[20,23]},)"
                                  R"("__metadata__":{"x":"1"}}      )",
                                  23, "file");
  EXPECT_THAT(header.metadata, ElementsAre(std::pair("x", "1")));
  ASSERT_EQ(header.tensors.size(), 4U);
  EXPECT_THAT(header.tensors.at("scalar").shape, ElementsAre());
  EXPECT_THAT(header.tensors.at("matrix").shape, ElementsAre(2, 3));
  EXPECT_EQ(header.tensors.at("matrix").dtype, Dtype::kBF16);
  EXPECT_THAT(header.tensors.at("empty").shape, ElementsAre(0, 5));
  EXPECT_EQ(header.tensors.at("bytes").end, 23U);
  EXPECT_EQ(read_header(many_tensors(200'000), 0, "file").tensors.size(), 200'000U);
}

TEST(HeaderTest, IsWrittenSortedAndPadded) {
  const auto bytes = header_bytes({{{"b", "2"}, {"a", "1"}}, {{"w", {Dtype::kF32, {2}, 0, 8}}}});
  EXPECT_EQ(bytes.size() % 8, 0U);
  EXPECT_EQ(length_of(bytes, bytes.size()), bytes.size() - 8);
  EXPECT_THAT(bytes.substr(8),
              testing::MatchesRegex("\\{\"__metadata__\":\\{\"a\":\"1\",\"b\":\"2\"\\},"
                                    "\"w\":\\{\"data_offsets\":\\[0,8\\],\"dtype\":\"F32\",\"shape\":\\[2\\]\\}"
                                    "\\} *"));
}

TEST(DtypeTest, NamesAndSizes) {
  EXPECT_EQ(dtype_name(Dtype::kBF16), "BF16");
  EXPECT_EQ(dtype_size(Dtype::kI64), 8U);
  EXPECT_EQ(dtype_size(Dtype::kF32), 4U);
  EXPECT_EQ(dtype_size(Dtype::kF16), 2U);
  EXPECT_EQ(dtype_size(Dtype::kI8), 1U);
}

}  // namespace
}  // namespace gloss
