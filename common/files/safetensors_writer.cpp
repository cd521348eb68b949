#include "common/files/safetensors_writer.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "common/error.h"
#include "common/text/printable.h"

namespace gloss {
namespace {

constexpr std::string_view kTensorsSum = "sha256";
constexpr std::size_t kTensorsSumDigits = 64, kRereadBytes = std::size_t{1} << 18;

/// Returns names ordered by element size, largest first, then by name.
std::vector<std::string> order_of(const std::map<std::string, TensorView>& tensors) {
  std::vector<std::string> order;
  for (const auto& [name, view] : tensors) order.push_back(name);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](const auto& name) { return dtype_size(tensors.at(name).dtype); });
  return order;
}

/// Returns a header with its checksum, and zeros as the checksum of the tensors.
SafetensorsHeader make_header(const std::map<std::string, TensorView>& tensors, const std::vector<std::string>& order,
                              Metadata metadata) {
  SafetensorsHeader header{std::move(metadata), {}};
  header.metadata[std::string(kTensorsSum)] = std::string(kTensorsSumDigits, '0');
  std::uint64_t end = 0;
  for (const auto& name : order) {
    const auto& [dtype, shape, bytes] = tensors.at(name);
    std::uint64_t size = dtype_size(dtype);
    for (const auto count : shape) size *= static_cast<std::uint64_t>(count);
    header.tensors[name] = {dtype, shape, end, end + size};
    end += size;
  }
  add_header_sum(header);
  return header;
}

/// Returns the bytes of a header. Throws ModelError if they would be refused.
std::string checked_bytes(const SafetensorsHeader& header, std::uint64_t data_size, const std::string& name) {
  auto bytes = header_bytes(header);
  read_header_length(std::as_bytes(std::span(bytes)), bytes.size() + data_size, name);
  read_header(std::string_view(bytes).substr(kHeaderLengthBytes), data_size, name);
  return bytes;
}

}  // namespace

SafetensorsWriter::SafetensorsWriter(const std::filesystem::path& path,
                                     const std::map<std::string, TensorView>& tensors, Metadata metadata)
    : path_(path),
      name_(printable(path.string())),
      order_(order_of(tensors)),
      header_(make_header(tensors, order_, std::move(metadata))),
      file_(path) {
  if (!order_.empty()) size_ = header_.tensors.at(order_.back()).end;
  const auto start = checked_bytes(header_, size_, name_);
  start_ = start.size();
  file_.write(start);
}

void SafetensorsWriter::write(const std::string& tensor, std::uint64_t offset, std::span<const std::byte> bytes) {
  const auto& range = header_.tensors.at(tensor);
  const auto begin = range.begin + offset;
  if (begin > range.end || bytes.size() > range.end - begin)
    throw ModelError(name_ + ": tensor " + tensor + ": wanted its " + std::to_string(range.end - range.begin) +
                     " bytes, got more");
  file_.write_at(start_ + begin, bytes);
  written_ += bytes.size();
  if (begin != hashed_) return;
  sum_.update(bytes);
  hashed_ += bytes.size();
}

void SafetensorsWriter::commit() {
  if (written_ != size_)
    throw ModelError(name_ + ": wanted " + std::to_string(size_) + " bytes of tensors, got " +
                     std::to_string(written_));
  if (hashed_ < size_) {
    const auto reader = file_.open_for_reading();
    std::vector<std::byte> block(kRereadBytes);
    for (; hashed_ < size_; hashed_ += block.size()) {
      block.resize(std::min<std::uint64_t>(kRereadBytes, size_ - hashed_));
      if (read_up_to(reader, start_ + hashed_, block, path_) != block.size())
        throw IoError(name_ + ": cannot read what was written");
      sum_.update(block);
    }
  }
  header_.metadata[std::string(kTensorsSum)] = sum_.hex();
  add_header_sum(header_);
  const auto start = checked_bytes(header_, size_, name_);
  file_.write_at(0, std::as_bytes(std::span(start)));
  file_.commit();
}

}  // namespace gloss
