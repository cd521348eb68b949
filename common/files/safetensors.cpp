#include "common/files/safetensors.h"

#include <algorithm>
#include <array>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/files/safetensors_header.h"
#include "common/files/safetensors_writer.h"
#include "common/files/same_file.h"
#include "common/files/sha256.h"
#include "common/system/descriptor.h"
#include "common/text/printable.h"
#include "common/text/split.h"

namespace gloss {
namespace {

constexpr std::string_view kSumKey = "sha256";
constexpr std::size_t kBlock = std::size_t{1} << 18;  // bytes that are read at a time; fits the cache
constexpr std::align_val_t kDataAlignment{64};        // a cache line and the widest vector register

std::shared_ptr<std::byte> allocate_data(std::size_t size) {
  auto* bytes = static_cast<std::byte*>(::operator new(size, kDataAlignment));
  return {bytes, [](std::byte* owned) { ::operator delete(owned, kDataAlignment); }};
}

/// Throws unless `sum` of the tensors is the one that the metadata states, if it does.
void check_sum(Sha256& sum, const Metadata& metadata, const std::string& name) {
  const auto expected = metadata.find(std::string(kSumKey));
  if (expected == metadata.end()) return;
  if (const auto got = sum.hex(); got != expected->second) {
    throw ModelError(name + ": sha256 of the tensors: wanted " + printable(expected->second, 64) + ", got " + got +
                     "; the file is damaged");
  }
}

// Reads a file from front to end. It is not mapped: if another process truncated or changed a mapped file, this process
// could be killed, or use bytes that the checksum did not cover.
class FileReader {
 public:
  explicit FileReader(const std::filesystem::path& path) : path_(path), name_(printable(path.string())) {
    auto file = open_regular_file(path);
    if (!file) throw ModelError(name_ + ": wanted a regular file, got a folder or a device");
    rest_ = file->size;
    descriptor_ = std::move(file->descriptor);
  }

  void read(std::span<std::byte> bytes) {
    if (read_up_to(descriptor_, bytes, path_) != bytes.size())
      throw ModelError(name_ + ": became shorter while it was read");
    rest_ -= bytes.size();
    position_ += bytes.size();
  }

  /// Adds the next `size` bytes to `sum` and returns their fingerprint.
  std::uint64_t skip(std::uint64_t size, Sha256& sum) {
    Fingerprint print;
    block_.resize(kBlock);
    while (size > 0) {
      const auto bytes = std::span(block_).first(std::min<std::uint64_t>(size, kBlock));
      read(bytes);
      sum.update(bytes);
      print.update(bytes);
      size -= bytes.size();
    }
    return print.value();
  }

  SafetensorsHeader read_header(SafetensorsLayout layout = SafetensorsLayout::kAligned) {
    const auto size = rest_;
    std::array<std::byte, kHeaderLengthBytes> start{};
    const auto start_bytes = std::span(start).first(std::min<std::uint64_t>(start.size(), size));
    read(start_bytes);
    std::string text(read_header_length(start_bytes, size, name_, layout), '\0');
    read(std::as_writable_bytes(std::span(text)));
    header_sum_ = sha256(text);
    return gloss::read_header(text, rest_, name_, layout);
  }

  std::uint64_t rest() const { return rest_; }
  std::uint64_t position() const { return position_; }
  const std::string& header_sum() const { return header_sum_; }
  FileStamp stamp() const { return FileStamp::of(descriptor_, path_); }
  Descriptor take_descriptor() { return std::move(descriptor_); }
  const std::string& name() const { return name_; }

