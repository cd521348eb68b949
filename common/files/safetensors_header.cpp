#include "common/files/safetensors_header.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "common/config/json.h"
#include "common/error.h"
#include "common/files/file_kind.h"
#include "common/files/sha256.h"
#include "common/text/printable.h"

namespace gloss {
namespace {

static_assert(std::endian::native == std::endian::little, "tensor bytes are used without conversion");

constexpr std::uint64_t kMaxHeaderBytes = 64U << 20;
// A checkpoint of the deepest model, 1,000 layers on each side, has 168,000 tensors and a header of 25 MB.
constexpr std::size_t kMaxTensors = 200'000;
constexpr std::size_t kMaxDimensions = 8;
constexpr std::size_t kMaxNameBytes = 256;
constexpr std::size_t kAlignment = 8;
constexpr int kHeaderDepth = 3;
constexpr std::string_view kMetadataKey = "__metadata__";

struct DtypeEntry {
  Dtype dtype;
  std::string_view name;
  std::size_t size;
};
constexpr std::array<DtypeEntry, 7> kDtypes = {{{Dtype::kF32, "F32", 4},
                                                {Dtype::kBF16, "BF16", 2},
                                                {Dtype::kF16, "F16", 2},
                                                {Dtype::kI64, "I64", 8},
                                                {Dtype::kI32, "I32", 4},
                                                {Dtype::kI8, "I8", 1},
                                                {Dtype::kU8, "U8", 1}}};

const DtypeEntry& entry(Dtype dtype) { return *std::ranges::find(kDtypes, dtype, &DtypeEntry::dtype); }

[[noreturn]] void fail(const std::string& where, const std::string& what) { throw ModelError(where + ": " + what); }

std::string got(const Json& value) { return ", got " + printable(to_text(value), 80); }

// Reads an integer from 0 to 2^63 - 1.
std::uint64_t read_count(const Json& value, const std::string& where) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()) {
    fail(where, "wanted whole numbers from 0" + got(value));
  }
  return value.get<std::uint64_t>();
}

void check_name(const std::string& tensor, const std::string& file) {
  const bool plain = std::ranges::all_of(tensor, [](char c) { return c > ' ' && c <= '~' && c != '/' && c != '\\'; });
  if (tensor.empty() || tensor.size() > kMaxNameBytes || !plain || tensor.starts_with('.') ||
      tensor.find("..") != tensor.npos) {
    fail(file, "tensor name: wanted printable ASCII without a path, got \"" + printable(tensor, 80) + '"');
  }
}

