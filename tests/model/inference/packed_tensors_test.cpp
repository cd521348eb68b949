#include "model/inference/packed_tensors.h"

#include <cstdint>
#include <filesystem>
#include <string>

#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include "tests/support/formula_tensor.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

class PackedTensorsTest : public testing::Test {
 protected:
  UserCache cache(std::uint64_t min_size = 0) const {
    return UserCache({.folder = folder_ / "gloss", .limit = 1 << 20, .min_size = min_size});
  }
  void store(const std::string& key) const { store_packed(cache(), key, tensors_); }
  bool finds(const std::string& key) const {
    const auto found = find_packed(cache(), key);
    if (found.empty()) return false;
    EXPECT_EQ(found.size(), tensors_.size());
    for (const auto& [name, tensor] : tensors_) {
      EXPECT_EQ(found.at(name).scalar_type(), tensor.scalar_type()) << name;
      EXPECT_TRUE(at::equal(found.at(name), tensor)) << name;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(found.at(name).const_data_ptr()) % 64, 0U) << name;
    }
    return true;
  }
  std::filesystem::path file() const { return std::filesystem::directory_iterator(folder_ / "gloss")->path(); }

  const TemporaryFolder folder_;
  const PackedTensors tensors_{{"floats", formula_tensor({3, 5}, at::kCPU)},
                               {"bytes", at::tensor({1, -2, 3}).to(at::kChar)},
                               {"halves", formula_tensor({4, 1, 2}, at::kCPU).to(at::kBFloat16)},
                               {"numbers", at::tensor({std::int64_t{1} << 40, std::int64_t{7}})},
                               {"empty", at::empty({0, 4}, at::kFloat)},
                               {"transposed", formula_tensor({6, 9}, at::kCPU).t()}};
};

TEST_F(PackedTensorsTest, FindsWhatIsStored) {
  EXPECT_FALSE(finds("key"));
  store("key");
  EXPECT_TRUE(finds("key"));
  EXPECT_FALSE(finds("other key"));
  const auto found = find_packed(cache(), "key");
  std::filesystem::remove(file());
  EXPECT_TRUE(at::equal(found.at("floats"), tensors_.at("floats"))) << "a removed file stays mapped";
  EXPECT_FALSE(finds("key"));
}

TEST_F(PackedTensorsTest, ADamagedFileIsNotUsedAndWrittenAnew) {
  store("key");
  const auto whole = read_file(file(), 1 << 20);
  for (std::size_t place = 0; place < whole.size(); place += 5) {
    auto damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ 4);
    write_file(file(), damaged);
    EXPECT_FALSE(finds("key")) << place;
  }
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{8}, std::size_t{72}, whole.size() - 64, whole.size() - 1}) {
    write_file(file(), whole.substr(0, size));
    EXPECT_FALSE(finds("key")) << size;
  }
  store("key");
  EXPECT_TRUE(finds("key"));
}

TEST_F(PackedTensorsTest, AFileOfAnotherKeyIsNotUsed) {
  store("key");
  const auto first = file();
  const auto whole = read_file(first, 1 << 20);
  std::filesystem::remove(first);
  store("other");
  write_file(file(), whole);
  EXPECT_FALSE(finds("other"));
}

TEST_F(PackedTensorsTest, SmallOnesAreNotStored) {
  store_packed(cache(1'000'000), "key", tensors_);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "gloss"));
}

}  // namespace
}  // namespace gloss
