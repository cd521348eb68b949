#include "model/inference/packed_tensors.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include <ATen/ops/from_blob.h>

#include "common/config/json.h"
#include "common/files/mapped_file.h"
#include "common/files/sha256.h"

namespace gloss {
namespace {

constexpr std::size_t kTensorAlignment = 64;  // a cache line and the widest vector register
constexpr std::size_t kSumBytes = sizeof(std::uint64_t);

std::string cache_name_of(const std::string& key) { return "packed-" + sha256(key) + ".cache"; }

std::span<const std::byte> packed_bytes_of(const at::Tensor& tensor) {
  return {static_cast<const std::byte*>(tensor.const_data_ptr()), tensor.nbytes()};
}

constexpr std::size_t aligned_size(std::size_t size) {
  return (size + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
}

/// Writes parts of a file, each padded with zeros to a multiple of kTensorAlignment, and their fingerprint at the end.
class PackedWriter {
 public:
  explicit PackedWriter(AtomicFile& file) : file_(file) {}

  void write(std::span<const std::byte> bytes) {
    const auto whole = bytes.first(bytes.size() / kTensorAlignment * kTensorAlignment);
    add(whole);
    if (whole.size() == bytes.size()) return;
    std::array<std::byte, kTensorAlignment> end{};
    std::ranges::copy(bytes.subspan(whole.size()), end.begin());
    add(end);
  }
  void finish() const {
    const std::array<std::uint64_t, 1> sum{print_.value()};
    file_.write(std::as_bytes(std::span(sum)));
  }

 private:
  void add(std::span<const std::byte> bytes) {
    print_.update(bytes);
    file_.write(bytes);
  }

  AtomicFile& file_;
  Fingerprint print_;
};

/// Returns the value at the beginning of `bytes`.
std::uint64_t number_at_start(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace

PackedTensors find_packed(const UserCache& cache, const std::string& key) {
  const auto name = cache_name_of(key);
  const auto file = cache.find(name);
  if (!file || file->size < kTensorAlignment + kSumBytes || file->size % kTensorAlignment != kSumBytes) return {};
  const auto mapped = std::make_shared<const MappedFile>(file->descriptor, name);
  auto bytes = mapped->bytes();
  const auto sum = number_at_start(bytes.last(kSumBytes));
  bytes = bytes.first(bytes.size() - kSumBytes);
  Fingerprint print;
  print.update(bytes);
  if (print.value() != sum) return {};
  const auto table_bytes = number_at_start(bytes);  // from here on the file is as it was written
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + kTensorAlignment, table_bytes);
  const auto table = parse_json(text);
  if (table.at("key") != key) return {};
  PackedTensors tensors;
  auto offset = kTensorAlignment + aligned_size(table_bytes);
  for (const auto& [tensor, entry] : table.at("tensors").items()) {
    const auto shape = entry.at(1).get<std::vector<std::int64_t>>();
    auto* const data = const_cast<std::byte*>(bytes.data() + offset);
    auto& made = tensors[tensor];
    made = at::from_blob(
        data, shape, [mapped](void*) {}, at::ScalarType(entry.at(0).get<int>()));
    offset += aligned_size(made.nbytes());
  }
  return tensors;
}

void store_packed(const UserCache& cache, const std::string& key, const PackedTensors& tensors) {
  auto table = Json::object();
  std::size_t total = 0;
  for (const auto& [name, tensor] : tensors) {
    table[name] = {static_cast<int>(tensor.scalar_type()), tensor.sizes().vec()};
    total += tensor.nbytes();
  }
  if (!cache.is_for(total)) return;
  const auto text = to_text({{"key", key}, {"tensors", std::move(table)}});
  cache.store(cache_name_of(key), total, [&](AtomicFile& file) {
    PackedWriter writer(file);
    const std::array<std::uint64_t, 1> size{text.size()};
    writer.write(std::as_bytes(std::span(size)));
    writer.write(std::as_bytes(std::span(text)));
    for (const auto& [name, tensor] : tensors) writer.write(packed_bytes_of(tensor.contiguous()));
    writer.finish();
  });
}

}  // namespace gloss