Metadata read_metadata(const Json& object, const std::string& file) {
  const auto where = file + ": " + std::string(kMetadataKey);
  if (!object.is_object()) fail(where, "wanted an object" + got(object));
  Metadata metadata;
  for (const auto& [key, value] : object.items()) {
    if (!value.is_string()) fail(where + "." + printable(key), "wanted a string" + got(value));
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

// Returns the product of the dimensions and `factor`. Each zero counts as one, so that no order of the factors
// overflows later.
std::uint64_t checked_product(const std::vector<std::int64_t>& shape, std::uint64_t factor, const std::string& where) {
  for (const auto size : shape) {
    if (__builtin_mul_overflow(factor, static_cast<std::uint64_t>(std::max<std::int64_t>(size, 1)), &factor) ||
        factor > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      fail(where, "shape: wanted fewer than 2^63 bytes" + got(shape));
    }
  }
  return factor;
}

TensorRange read_tensor_range(const Json& value, const std::string& where, SafetensorsLayout layout) {
  if (!value.is_object() || value.size() != 3 || !value.contains("dtype") || !value.contains("shape") ||
      !value.contains("data_offsets")) {
    fail(where, "wanted dtype, shape and data_offsets" + got(value));
  }
  TensorRange range{};
  const auto& dtype = value["dtype"];
  const auto known = std::ranges::find_if(kDtypes, [&](const auto& candidate) { return dtype == candidate.name; });
  if (known == kDtypes.end()) fail(where, "dtype: wanted F32, BF16, F16, I64, I32, I8 or U8" + got(dtype));
  range.dtype = known->dtype;

  const auto& shape = value["shape"];
  if (!shape.is_array() || shape.size() > kMaxDimensions) {
    fail(where, "shape: wanted a list of at most " + std::to_string(kMaxDimensions) + " sizes" + got(shape));
  }
  for (const auto& size : shape) range.shape.push_back(static_cast<std::int64_t>(read_count(size, where + ": shape")));

  const auto& offsets = value["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2) fail(where, "data_offsets: wanted [begin, end]" + got(offsets));
  range.begin = read_count(offsets[0], where + ": data_offsets");
  range.end = read_count(offsets[1], where + ": data_offsets");
  if (range.begin > range.end) fail(where, "data_offsets: wanted begin <= end" + got(offsets));
  if (layout == SafetensorsLayout::kAligned && range.begin % known->size != 0) {
    fail(where, "data_offsets: wanted a multiple of " + std::to_string(known->size) + got(offsets));
  }

  const auto product = checked_product(range.shape, known->size, where);
  const bool empty = std::ranges::count(range.shape, 0) != 0;
  const auto bytes = empty ? 0 : product;
  if (range.end - range.begin != bytes) {
    fail(where, "wanted " + std::to_string(bytes) + " bytes for " + std::string(known->name) + " " +
                    Json(range.shape).dump() + ", got " + std::to_string(range.end - range.begin));
  }
  return range;
}

void check_coverage(const SafetensorsHeader& header, std::uint64_t data_size, const std::string& file) {
  std::vector<std::tuple<std::uint64_t, std::uint64_t, std::string_view>> ranges;
  for (const auto& [name, range] : header.tensors) ranges.emplace_back(range.begin, range.end, name);
  std::ranges::sort(ranges);
  std::uint64_t covered = 0;
  for (const auto& [begin, end, name] : ranges) {
    if (begin != covered) {
      fail(file + ": tensor \"" + std::string(name) + '"',
           std::string(begin < covered ? "overlap" : "hole") + ": wanted it to begin at byte " +
               std::to_string(covered) + " of the data, got " + std::to_string(begin));
    }
    covered = end;
  }
  if (covered != data_size) {
    fail(file, "wanted " + std::to_string(covered) + " bytes of tensors, from the header, got " +
                   std::to_string(data_size) + "; the file is " + (covered > data_size ? "cut short" : "too long"));
  }
}

std::string header_sum(SafetensorsHeader header) {
  constexpr std::size_t kSumDigits = 64;
  header.metadata[std::string(kHeaderSumKey)] = std::string(kSumDigits, '0');
  return sha256(header_bytes(header));
}

// Files of gloss without a header checksum have these keys only. With another key, the key of the checksum itself is
// damaged.
void expect_keys_before_sums(const Metadata& metadata, const std::string& name) {
  constexpr std::array<std::string_view, 7> kKeys{"config", "format", "format_version", "provenance",
                                                  "sha256", "state",  "state_sha256"};
  const auto format = metadata.find("format");
  if (format == metadata.end() || !format->second.starts_with("gloss-")) return;
  for (const auto& [key, value] : metadata)
    if (std::ranges::find(kKeys, key) == kKeys.end())
      fail(name,
           "metadata: has " + printable(key, 80) + " but no " + std::string(kHeaderSumKey) + "; the file is damaged");
}

void check_header_sum(const SafetensorsHeader& header, const std::string& name) {
  const auto stated = header.metadata.find(std::string(kHeaderSumKey));
  if (stated == header.metadata.end()) return expect_keys_before_sums(header.metadata, name);
  if (const auto sum = header_sum(header); sum != stated->second)
    fail(name, std::string(kHeaderSumKey) + ": wanted " + printable(stated->second, 64) + ", got " + sum +
                   "; the file is damaged");
}

}  // namespace

std::string_view dtype_name(Dtype dtype) { return entry(dtype).name; }

std::size_t dtype_size(Dtype dtype) { return entry(dtype).size; }

std::size_t read_header_length(std::span<const std::byte> start, std::uint64_t file_size, const std::string& name,
                               SafetensorsLayout layout) {
  const auto unit = layout == SafetensorsLayout::kAligned ? kAlignment : 1;
  const std::string_view first(reinterpret_cast<const char*>(start.data()), std::min(start.size(), kHeaderLengthBytes));
  const auto refuse_kind = [&](std::string_view kind) {
    if (!kind.empty()) fail(name, "is not a model file: wanted a safetensors file, got " + std::string(kind));
  };
  if (first.size() < kHeaderLengthBytes) {
    refuse_kind(file_kind(first));
    fail(name, "is not a model file, or cut short: wanted at least 8 bytes, got " + std::to_string(first.size()));
  }
  std::uint64_t length = 0;
  std::memcpy(&length, first.data(), sizeof(length));
  const auto max_length = std::min(kMaxHeaderBytes, file_size - kHeaderLengthBytes);
  if (length >= 2 && length <= max_length && length % unit == 0) return length;
  if (length > 0xffff) refuse_kind(file_kind(first));  // smaller lengths are those of a truncated file
  fail(name, "is not a model file, or cut short: header length: wanted a multiple of " + std::to_string(unit) +
                 ", at most " + std::to_string(max_length) + ", got " + std::to_string(length));
}

SafetensorsHeader read_header(std::string_view text, std::uint64_t data_size, const std::string& name,
                              SafetensorsLayout layout) {
  if (!text.starts_with('{')) fail(name, "header: wanted a JSON object, got \"" + printable(text, 20) + '"');
  Json json;
  try {
    json = parse_json(text, kHeaderDepth);
  } catch (const std::invalid_argument& error) {
    fail(name, std::string("header: ") + error.what());
  }
  SafetensorsHeader header;
  if (const auto metadata = json.find(kMetadataKey); metadata != json.end()) {
    header.metadata = read_metadata(*metadata, name);
    json.erase(metadata);
  }
  if (json.size() > kMaxTensors) {
    fail(name, "wanted at most " + std::to_string(kMaxTensors) + " tensors, got " + std::to_string(json.size()));
  }
  for (const auto& [tensor, value] : json.items()) {
    check_name(tensor, name);
    header.tensors.emplace(tensor, read_tensor_range(value, name + ": tensor \"" + tensor + '"', layout));
  }
  check_coverage(header, data_size, name);
  check_header_sum(header, name);
  return header;
}

void add_header_sum(SafetensorsHeader& header) { header.metadata[std::string(kHeaderSumKey)] = header_sum(header); }

std::string header_bytes(const SafetensorsHeader& header) {
  auto json = Json::object();
  if (!header.metadata.empty()) json[kMetadataKey] = header.metadata;
  for (const auto& [name, range] : header.tensors) {
    json[name] = {
        {"dtype", dtype_name(range.dtype)}, {"shape", range.shape}, {"data_offsets", {range.begin, range.end}}};
  }
  auto text = to_text(json);
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  const std::uint64_t length = text.size();
  std::string bytes(kHeaderLengthBytes, '\0');
  std::memcpy(bytes.data(), &length, sizeof(length));
  return bytes + text;
}

}  // namespace gloss