 private:
  std::filesystem::path path_;
  std::string name_, header_sum_;
  Descriptor descriptor_;
  std::uint64_t rest_ = 0, position_ = 0;
  std::vector<std::byte> block_;
};

/// Returns the tensors in the order of their bytes, which have no gaps.
std::vector<std::pair<const std::string, TensorRange>*> in_file_order(SafetensorsHeader& header) {
  std::vector<std::pair<const std::string, TensorRange>*> order;
  for (auto& tensor : header.tensors) order.push_back(&tensor);
  std::ranges::sort(order, {}, [](const auto* tensor) { return std::pair(tensor->second.begin, tensor->second.end); });
  return order;
}

/// Returns the name of an empty file in a UserCache, which records that the file with this stamp and this header was
/// checked.
std::string record_name(const FileStamp& stamp, const std::string& header_sum) {
  std::string text = header_sum;
  for (const auto number : {stamp.device, stamp.inode, stamp.size}) text += ' ' + std::to_string(number);
  for (const auto time : {stamp.modified, stamp.changed}) text += ' ' + std::to_string(time);
  return "checked-" + sha256(text) + ".cache";
}

bool is_number_above(std::string_view text, int bound) { return parse_number<int>(text).value_or(bound) > bound; }

}  // namespace

struct SafetensorsFile::Contents {
  struct Place {
    std::uint64_t offset, size;  ///< bytes
    std::uint64_t fingerprint;   ///< when the file was checked; unless that is recorded
  };

