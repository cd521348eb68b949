#include "interchange/formats/marian_bin.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <ATen/ops/empty.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/file_kind.h"
#include "common/text/printable.h"
#include "interchange/formats/binary_reader.h"
#include "interchange/formats/packed_file.h"

namespace gloss {
namespace {

// Marian's codes of types: a class and the size of an element in bytes.
constexpr std::uint64_t kSizeBits = 0xff;
constexpr std::uint64_t kPacked = 0x0800, kAvx2 = 0x1000, kAvx512 = 0x2000, kSse2 = 0x4000, kSsse3 = 0x8000;
struct TypeCode {
  std::uint64_t code;
  at::ScalarType type;
};
// Codes of intgemm: of Marian, and of its fork for browsers, which has 0x4000 for intgemm.
constexpr std::array<TypeCode, 4> kIntgemmCodes = {
    {{0x10001, at::kChar}, {0x10002, at::kShort}, {0x4101, at::kChar}, {0x4102, at::kShort}}};
constexpr std::array<TypeCode, 9> kPlainCodes = {{{0x404, at::kFloat},
                                                  {0x402, at::kHalf},
                                                  {0x408, at::kDouble},
                                                  {0x101, at::kChar},
                                                  {0x102, at::kShort},
                                                  {0x104, at::kInt},
                                                  {0x108, at::kLong},
                                                  {0x201, at::kByte},
                                                  {0x204, at::kUInt32}}};

struct Header {
  std::uint64_t name_bytes, type, dimensions, data_bytes;
};
static_assert(sizeof(Header) == 32);

constexpr std::uint64_t kFormatVersion = 1, kEncryptedVersion = 2;
constexpr std::string_view kPrefix = "F0::";

std::string hexadecimal(std::uint64_t code) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (; code != 0; code >>= 4) text.insert(text.begin(), kDigits[code & 0xf]);
  return "0x" + (text.empty() ? "0" : text);
}

/// Returns whether the integers of a matrix are stored transposed: those of intgemm, except for embeddings.
bool stores_transposed(std::string_view tensor) { return tensor.find("Wemb") == tensor.npos; }

class MarianBin final : public ForeignTensors {
 public:
  explicit MarianBin(const std::filesystem::path& path)
      : ForeignTensors(printable(path.string())), reader_(open_unpacked(path, kMaxUnpackedModel), name()) {
    read_structure();
    refuse_optimizer_state(*this);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { reader_.fail(what); }

  void read_structure() {
    read_version();
    const auto count = reader_.take<std::uint64_t>("the number of tensors");
    if (count == 0 || count > kMaxForeignTensors)
      fail("wanted 1 to " + std::to_string(kMaxForeignTensors) + " tensors, got " + std::to_string(count) +
           "; the file is damaged or no model of Marian");
    const auto headers = reader_.take<Header>(count, "the headers of " + std::to_string(count) + " tensors");
    std::vector<std::string> names;
    for (const auto& header : headers) names.push_back(read_name(header));
    std::vector<ForeignTensorInfo> infos;
    for (std::size_t i = 0; i < headers.size(); ++i) infos.push_back(read_info(headers[i], names[i]));
    reader_.skip(reader_.take<std::uint64_t>("the length of the gap before the data"), "a gap before the data");
    for (std::size_t i = 0; i < headers.size(); ++i) add_tensor(headers[i], names[i], std::move(infos[i]));
    reader_.expect_end("the last tensor");
  }

  void read_version() {
    const auto start =
        reader_.take<char>(std::min<std::uint64_t>(reader_.size(), sizeof(std::uint64_t)), "the version");
    std::uint64_t version = 0;
    const bool whole = start.size() == sizeof version;
    if (whole) std::memcpy(&version, start.data(), sizeof version);
    if (version == kEncryptedVersion)
      fail(
          "wanted a model of Marian in version 1, got version 2, which newer forks of Marian write encrypted; ask "
          "for the file that is not encrypted");
    if (version == kFormatVersion) return;
    const auto kind = file_kind({start.data(), start.size()});
    fail("wanted a binary model of Marian (version 1), got " + (!kind.empty() ? std::string(kind)
                                                                : whole       ? "version " + std::to_string(version)
                                                                              : "a file without a version"));
  }

  std::string read_name(const Header& header) {
    const auto tensor = reader_.take_name(header.name_bytes, kPrefix.size() + kMaxForeignNameBytes, "name of a tensor");
    return tensor.starts_with(kPrefix) ? tensor.substr(kPrefix.size()) : tensor;
  }

  ForeignTensorInfo read_info(const Header& header, const std::string& tensor) {
    const auto where = "tensor " + printable(tensor, 80) + ": ";
    if (header.dimensions > kMaxForeignDimensions)
      fail(where + "wanted at most " + std::to_string(kMaxForeignDimensions) + " dimensions, got " +
           std::to_string(header.dimensions));
    auto info = read_type(header.type, where);
    for (const auto size : reader_.take<std::int32_t>(header.dimensions, "the shapes of the tensors")) {
      if (size < 1) fail(where + "wanted sizes from 1, got " + std::to_string(size) + "; the file is damaged");
      info.shape.push_back(size);
    }
    if (info.multiplier && info.shape.size() != 2)
      fail(where + "wanted a matrix, since it is intgemm's, got " + shown_shape(info));
    return info;
  }

  ForeignTensorInfo read_type(std::uint64_t code, const std::string& where) const {
    if (const auto intgemm = std::ranges::find(kIntgemmCodes, code, &TypeCode::code); intgemm != kIntgemmCodes.end())
      return {intgemm->type, {}, 1.0F};  // the multiplier is read later
    if ((code & (kPacked | kAvx2 | kAvx512 | kSse2 | kSsse3)) != 0)
      fail(where + "wanted elements in the order of the matrix, got type " + hexadecimal(code) +
           ", which is packed for one kind of processor; save it again as intgemm8 (marian-conv --gemm-type intgemm8)");
    const auto plain = std::ranges::find(kPlainCodes, code, &TypeCode::code);
    if (plain == kPlainCodes.end())
      fail(where + "wanted a type of Marian that gloss reads (float32, float16, integers, intgemm8, intgemm16), got " +
           hexadecimal(code) + "; save it again as float32 or intgemm8 (marian-conv)");
    return {plain->type, {}};
  }

  void add_tensor(const Header& header, const std::string& tensor, ForeignTensorInfo info) {
    const auto where = name() + ": tensor " + printable(tensor, 80);
    const auto elements = checked_byte_count(info, where), bytes = elements + (info.multiplier ? sizeof(float) : 0);
    if (header.data_bytes < bytes)
      throw ModelError(where + ": wanted at least " + std::to_string(bytes) + " bytes for " + shown_shape(info) +
                       ", got " + std::to_string(header.data_bytes) + "; the file is damaged");
    const auto offset = reader_.position();
    reader_.skip(header.data_bytes, "tensor " + printable(tensor, 80));
    offsets_[tensor] = offset;
    if (info.multiplier) info.multiplier = read_multiplier(tensor, offset + elements);
    add(tensor, std::move(info));
  }

  float read_multiplier(const std::string& tensor, std::uint64_t offset) const {
    float multiplier = 0;
    reader_.read(offset, std::as_writable_bytes(std::span(&multiplier, 1)));
    if (!is_divisor(multiplier))
      fail("tensor " + printable(tensor, 80) + ": wanted a positive multiplier after its elements, got " +
           std::to_string(multiplier) + "; the file is damaged");
    return multiplier;
  }

  at::Tensor read(const std::string& tensor, const ForeignTensorInfo& info) const override {
    const bool is_transposed = info.multiplier && stores_transposed(tensor);
    const auto shape = is_transposed ? std::vector{info.shape[1], info.shape[0]} : info.shape;
    const auto values = at::empty(shape, info.type);
    reader_.read(offsets_.at(tensor), bytes_of(values));
    return is_transposed ? values.t() : values;
  }

  BinaryReader reader_;
  std::map<std::string, std::uint64_t> offsets_;  // of the elements
};

}  // namespace

std::unique_ptr<ForeignTensors> open_marian_bin(const std::filesystem::path& path) {
  return std::make_unique<MarianBin>(path);
}

void write_marian_bin(const std::filesystem::path& path, const std::vector<MarianTensor>& tensors) {
  constexpr std::uint64_t kFloatCode = 0x404, kInt8Code = 0x101, kIntgemmCode = 0x4101;
  constexpr std::size_t kAlignment = 256;  // of the elements of each tensor
  std::string headers, names, shapes, data;
  const auto append = [](std::string& to, const auto& value) {
    to.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (const auto& [name, values, multiplier] : tensors) {
    const auto start = data.size();
    const auto stored = multiplier && stores_transposed(name) ? values.t().contiguous() : values;
    data.append(static_cast<const char*>(stored.const_data_ptr()), stored.nbytes());
    if (multiplier) append(data, *multiplier);
    data.resize((data.size() + kAlignment - 1) / kAlignment * kAlignment);
    const auto code = multiplier ? kIntgemmCode : values.scalar_type() == at::kFloat ? kFloatCode : kInt8Code;
    append(headers, Header{name.size() + 1, code, static_cast<std::uint64_t>(values.dim()), data.size() - start});
    names += name + '\0';
    for (const auto size : values.sizes()) append(shapes, static_cast<std::int32_t>(size));
  }
  std::string file;
  append(file, kFormatVersion);
  append(file, static_cast<std::uint64_t>(tensors.size()));
  file += headers + names + shapes;
  const auto begin = file.size() + sizeof(std::uint64_t);
  const auto gap = (begin + kAlignment - 1) / kAlignment * kAlignment - begin;
  append(file, static_cast<std::uint64_t>(gap));
  write_file(path, file + std::string(gap, '\0') + data);
}

}  // namespace gloss
