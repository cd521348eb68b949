#include <fstream>
#include <numeric>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "common/system/machine.h"
#include "tests/common/files/saved_tensors.h"

namespace gloss {
namespace {

using SafetensorsInPlaceTest = SavedTensors;

std::vector<std::byte> read(const SafetensorsFile& file, const std::string& name, std::size_t size) {
  std::vector<std::byte> bytes(size);
  file.read(name, bytes);
  return bytes;
}

TEST_F(SafetensorsInPlaceTest, InPlaceTensorsAreReadWhenTheyAreNeeded) {
  std::vector<float> large(200'003);  // more than is read at a time
  std::iota(large.begin(), large.end(), 1.0F);
  save();
  const auto whole = SafetensorsFile::open(path_);
  auto tensors = whole.tensors();
  tensors["large"] = {Dtype::kF32, {200'003}, bytes_of(large)};
  write_safetensors(folder_ / "more", tensors, whole.metadata());
  const auto other = SafetensorsFile::open(folder_ / "more"), file = SafetensorsFile::open_in_place(folder_ / "more");
  EXPECT_EQ(file.name(), other.name());
  EXPECT_EQ(file.metadata(), other.metadata());
  ASSERT_EQ(file.tensors().size(), 7U);
  for (const auto& [name, view] : other.tensors()) {
    EXPECT_EQ(file.tensors().at(name).dtype, view.dtype);
    EXPECT_EQ(file.tensors().at(name).shape, view.shape);
    EXPECT_TRUE(file.tensors().at(name).bytes.empty());
    EXPECT_TRUE(equal_bytes(read(file, name, view.bytes.size()), view.bytes)) << name;
    EXPECT_TRUE(equal_bytes(read(other, name, view.bytes.size()), view.bytes)) << name;
  }
}

TEST_F(SafetensorsInPlaceTest, FilesOfOtherProgramsNeedNotBeAligned) {
  const std::string header = R"({"__metadata__":{"format":"pt"},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                             R"("b":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}})";
  ASSERT_NE(header.size() % 8, 0U);
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(header.size());
  write_file(path_, bytes + header + "abcde");
  EXPECT_THAT([&] { SafetensorsFile::open_in_place(path_); }, refuses_file("header length: wanted a multiple of 8"));
  const auto file = SafetensorsFile::open_foreign(path_);
  EXPECT_TRUE(equal_bytes(read(file, "b", 4), bytes_of(std::string("bcde"))));
}

TEST_F(SafetensorsInPlaceTest, InPlaceFileCanBeReplacedAndRemoved) {
  save();
  const auto file = SafetensorsFile::open_in_place(path_);
  const auto before = floats_;
  floats_.assign(6, 9);
  save();
  EXPECT_TRUE(equal_bytes(read(file, "z.weight", 24), bytes_of(before)));
  std::filesystem::remove(path_);
  EXPECT_TRUE(equal_bytes(read(file, "c.bias", 24), bytes_of(before)));
}

TEST_F(SafetensorsInPlaceTest, InPlaceBytesThatChangedAreRefused) {
  save();
  const auto whole = file();
  const auto opened = SafetensorsFile::open_in_place(path_);
  auto changed = whole;
  changed.back() = static_cast<char>(changed.back() ^ 1);  // the last byte of a.bytes
  const auto overwrite = [&](const std::string& bytes) { std::ofstream(path_, std::ios::binary) << bytes; };
  overwrite(changed);
  EXPECT_THAT([&] { read(opened, "a.bytes", 5); },
              refuses_file("tensor a.bytes was changed after the file was opened"));
  EXPECT_TRUE(equal_bytes(read(opened, "z.weight", 24), bytes_of(floats_)));
  overwrite(whole.substr(0, whole.size() - 1));
  EXPECT_THAT([&] { read(opened, "a.bytes", 5); }, refuses_file("a.bytes was changed"));
  overwrite(whole);
  EXPECT_TRUE(equal_bytes(read(opened, "a.bytes", 5), bytes_of(small_)));
}

TEST_F(SafetensorsInPlaceTest, InPlaceFilesAreCheckedLikeOthers) {
  save();
  const auto whole = file();
  auto damaged = whole;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  write_file(path_, damaged);
  EXPECT_THAT([&] { SafetensorsFile::open_in_place(path_); }, refuses_file("model.safetensors: sha256 of the tensors"));
  for (auto size = whole.size(); size-- > 0;) {
    write_file(path_, whole.substr(0, size));
    EXPECT_THROW(SafetensorsFile::open_in_place(path_), ModelError) << size;
  }
  EXPECT_THROW(SafetensorsFile::open_in_place(folder_.path()), ModelError);
  EXPECT_THROW(SafetensorsFile::open_in_place(folder_ / "absent"), IoError);
}

// A cache for files of any size, and a clock by which every file is old.
UserCache cache_in(const TemporaryFolder& folder) {
  return UserCache({.folder = folder / "cache", .limit = 1 << 20, .min_size = 0, .now = [] {
                      return std::chrono::system_clock::now() + std::chrono::hours(1);
                    }});
}

TEST_F(SafetensorsInPlaceTest, TensorsThatWereCheckedAreNotReadAgain) {
  floats_.assign(1'000'000, 1.5F);
  write_safetensors(path_, {{"z.weight", {Dtype::kF32, {1'000'000}, bytes_of(floats_)}}}, {});
  const auto bytes_read = [] { return size_in_proc("/proc/self/io", "rchar:").value_or(0) / 1024; };  // a file of bytes
  const auto read_by = [&](const auto& work) {
    const auto before = bytes_read();
    work();
    return bytes_read() - before;
  };
  const auto cache = cache_in(folder_);
  EXPECT_GT(read_by([&] { SafetensorsFile::open_in_place(path_, cache); }), 4'000'000);
  EXPECT_LT(read_by([&] { SafetensorsFile::open_in_place(path_, cache); }), 100'000);
  EXPECT_GT(read_by([&] { SafetensorsFile::open_in_place(path_); }), 4'000'000) << "without a cache";
  const auto file = SafetensorsFile::open_in_place(path_, cache);
  EXPECT_TRUE(equal_bytes(read(file, "z.weight", 4'000'000), bytes_of(floats_)));
  std::filesystem::rename(path_, folder_ / "other name");
  EXPECT_TRUE(equal_bytes(read(file, "z.weight", 4'000'000), bytes_of(floats_)));
}

TEST_F(SafetensorsInPlaceTest, AFileThatChangedIsCheckedAgain) {
  save();
  const auto cache = cache_in(folder_);
  SafetensorsFile::open_in_place(path_, cache);
  const auto opened = SafetensorsFile::open_in_place(path_, cache);
  auto damaged = file();
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  std::ofstream(path_, std::ios::binary) << damaged;
  const timespec later{::time(nullptr) + 60, 0}, times[]{later, later};  // in the same tick of the clock, too
  ASSERT_EQ(::utimensat(AT_FDCWD, path_.c_str(), times, 0), 0);
  EXPECT_THAT([&] { read(opened, "a.bytes", 5); }, refuses_file("a.bytes was changed"));
  EXPECT_THAT([&] { SafetensorsFile::open_in_place(path_, cache); }, refuses_file("sha256 of the tensors"));
  EXPECT_THAT([&] { SafetensorsFile::open_in_place(path_, cache); }, refuses_file("sha256 of the tensors"));
}

TEST_F(SafetensorsInPlaceTest, AFileThatChangedJustNowIsNotRecorded) {
  save();
  UserCache::Settings settings = cache_in(folder_).settings();
  settings.now = std::chrono::system_clock::now;
  SafetensorsFile::open_in_place(path_, UserCache(settings));
  settings.min_size = 1000;
  settings.now = cache_in(folder_).settings().now;
  SafetensorsFile::open_in_place(path_, UserCache(settings));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "cache")) << "a small file neither";
}

}  // namespace
}  // namespace gloss
