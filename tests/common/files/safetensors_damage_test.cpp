#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/config/json.h"
#include "common/files/safetensors_header.h"
#include "common/random.h"
#include "tests/common/files/saved_tensors.h"

namespace gloss {
namespace {

using SafetensorsDamageTest = SavedTensors;

TEST_F(SafetensorsDamageTest, ChecksumDetectsADamagedTensor) {
  save();
  auto damaged = file();
  damaged.back() ^= 1;
  write_file(path_, damaged);
  EXPECT_THAT([&] { SafetensorsFile::open(path_); }, refuses_file("model.safetensors: sha256 of the tensors: wanted "));
  EXPECT_THAT([&] { SafetensorsFile::parse(bytes_of(damaged), "memory"); },
              refuses_file("memory: sha256 of the tensors"));
}

TEST_F(SafetensorsDamageTest, AnyFlippedBitIsDetected) {
  save({{"format", "gloss-test"}});
  const auto good = file();
  for (std::size_t position = 0; position < good.size(); ++position)
    for (int bit = 0; bit < 8; ++bit) {
      auto damaged = good;
      damaged[position] = static_cast<char>(damaged[position] ^ (1 << bit));
      EXPECT_THROW(SafetensorsFile::parse(bytes_of(damaged), "memory"), ModelError) << position << ", bit " << bit;
    }
}

TEST_F(SafetensorsDamageTest, HeaderChecksumCoversItsContent) {
  save({{"format", "gloss-model"}});
  const auto whole = file();
  const auto length = read_header_length(bytes_of(whole), whole.size(), "file");
  const auto text = whole.substr(8, length), data = whole.substr(8 + length);
  auto json = parse_json(text);
  const auto metadata = json["__metadata__"];
  const auto parse = [&](const Json& some_metadata) {
    json.erase("__metadata__");
    auto other = to_text(json);  // metadata last, as another program may write it
    other.back() = ',';
    other += " \"__metadata__\": " + to_text(some_metadata) + "}";
    other.resize((other.size() + 7) / 8 * 8, ' ');
    std::string bytes(8, '\0');
    const std::uint64_t size = other.size();
    std::memcpy(bytes.data(), &size, sizeof(size));
    bytes += other + data;
    SafetensorsFile::parse(bytes_of(bytes), "memory");
  };
  EXPECT_NO_THROW(parse(metadata));
  auto changed = metadata;
  changed["config"] = "another";
  EXPECT_THAT([&] { parse(changed); }, refuses_file("header_sha256: wanted "));
  auto unsummed = metadata;
  unsummed.erase("header_sha256");
  EXPECT_NO_THROW(parse(unsummed)) << "as before there were sums of headers";
  unsummed["headdr_sha256"] = metadata["header_sha256"];
  EXPECT_THAT([&] { parse(unsummed); }, refuses_file("has headdr_sha256 but no header_sha256; the file is damaged"));
}

TEST_F(SafetensorsDamageTest, OpenHeaderDoesNotCheckTheTensors) {
  save();
  const auto metadata = SafetensorsFile::open(path_).metadata();
  auto bytes = file();
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_file(path_, bytes);
  EXPECT_THROW(SafetensorsFile::open(path_), ModelError);
  const auto header = SafetensorsFile::open_header(path_);
  EXPECT_EQ(header.metadata(), metadata);
  EXPECT_EQ(header.name(), path_.string());
  EXPECT_TRUE(header.tensors().empty());
  for (const std::size_t size : {bytes.size() - 1, bytes.size() / 2, std::size_t{20}, std::size_t{3}, std::size_t{0}}) {
    write_file(path_, bytes.substr(0, size));
    EXPECT_THROW(SafetensorsFile::open_header(path_), ModelError) << size;
  }
}

TEST_F(SafetensorsDamageTest, TruncatedFileIsRefused) {
  save();
  const auto whole = file();
  for (auto size = whole.size(); size-- > 0;) {
    std::filesystem::resize_file(path_, size);
    EXPECT_THROW(SafetensorsFile::open(path_), ModelError) << size;
  }
  write_file(path_, whole + '\0');
  EXPECT_THAT([&] { SafetensorsFile::open(path_); }, refuses_file("the file is too long"));
}

TEST_F(SafetensorsDamageTest, HugeSizeIsRefusedBeforeAllocating) {
  const auto header = header_bytes({{}, {{"a", {Dtype::kU8, {std::int64_t{1} << 60}, 0, 1ULL << 60}}}});
  write_file(path_, header + "12345678");
  EXPECT_THAT([&] { SafetensorsFile::open(path_); }, refuses_file("the file is cut short"));
}

// Mutates a file: changes, removes and duplicates bytes, and replaces digits.
std::vector<std::byte> mutate(std::string bytes, const RandomStream& random) {
  std::uint64_t drawn = 0;
  const auto below = [&](std::uint64_t bound) { return bound == 0 ? 0 : random.below(bound, drawn++); };
  for (auto edits = 1 + below(3); edits > 0; --edits) {
    const auto position = below(2) == 0 ? below(bytes.size()) : below(std::min<std::size_t>(bytes.size(), 600));
    const auto size = 1 + below(std::min<std::size_t>(bytes.size() - position, 24));
    switch (below(6)) {
      case 0:
        bytes[position] = static_cast<char>(bytes[position] ^ (1 << below(8)));
        break;
      case 1:
        bytes[position] = static_cast<char>(below(256));
        break;
      case 2:
        bytes.erase(position, size);
        break;
      case 3:
        bytes.insert(position, bytes.substr(position, size));
        break;
      case 4:
        bytes.resize(position);
        break;
      default:
        if (const auto digit = bytes.find_first_of("0123456789", position); digit != bytes.npos) {
          bytes[digit] = static_cast<char>('0' + below(10));
        }
    }
    if (bytes.empty()) break;
  }
  const auto span = bytes_of(bytes);
  return {span.begin(), span.end()};  // exact size, so that a sanitizer detects reads past the end
}

TEST_F(SafetensorsDamageTest, MutationsAreRefusedOrHarmless) {
  save({{"format", "test"}, {"config", "{\"seed\": 1}"}});
  const auto summed = file();
  const auto length = read_header_length(bytes_of(summed), summed.size(), "file");
  auto header = read_header(std::string_view(summed).substr(8, length), summed.size() - 8 - length, "file");
  const auto data = summed.substr(8 + length);
  header.metadata.erase("sha256");
  header.metadata.erase(std::string(kHeaderSumKey));
  const auto unsummed = header_bytes(header) + data;

  int accepted = 0, refused = 0;
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    const auto mutated = mutate(i % 2 == 0 ? summed : unsummed, RandomStream(1, "mutations").at(i));
    try {
      const auto parsed = SafetensorsFile::parse(mutated, "memory");
      ++accepted;
      std::size_t total = 0;
      for (const auto& [name, view] : parsed.tensors()) {
        const auto elements =
            std::accumulate(view.shape.begin(), view.shape.end(), std::uint64_t{1}, std::multiplies<std::uint64_t>());
        ASSERT_EQ(view.bytes.size(), elements * dtype_size(view.dtype));
        if (view.bytes.empty()) continue;
        ASSERT_TRUE(view.bytes.data() >= mutated.data() && &view.bytes.back() <= &mutated.back());
        total += view.bytes.size();
      }
      const auto rest = std::span(mutated).last(total);
      ASSERT_TRUE(!parsed.metadata().contains("sha256") || equal_bytes(rest, bytes_of(data))) << i;
    } catch (const ModelError&) {
      ++refused;
    }
  }
  EXPECT_GT(accepted, 100);  // the mutations pass the first checks
  EXPECT_GT(refused, 5'000);
}

}  // namespace
}  // namespace gloss
