#include "common/files/safetensors_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

class SafetensorsWriterTest : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return read_file(folder_ / name, std::size_t{1} << 21); }
  static std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

  TemporaryFolder folder_;
  const std::string wide_ = "abcdefgh", narrow_ = "xyz", large_ = std::string(1'000'000, 'q');
  const std::map<std::string, TensorView> tensors_{{"bytes", {Dtype::kU8, {3}, bytes_of(narrow_)}},
                                                   {"floats", {Dtype::kF32, {2, 1}, bytes_of(wide_)}},
                                                   {"more", {Dtype::kF32, {250'000}, bytes_of(large_)}}};
  const Metadata metadata_{{"format", "pt"}};
};

// The parts may come in any order: the file has the bytes of write_safetensors.
TEST_F(SafetensorsWriterTest, WritesTheSameFilePartByPart) {
  write_safetensors(folder_ / "whole", tensors_, metadata_);
  for (const bool in_order : {true, false}) {
    SafetensorsWriter writer(folder_ / "parts", tensors_, metadata_);
    EXPECT_THAT(writer.file_order(), testing::ElementsAre("floats", "more", "bytes"));
    if (!in_order) writer.write("bytes", 0, bytes_of(narrow_));
    if (!in_order) writer.write("floats", 4, bytes_of(wide_).subspan(4));
    writer.write("floats", 0, bytes_of(wide_).first(4));
    if (in_order) writer.write("floats", 4, bytes_of(wide_).subspan(4));
    writer.write("more", 0, bytes_of(large_));
    if (in_order) writer.write("bytes", 0, bytes_of(narrow_));
    EXPECT_EQ(std::filesystem::exists(folder_ / "parts"), !in_order);
    writer.commit();
    EXPECT_EQ(file("parts"), file("whole"));
    EXPECT_EQ(SafetensorsFile::open(folder_ / "parts").tensors().size(), 3u);
  }
}

TEST_F(SafetensorsWriterTest, AFileThatIsNotWholeIsNotWritten) {
  SafetensorsWriter writer(folder_ / "parts", tensors_, metadata_);
  EXPECT_THROW(writer.write("floats", 4, bytes_of(wide_)), ModelError);
  EXPECT_THROW(writer.write("floats", 9, bytes_of("")), ModelError);
  writer.write("floats", 0, bytes_of(wide_));
  EXPECT_THAT([&] { writer.commit(); },
              testing::ThrowsMessage<ModelError>(testing::HasSubstr("wanted 1000011 bytes of tensors, got 8")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "parts"));
}

}  // namespace
}  // namespace gloss
