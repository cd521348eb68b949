#include "pipeline/interchange/formats/npy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "common/error.h"
#include "common/text/printable.h"

namespace gloss {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kLengthPlace = 8, kVersion1Start = 10, kVersion2Start = 12;

struct Descr {
  std::string_view name;  // without the byte order
  ForeignType type;
};
constexpr std::array<Descr, 9> kDescrs = {{{"f4", ForeignType::kF32},
                                           {"f2", ForeignType::kF16},
                                           {"f8", ForeignType::kF64},
                                           {"i1", ForeignType::kI8},
                                           {"i2", ForeignType::kI16},
                                           {"i4", ForeignType::kI32},
                                           {"i8", ForeignType::kI64},
                                           {"u1", ForeignType::kU8},
                                           {"u4", ForeignType::kU32}}};

// Parses the dictionary of a header: a Python literal with three keys.
class Dictionary {
 public:
  Dictionary(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  ForeignTensorInfo parse() {
    expect('{');
    while (!accept('}')) {
      const auto key = quoted();
      expect(':');
      read_value(key);
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!text_.empty()) fail("nothing after the dictionary");
    if (!type_ || !ordered_ || !shape_) fail("descr, fortran_order and shape");
    return {*type_, *shape_};
  }

 private:
  [[noreturn]] void fail(const std::string& wanted) const {
    throw ModelError(name_ + ": header: wanted " + wanted + ", got \"" + printable(text_, 40) + '"');
  }

  void skip_space() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n')) text_.remove_prefix(1);
  }
  bool accept(char c) {
    skip_space();
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("'") + c + "'");
  }

  std::string_view quoted() {
    skip_space();
    const char quote = text_.empty() ? '\0' : text_.front();
    if (quote != '\'' && quote != '"') fail("a text in quotes");
    const auto end = text_.find(quote, 1);
    if (end == text_.npos) fail("a text in quotes");
    const auto text = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return text;
  }

  void read_value(std::string_view key) {
    if (key == "descr" && !type_) {
      type_ = read_type();
    } else if (key == "fortran_order" && !ordered_) {
      read_order();
    } else if (key == "shape" && !shape_) {
      shape_ = read_shape();
    } else {
      throw ModelError(name_ + ": header: wanted descr, fortran_order and shape, each once, got \"" +
                       printable(key, 40) + '"');
    }
  }

  ForeignType read_type() {
    skip_space();
    if (text_.starts_with('[')) fail("descr to be one element type");
    const auto descr = quoted();
    const bool single_byte = descr.ends_with('1');
    const bool little = descr.starts_with('<') || (single_byte && (descr.starts_with('|') || descr.starts_with('=')));
    const auto known = std::ranges::find(kDescrs, descr.substr(std::min<std::size_t>(1, descr.size())), &Descr::name);
    if (!little || known == kDescrs.end())
      throw ModelError(name_ + ": header: descr: wanted little-endian f2, f4, f8, i1, i2, i4, i8, u1 or u4, got \"" +
                       printable(descr, 40) + '"');
    return known->type;
  }

  void read_order() {
    skip_space();
    if (!text_.starts_with("False"))
      fail("fortran_order to be False; save the array again after numpy.ascontiguousarray");
    text_.remove_prefix(std::string_view("False").size());
    ordered_ = true;
  }

  std::vector<std::int64_t> read_shape() {
    std::vector<std::int64_t> shape;
    expect('(');
    while (!accept(')')) {
      skip_space();
      std::int64_t size = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), size);
      if (error != std::errc() || size < 0) fail("shape: sizes from 0");
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      if (text_.starts_with('L')) text_.remove_prefix(1);  // as Python 2 wrote it
      shape.push_back(size);
      if (shape.size() > kMaxForeignDimensions)
        fail("shape: at most " + std::to_string(kMaxForeignDimensions) + " sizes");
      if (!accept(',')) {
        if (shape.size() == 1) fail("shape: a comma after a single size");
        expect(')');
        break;
      }
    }
    return shape;
  }

  std::string_view text_;
  const std::string& name_;
  std::optional<ForeignType> type_;
  std::optional<std::vector<std::int64_t>> shape_;
  bool ordered_ = false;
};

}  // namespace

NpyHeader read_npy_header(std::span<const std::byte> start, std::uint64_t file_size, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
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
  NpyHeader header{Dictionary(text.substr(begin, length), name).parse(), begin + length};
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

}  // namespace gloss