  std::filesystem::path path;
  Descriptor file;
  FileStamp stamp;        ///< when the file was opened
  bool recorded = false;  ///< whether an earlier process has checked the file with this stamp
  std::map<std::string, Place> places;
};

SafetensorsFile SafetensorsFile::open(const std::filesystem::path& path) {
  FileReader file(path);
  auto header = file.read_header();
  const auto size = file.rest();
  const auto data = allocate_data(size);
  const std::span bytes(data.get(), size);
  file.read(bytes);
  auto result = view(bytes, std::move(header), file.name());
  result.data_ = data;
  return result;
}

SafetensorsFile SafetensorsFile::open_in_place(const std::filesystem::path& path, const UserCache& cache) {
  return open_in_place(path, SafetensorsLayout::kAligned, cache);
}

SafetensorsFile SafetensorsFile::open_foreign(const std::filesystem::path& path) {
  return open_in_place(path, SafetensorsLayout::kAny, {});
}

SafetensorsFile SafetensorsFile::open_in_place(const std::filesystem::path& path, SafetensorsLayout layout,
                                               const UserCache& cache) {
  FileReader reader(path);
  SafetensorsFile file;
  auto contents = std::make_shared<Contents>();
  contents->path = path;
  contents->stamp = reader.stamp();
  const auto now = cache.settings().now();
  auto header = reader.read_header(layout);
  const bool records = cache.is_for(reader.rest()) && header.metadata.contains(std::string(kSumKey));
  const auto record = record_name(contents->stamp, reader.header_sum());
  contents->recorded = records && cache.find(record);
  const auto begin = reader.position();
  Sha256 sum;
  for (auto* const tensor : in_file_order(header)) {
    auto& [name, range] = *tensor;
    const auto size = range.end - range.begin;
    contents->places[name] = {begin + range.begin, size, contents->recorded ? 0 : reader.skip(size, sum)};
    file.tensors_[name] = {range.dtype, std::move(range.shape), {}};
  }
  if (!contents->recorded) check_sum(sum, header.metadata, reader.name());
  if (records && !contents->recorded && contents->stamp.settled(now) && reader.stamp() == contents->stamp)
    cache.store(record, 0, [](AtomicFile&) {});
  file.header_sum_ = reader.header_sum();
  contents->file = reader.take_descriptor();
  file.contents_ = std::move(contents);
  file.metadata_ = std::move(header.metadata);
  file.name_ = reader.name();
  return file;
}

void SafetensorsFile::read(const std::string& name, std::span<std::byte> bytes) const {
  if (contents_ == nullptr) return void(std::ranges::copy(tensors_.at(name).bytes, bytes.begin()));
  const auto& [offset, size, checked] = contents_->places.at(name);
  bytes = bytes.first(size);
  bool same = read_up_to(contents_->file, offset, bytes, contents_->path) == size;
  if (contents_->recorded) {
    const auto stamp = FileStamp::of(contents_->file, contents_->path);  // a new name changes the status only
    same = same && stamp.size == contents_->stamp.size && stamp.modified == contents_->stamp.modified;
  } else {
    Fingerprint found;
    found.update(bytes);
    same = same && found.value() == checked;
  }
  if (!same) throw ModelError(name_ + ": tensor " + printable(name) + " was changed after the file was opened");
}

SafetensorsFile SafetensorsFile::open_header(const std::filesystem::path& path) {
  FileReader reader(path);
  SafetensorsFile file;
  file.metadata_ = reader.read_header().metadata;
  file.name_ = reader.name();
  return file;
}

SafetensorsFile SafetensorsFile::parse(std::span<const std::byte> bytes, std::string name) {
  const auto length = read_header_length(bytes, bytes.size(), name);
  const auto text = bytes.subspan(kHeaderLengthBytes, length);
  const auto data = bytes.subspan(kHeaderLengthBytes + length);
  auto header = read_header({reinterpret_cast<const char*>(text.data()), text.size()}, data.size(), name);
  return view(data, std::move(header), std::move(name));
}

SafetensorsFile SafetensorsFile::view(std::span<const std::byte> data, SafetensorsHeader header, std::string name) {
  Sha256 sum;
  sum.update(data);
  check_sum(sum, header.metadata, name);
  SafetensorsFile file;
  file.name_ = std::move(name);
  file.metadata_ = std::move(header.metadata);
  for (auto& [tensor, range] : header.tensors) {
    file.tensors_[tensor] = {range.dtype, std::move(range.shape), data.subspan(range.begin, range.end - range.begin)};
  }
  return file;
}

void write_safetensors(const std::filesystem::path& path, const std::map<std::string, TensorView>& tensors,
                       Metadata metadata) {
  SafetensorsWriter writer(path, tensors, std::move(metadata));
  for (const auto& name : writer.file_order()) writer.write(name, 0, tensors.at(name).bytes);
  writer.commit();
}

const std::string& metadata_value(const SafetensorsFile& file, const std::string& key) {
  const auto found = file.metadata().find(key);
  if (found != file.metadata().end()) return found->second;
  throw ModelError(file.name() + ": metadata has no " + key + "; this is not a complete file of gloss");
}

Json metadata_json(const SafetensorsFile& file, const std::string& key) {
  try {
    auto json = parse_json(metadata_value(file, key));
    if (json.is_object()) return json;
  } catch (const std::invalid_argument& error) {
    throw ModelError(file.name() + ": " + key + ": " + error.what());
  }
  throw ModelError(file.name() + ": " + key + ": wanted an object");
}

std::string format_of(const SafetensorsFile& file) {
  const auto found = file.metadata().find("format");
  return found == file.metadata().end() ? "none" : printable(found->second, 80);
}

bool is_of_gloss(const SafetensorsFile& file) { return format_of(file).starts_with("gloss-"); }

void refuse_foreign(const SafetensorsFile& file, std::string_view wanted) {
  throw ModelError(file.name() + ": is not a file of gloss, but of another program: wanted the format " +
                   std::string(wanted) + ", got " + format_of(file) +
                   "; gloss import reads models of Marian and Hugging Face");
}

void expect_format(const SafetensorsFile& file, std::string_view format, int version) {
  const auto got = format_of(file);
  if (!is_of_gloss(file)) refuse_foreign(file, format);
  if (got != format) throw ModelError(file.name() + ": format: wanted " + std::string(format) + ", got " + got);
  const auto expected = std::to_string(version);
  const auto& stated = metadata_value(file, "format_version");
  if (stated != expected)
    throw ModelError(file.name() + ": format_version: wanted " + expected + ", got " + printable(stated) +
                     (is_number_above(stated, version) ? "; the file was written by a newer gloss, use that one" : ""));
  metadata_value(file, "sha256");
}

}  // namespace gloss
