#include "common/files/safetensors.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "common/config/json.h"
#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/safetensors_header.h"
#include "common/random.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::ThrowsMessage;
using testing::UnorderedElementsAre;

auto refuses(const std::string& message) { return ThrowsMessage<ModelError>(HasSubstr(message)); }

std::span<const std::byte> bytes_of(const auto& values) { return std::as_bytes(std::span(values)); }

bool equal(std::span<const std::byte> a, std::span<const std::byte> b) { return std::ranges::equal(a, b); }

class SafetensorsTest : public testing::Test {
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

TEST_F(SafetensorsTest, WrittenFileIsReadBack) {
  save();
  const auto file = SafetensorsFile::open(path_);
  EXPECT_EQ(file.name(), path_.string());
  EXPECT_THAT(file.metadata(), UnorderedElementsAre(std::pair("format", "test"), Key("sha256"), Key("header_sha256")));
  ASSERT_EQ(file.tensors().size(), 6U);
  const auto& weight = file.tensors().at("z.weight");
  EXPECT_EQ(weight.dtype, Dtype::kF32);
  EXPECT_THAT(weight.shape, ElementsAre(2, 3));
  EXPECT_TRUE(equal(weight.bytes, bytes_of(floats_)));
  EXPECT_TRUE(equal(file.tensors().at("a.bytes").bytes, bytes_of(small_)));
  EXPECT_TRUE(equal(file.tensors().at("b.half").bytes, bytes_of(halves_)));
  EXPECT_TRUE(equal(file.tensors().at("steps").bytes, bytes_of(steps_)));
  EXPECT_THAT(file.tensors().at("steps").shape, ElementsAre());
  EXPECT_THAT(file.tensors().at("empty").shape, ElementsAre(0, 4));
  EXPECT_TRUE(file.tensors().at("empty").bytes.empty());
}

TEST_F(SafetensorsTest, TensorsAreOrderedByElementSizeThenName) {
  save();
  const auto file = SafetensorsFile::open(path_);
  std::vector<std::string> order = {"steps", "c.bias", "empty", "z.weight", "b.half", "a.bytes"};
  const auto* position = file.tensors().at("steps").bytes.data();
  for (const auto& name : order) {
    const auto& bytes = file.tensors().at(name).bytes;
    EXPECT_EQ(bytes.data(), position) << name;
    position += bytes.size();
  }
}

TEST_F(SafetensorsTest, FirstTensorIsAlignedToACacheLine) {
  save();
  std::vector<SafetensorsFile> files;  // many, because one may be aligned by chance
  for (int i = 0; i < 32; ++i) {
    files.push_back(SafetensorsFile::open(path_));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(files.back().tensors().at("steps").bytes.data()) % 64, 0U);
  }
}

TEST_F(SafetensorsTest, BytesOutliveTheFile) {
  save();
  const auto copy = std::make_unique<SafetensorsFile>(SafetensorsFile::open(path_));
  std::filesystem::resize_file(path_, 10);
  EXPECT_TRUE(equal(copy->tensors().at("z.weight").bytes, bytes_of(floats_)));
}

TEST_F(SafetensorsTest, EqualContentGivesEqualFiles) {
  save();
  const auto first = file();
  save();
  EXPECT_EQ(file(), first);
}

TEST_F(SafetensorsTest, ChecksumDetectsADamagedTensor) {
  save();
  auto damaged = file();
  damaged.back() ^= 1;
  write_file(path_, damaged);
  EXPECT_THAT([&] { SafetensorsFile::open(path_); }, refuses("model.safetensors: sha256 of the tensors: wanted "));
  EXPECT_THAT([&] { SafetensorsFile::parse(bytes_of(damaged), "memory"); }, refuses("memory: sha256 of the tensors"));
}

TEST_F(SafetensorsTest, AnyFlippedBitIsDetected) {
  save({{"format", "gloss-test"}});
  const auto good = file();
  for (std::size_t position = 0; position < good.size(); ++position)
    for (int bit = 0; bit < 8; ++bit) {
      auto damaged = good;
      damaged[position] = static_cast<char>(damaged[position] ^ (1 << bit));
      EXPECT_THROW(SafetensorsFile::parse(bytes_of(damaged), "memory"), ModelError) << position << ", bit " << bit;
    }
}

TEST_F(SafetensorsTest, HeaderChecksumCoversItsContent) {
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
  EXPECT_THAT([&] { parse(changed); }, refuses("header_sha256: wanted "));
  auto unsummed = metadata;
  unsummed.erase("header_sha256");
  EXPECT_NO_THROW(parse(unsummed)) << "as before there were sums of headers";
  unsummed["headdr_sha256"] = metadata["header_sha256"];
  EXPECT_THAT([&] { parse(unsummed); }, refuses("has headdr_sha256 but no header_sha256; the file is damaged"));
}

TEST_F(SafetensorsTest, LayoutIsCheckedWithoutAChecksum) {
  const auto bytes = header_bytes({{}, {{"a", {Dtype::kU8, {5}, 0, 5}}}}) + "12345";
  EXPECT_EQ(SafetensorsFile::parse(bytes_of(bytes), "memory").tensors().at("a").bytes.size(), 5U);
}

