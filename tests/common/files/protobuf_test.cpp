#include "common/files/protobuf.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(ProtobufTest, FieldsAreReadAsTheyWereWritten) {
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128}, std::uint64_t{300},
                                     std::numeric_limits<std::uint64_t>::max()}) {
    ProtobufWriter writer;
    writer.add_number(1, number);
    writer.add_bytes(1000, std::string(200, 'x'));
    writer.add_float(3, -2.5F);
    writer.add_double(4, 1e300);
    ProtobufFields fields(writer.message());
    EXPECT_EQ(fields.next()->value, number);
    const auto bytes = fields.next();
    EXPECT_EQ(bytes->number, 1000U);
    EXPECT_EQ(bytes->bytes, std::string(200, 'x'));
    float small = 0;
    double large = 0;
    std::memcpy(&small, fields.next()->bytes.data(), sizeof small);
    std::memcpy(&large, fields.next()->bytes.data(), sizeof large);
    EXPECT_EQ(small, -2.5F);
    EXPECT_EQ(large, 1e300);
    EXPECT_FALSE(fields.next());
  }
}

// "Encoding" of Protocol Buffers' documentation: 150 in field 1, "testing" in field 2.
TEST(ProtobufTest, BytesAreThoseOfTheDocumentation) {
  ProtobufWriter writer;
  writer.add_number(1, 150);
  writer.add_bytes(2, "testing");
  EXPECT_EQ(writer.message(), "\x08\x96\x01\x12\x07testing");
}

}  // namespace
}  // namespace gloss
