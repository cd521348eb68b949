#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/safetensors.h"
#include "tests/support/temporary_folder.h"

namespace gloss {

inline auto refuses_file(const std::string& message) {
  return testing::ThrowsMessage<ModelError>(testing::HasSubstr(message));
}

std::span<const std::byte> bytes_of(const auto& values) { return std::as_bytes(std::span(values)); }

inline bool equal_bytes(std::span<const std::byte> a, std::span<const std::byte> b) { return std::ranges::equal(a, b); }

/// A file with tensors of several types and shapes.
class SavedTensors : public testing::Test {
 protected:
  void save(const Metadata& metadata = {{"format", "test"}}) {
    write_safetensors(path_,
                      {{"z.weight", {Dtype::kF32, {2, 3}, bytes_of(floats_)}},
                       {"a.bytes", {Dtype::kU8, {5}, bytes_of(small_)}},
                       {"b.half", {Dtype::kBF16, {3}, bytes_of(halves_)}},
                       {"c.bias", {Dtype::kF32, {6, 1}, bytes_of(floats_)}},
                       {"empty", {Dtype::kF32, {0, 4}, {}}},
                       {"steps", {Dtype::kI64, {}, bytes_of(steps_)}}},
                      metadata);
  }
  std::string file() const { return read_file(path_, 1'000'000); }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "model.safetensors";
  std::vector<float> floats_ = {1.5F, -2, 3, 0, 1e-30F, 1e30F};
  std::vector<std::uint8_t> small_ = {1, 2, 3, 4, 255};
  std::vector<std::uint16_t> halves_ = {1, 2, 3};
  std::vector<std::int64_t> steps_ = {-7};
};

}  // namespace gloss