std::vector<std::byte> read(const SafetensorsFile& file, const std::string& name, std::size_t size) {
  std::vector<std::byte> bytes(size);
  file.read(name, bytes);
  return bytes;
}

TEST_F(SafetensorsTest, InPlaceTensorsAreReadWhenTheyAreNeeded) {
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
    EXPECT_TRUE(equal(read(file, name, view.bytes.size()), view.bytes)) << name;
    EXPECT_TRUE(equal(read(other, name, view.bytes.size()), view.bytes)) << name;
  }
}

TEST_F(SafetensorsTest, InPlaceFileCanBeReplacedAndRemoved) {
  save();
  const auto file = SafetensorsFile::open_in_place(path_);
  const auto before = floats_;
  floats_.assign(6, 9);
  save();
  EXPECT_TRUE(equal(read(file, "z.weight", 24), bytes_of(before)));
  std::filesystem::remove(path_);
  EXPECT_TRUE(equal(read(file, "c.bias", 24), bytes_of(before)));
}

TEST_F(SafetensorsTest, InPlaceBytesThatChangedAreRefused) {
  save();
  const auto whole = file();
  const auto opened = SafetensorsFile::open_in_place(path_);
  auto changed = whole;
  changed.back() = static_cast<char>(changed.back() ^ 1);  // the last byte of a.bytes
  const auto overwrite = [&](const std::string& bytes) { std::ofstream(path_, std::ios::binary) << bytes; };
  overwrite(changed);
  EXPECT_THAT([&] { read(opened, "a.bytes", 5); }, refuses("tensor a.bytes was changed after the file was opened"));
  EXPECT_TRUE(equal(read(opened, "z.weight", 24), bytes_of(floats_)));
  overwrite(whole.substr(0, whole.size() - 1));
  EXPECT_THAT([&] { read(opened, "a.bytes", 5); }, refuses("a.bytes was changed"));
  overwrite(whole);
  EXPECT_TRUE(equal(read(opened, "a.bytes", 5), bytes_of(small_)));
}

TEST_F(SafetensorsTest, InPlaceFilesAreCheckedLikeOthers) {
  save();
  const auto whole = file();
  auto damaged = whole;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  write_file(path_, damaged);
  EXPECT_THAT([&] { SafetensorsFile::open_in_place(path_); }, refuses("model.safetensors: sha256 of the tensors"));
  for (auto size = whole.size(); size-- > 0;) {
    write_file(path_, whole.substr(0, size));
    EXPECT_THROW(SafetensorsFile::open_in_place(path_), ModelError) << size;
  }
  EXPECT_THROW(SafetensorsFile::open_in_place(folder_.path()), ModelError);
  EXPECT_THROW(SafetensorsFile::open_in_place(folder_ / "absent"), IoError);
}

TEST_F(SafetensorsTest, OpenHeaderDoesNotCheckTheTensors) {
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

TEST_F(SafetensorsTest, TruncatedFileIsRefused) {
  save();
  const auto whole = file();
  for (auto size = whole.size(); size-- > 0;) {
    std::filesystem::resize_file(path_, size);
    EXPECT_THROW(SafetensorsFile::open(path_), ModelError) << size;
  }
  write_file(path_, whole + '\0');
  EXPECT_THAT([&] { SafetensorsFile::open(path_); }, refuses("the file is too long"));
}

TEST_F(SafetensorsTest, OnlyRegularFilesAreRead) {
  ASSERT_EQ(::mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  for (const auto& path : {folder_ / "fifo", folder_.path(), std::filesystem::path("/dev/zero")}) {
    EXPECT_THAT([&] { SafetensorsFile::open(path); }, refuses("wanted a regular file, got a folder or a device"));
  }
  EXPECT_THROW(SafetensorsFile::open(folder_ / "absent"), IoError);
}

TEST_F(SafetensorsTest, HugeSizeIsRefusedBeforeAllocating) {
  const auto header = header_bytes({{}, {{"a", {Dtype::kU8, {std::int64_t{1} << 60}, 0, 1ULL << 60}}}});
  write_file(path_, header + "12345678");
  EXPECT_THAT([&] { SafetensorsFile::open(path_); }, refuses("the file is cut short"));
}

TEST_F(SafetensorsTest, UnreadableFileIsNotWritten) {
  save();
  const auto before = file();
  const auto write = [&](const std::string& name, std::vector<std::int64_t> shape) {
    write_safetensors(path_, {{name, {Dtype::kF32, std::move(shape), bytes_of(floats_)}}}, {});
  };
  EXPECT_THAT([&] { write("a", {7}); }, refuses("tensor \"a\": wanted 28 bytes for F32 [7], got 24"));
  EXPECT_THAT([&] { write("../a", {6}); }, refuses("without a path"));
  EXPECT_EQ(file(), before);
  EXPECT_THROW(write_safetensors(folder_ / "absent" / "file", {}, {}), IoError);
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

TEST_F(SafetensorsTest, MutationsAreRefusedOrHarmless) {
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
      ASSERT_TRUE(!parsed.metadata().contains("sha256") || equal(rest, bytes_of(data))) << i;
    } catch (const ModelError&) {
      ++refused;
    }
  }
  EXPECT_GT(accepted, 100);  // the mutations pass the first checks
  EXPECT_GT(refused, 5'000);
}

}  // namespace
}  // namespace gloss
