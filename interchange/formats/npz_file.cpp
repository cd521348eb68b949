#include "interchange/formats/npz_file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <set>
#include <stdexcept>
#include <string_view>

#include <ATen/ops/empty.h>

#include "common/config/json.h"
#include "common/error.h"
#include "common/text/printable.h"
#include "interchange/formats/zip_file.h"

namespace gloss {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kLengthPlace = 8, kVersion1Start = 10, kVersion2Start = 12;

struct Descr {
  std::string_view name;  // without the byte order
  at::ScalarType type;
};
constexpr std::array<Descr, 9> kDescrs = {{{"f4", at::kFloat},
                                           {"f2", at::kHalf},
                                           {"f8", at::kDouble},
                                           {"i1", at::kChar},
                                           {"i2", at::kShort},
                                           {"i4", at::kInt},
                                           {"i8", at::kLong},
                                           {"u1", at::kByte},
                                           {"u4", at::kUInt32}}};

/// Returns a Python literal of dicts, tuples, texts and numbers as JSON.
std::string to_json_text(std::string_view literal) {
  std::string text;
  for (const char c : literal) {
    const bool closes = c == ')' || c == '}';
    while (closes && !text.empty() && (text.back() == ' ' || text.back() == ',')) text.pop_back();
    if (c == 'L') continue;  // after a number, as Python 2 wrote it
    text += c == '\'' ? '"' : c == '(' ? '[' : c == ')' ? ']' : c;
  }
  if (const auto place = text.find("False"); place != text.npos) text[place] = 'f';
  if (const auto place = text.find("True"); place != text.npos) text[place] = 't';
  return text;
}

ForeignTensorInfo parse_dictionary(std::string_view text, const std::string& where) {
  const auto fail = [&](const std::string& what) { throw ModelError(where + ": header: wanted " + what); };
  Json json;
  try {
    json = parse_json(to_json_text(text), 4);
  } catch (const std::invalid_argument& error) {
    fail("a dictionary of Python: " + std::string(error.what()));
  }
  if (json.size() != 3 || !json.contains("descr") || !json.contains("fortran_order") || !json.contains("shape"))
    fail("descr, fortran_order and shape, got " + printable(text, 80));
  const auto descr = json["descr"].is_string() ? json["descr"].get<std::string>() : "";
  const bool single_byte = descr.ends_with('1');
  const bool little = descr.starts_with('<') || (single_byte && (descr.starts_with('|') || descr.starts_with('=')));
  const auto known = std::ranges::find(kDescrs, std::string_view(descr).substr(descr.empty() ? 0 : 1), &Descr::name);
  if (!little || known == kDescrs.end())
    fail("descr: little-endian f2, f4, f8, i1, i2, i4, i8, u1 or u4, got " + printable(to_text(json["descr"]), 40));
  if (json["fortran_order"] != false)
    fail("fortran_order to be False; save the array again after numpy.ascontiguousarray");
  ForeignTensorInfo info{known->type, {}};
  const auto& shape = json["shape"];
  if (!shape.is_array() || shape.size() > kMaxForeignDimensions)
    fail("shape: at most " + std::to_string(kMaxForeignDimensions) + " sizes, got " + printable(to_text(shape), 80));
  for (const auto& size : shape) {
    if (!size.is_number_unsigned() || size.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())
      fail("shape: sizes from 0, got " + printable(to_text(size), 40));
    info.shape.push_back(size.get<std::int64_t>());
  }
  return info;
}

constexpr std::string_view kEnding = ".npy";

class NpzFile final : public ForeignTensors {
 public:
  explicit NpzFile(ZipFile archive) : ForeignTensors(archive.name()), archive_(std::move(archive)) {
    for (const auto& entry : archive_.entries()) {
      if (!entry.ends_with(kEnding))
        throw ModelError(name() + ": wanted entries whose names end in .npy, got " + printable(entry) +
                         "; this is a ZIP archive, but not one of NumPy");
      const auto start = archive_.read_start(entry, kMaxNpyHeaderBytes);
      const auto header = read_npy_header(start, archive_.size(entry), name() + ": " + entry);
      const auto tensor = entry.substr(0, entry.size() - kEnding.size());
      add(tensor, header.info);
      offsets_[tensor] = header.data_offset;
    }
    refuse_optimizer_state(*this);
  }

 private:
  at::Tensor read(const std::string& tensor, const ForeignTensorInfo& info) const override {
    auto values = at::empty(info.shape, info.type);
    archive_.read(tensor + std::string(kEnding), offsets_.at(tensor), bytes_of(values));
    return values;
  }

  ZipFile archive_;
  std::map<std::string, std::size_t> offsets_;  // of the elements, within the entry
};

}  // namespace

NpyHeader read_npy_header(std::string_view text, std::uint64_t file_size, const std::string& name) {
  if (!text.starts_with(kMagic) || text.size() < kVersion1Start)
    throw ModelError(name + ": wanted a NumPy file, got \"" + printable(text.substr(0, 8)) + '"');
  const int version = static_cast<unsigned char>(text[kMagic.size()]);
  const int minor = static_cast<unsigned char>(text[kMagic.size() + 1]);
  if (version < 1 || version > 3 || minor != 0)
    throw ModelError(name + ": wanted version 1.0, 2.0 or 3.0 of NumPy's format, got " + std::to_string(version) + '.' +
                     std::to_string(minor));
  const auto begin = version == 1 ? kVersion1Start : kVersion2Start;
  std::uint32_t length = 0;
  std::memcpy(&length, text.data() + kLengthPlace, std::min(begin, text.size()) - kLengthPlace);
  if (begin + std::uint64_t{length} > std::min<std::uint64_t>(text.size(), kMaxNpyHeaderBytes))
    throw ModelError(name + ": header: wanted at most " +
                     std::to_string(std::min<std::uint64_t>(text.size(), kMaxNpyHeaderBytes)) + " bytes, got " +
                     std::to_string(begin + std::uint64_t{length}) + "; the file is cut short or damaged");
  NpyHeader header{parse_dictionary(text.substr(begin, length), name), begin + length};
  const auto bytes = checked_byte_count(header.info, name);
  if (file_size - header.data_offset != bytes)
    throw ModelError(name + ": wanted " + std::to_string(bytes) + " bytes for " + shown_shape(header.info) + ", got " +
                     std::to_string(file_size - header.data_offset) + "; the file is damaged");
  return header;
}

std::string npy_header(const ForeignTensorInfo& info) {
  constexpr std::size_t kAlignment = 64;
  const auto type = std::ranges::find(kDescrs, info.type, &Descr::type);
  if (type == kDescrs.end()) throw ModelError("NumPy has no " + std::string(foreign_type_name(info.type)));
  std::string text = "{'descr': '<" + std::string(type->name) + "', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < info.shape.size(); ++i)
    text.append(i == 0 ? "" : " ").append(std::to_string(info.shape[i])).append(",");
  if (info.shape.size() > 1) text.pop_back();
  text += "), }";
  const auto unpadded = kVersion1Start + text.size() + 1;
  text.append((unpadded + kAlignment - 1) / kAlignment * kAlignment - unpadded, ' ');
  text += '\n';
  std::string bytes(kMagic);
  bytes += {'\x01', '\0', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return bytes + text;
}

std::unique_ptr<ForeignTensors> open_npz(const std::filesystem::path& path) {
  return std::make_unique<NpzFile>(ZipFile::open(path));
}

void write_npz(const std::filesystem::path& path, const std::vector<std::pair<std::string, at::Tensor>>& tensors) {
  std::vector<ZipContent> entries;
  std::set<std::string_view> names;
  for (const auto& [name, values] : tensors) {
    const auto where = printable(path.string()) + ": tensor " + printable(name);
    if (!values.is_cpu() || !values.is_contiguous()) throw ShapeError(where + ": wanted contiguous values on the CPU");
    if (!names.insert(name).second) throw ShapeError(where + ": wanted each name once, got it twice");
    entries.push_back(
        {name + std::string(kEnding), npy_header({values.scalar_type(), values.sizes().vec()}), bytes_of(values)});
  }
  write_zip(path, entries);
}

}  // namespace gloss
