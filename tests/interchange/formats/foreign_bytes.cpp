#include "tests/interchange/formats/foreign_bytes.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <zlib.h>

namespace gloss {
namespace {

std::string deflated(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string word(std::uint64_t value) { return raw(static_cast<std::uint16_t>(value)); }
std::string dword(std::uint64_t value) { return raw(static_cast<std::uint32_t>(value)); }

}  // namespace

std::string to_text(const at::Tensor& tensor) {
  const auto values = tensor.contiguous();
  return {static_cast<const char*>(values.const_data_ptr()), values.nbytes()};
}

void put_file(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::remove(path);  // some file systems flush a file that is cut and written again
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string zip_bytes(const std::vector<ZipEntry>& entries) {
  std::string file, directory;
  std::size_t offset = 0;
  for (const auto& entry : entries) {
    const auto data = entry.deflated ? deflated(entry.bytes) : entry.bytes;
    const auto crc = entry.stated_crc.value_or(static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(entry.bytes.data()), static_cast<uInt>(entry.bytes.size()))));
    const auto size = entry.stated_size.value_or(entry.bytes.size());
    const auto packed = entry.stated_packed.value_or(data.size());
    const auto method = entry.method.value_or(entry.deflated ? 8 : 0);
    const auto sizes = dword(crc) + dword(packed) + dword(size);
    const auto start = word(entry.zip64 ? 45 : 20) + word(entry.flags) + word(method) + dword(0x00210000);
    if (!entry.shares_previous) {
      offset = file.size();
      const bool later = (entry.flags & 8) != 0;
      const std::string extra =
          entry.zip64 ? word(1) + word(16) + raw(std::uint64_t{size}) + raw(std::uint64_t{packed}) : "";
      const auto local_sizes =
          later ? std::string(12, '\0') : (entry.zip64 ? dword(crc) + std::string(8, '\xff') : sizes);
      file += "PK\x03\x04" + start + local_sizes + word(entry.name.size()) + word(extra.size()) + entry.name + extra;
      file += data;
      if (later) file += "PK\x07\x08" + sizes;
    }
    directory += "PK\x01\x02" + word(20) + start + sizes + word(entry.name.size()) + std::string(12, '\0') +
                 dword(offset) + entry.name;
  }
  const auto begin = file.size();
  return file + directory + "PK\x05\x06" + dword(0) + word(entries.size()) + word(entries.size()) +
         dword(directory.size()) + dword(begin) + word(0);
}

std::string npy_dictionary(const std::string& descr, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + shape + "), }";
}

std::string lexical_bytes(std::uint64_t frequent, const std::vector<std::vector<std::uint32_t>>& lists) {
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> tokens;
  for (const auto& list : lists) {
    tokens.insert(tokens.end(), list.begin(), list.end());
    offsets.push_back(tokens.size());
  }
  const std::vector<std::uint64_t> header{0xF11A48D5013417F5, 0, frequent, 50, offsets.size(), tokens.size()};
  auto bytes = raw(header) + raw(offsets) + raw(tokens);
  sign_lexical(bytes);
  return bytes;
}

void sign_lexical(std::string& bytes) {
  if (bytes.size() < 16) return;
  std::uint64_t sum = 0;
  for (std::size_t at = 16; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word = 0;
    for (std::size_t i = 8; i-- > 0;) word = word << 8 | static_cast<std::uint8_t>(bytes[at + i]);
    sum ^= word + 0x9E3779B9U + sum * 64 + sum / 4;
  }
  bytes.replace(8, 8, raw(sum));
}

std::string npy_bytes(const std::string& dictionary, const std::string& data, int version) {
  const auto header = dictionary + "\n";
  std::string bytes = "\x93NUMPY";
  bytes += {static_cast<char>(version), '\0'};
  bytes += version == 1 ? word(header.size()) : dword(header.size());
  return bytes + header + data;
}

std::string bin_bytes(const std::vector<BinTensor>& tensors, std::uint64_t version) {
  const auto padded = [](const std::string& data) { return (data.size() + 255) / 256 * 256; };
  std::string bytes = raw(version) + raw(std::uint64_t{tensors.size()}), names, shapes, data;
  for (const auto& tensor : tensors) {
    bytes +=
        raw(std::vector<std::uint64_t>{tensor.name.size() + 1, tensor.type, tensor.shape.size(), padded(tensor.data)});
    names += tensor.name + '\0';
    shapes += raw(tensor.shape);
    data += tensor.data + std::string(padded(tensor.data) - tensor.data.size(), '\0');
  }
  bytes += names + shapes;
  const std::uint64_t gap = 256 - (bytes.size() + 8) % 256;
  return bytes + raw(gap) + std::string(gap, '\0') + data;
}

std::string mutated(std::string bytes, const RandomStream& random, std::size_t head) {
  std::uint64_t drawn = 0;
  const auto below = [&](std::uint64_t bound) { return bound == 0 ? 0 : random.below(bound, drawn++); };
  for (auto edits = 1 + below(3); edits > 0 && !bytes.empty(); --edits) {
    const auto place = below(2) == 0 ? below(bytes.size()) : below(std::min(bytes.size(), head));
    const auto size = 1 + below(std::min<std::size_t>(bytes.size() - place, 24));
    switch (below(9)) {
      case 0:
        bytes[place] = static_cast<char>(bytes[place] ^ (1 << below(8)));
        break;
      case 1:
        bytes[place] = static_cast<char>(below(256));
        break;
      case 2:
        bytes.erase(place, size);
        break;
      case 3:
        bytes.insert(place, bytes.substr(place, size));
        break;
      case 4:
        bytes.resize(place);
        break;
      case 5:
        bytes.replace(place, size, bytes.substr(below(bytes.size()), size));
        break;
      case 6:
        if (const auto digit = bytes.find_first_of("0123456789", place); digit != bytes.npos)
          bytes[digit] = static_cast<char>('0' + below(10));
        break;
      default: {  // a size: small, huge or near a border
        const std::uint64_t values[] = {0,           1, 0x7f, 0xff, 0xffff, 0x7fffffff, 0xffffffff, ~std::uint64_t{0},
                                        bytes.size()};
        const auto value = values[below(std::size(values))];
        const auto width = std::min<std::size_t>(bytes.size() - place, std::size_t{1} << below(4));
        std::memcpy(bytes.data() + place, &value, width);
      }
    }
  }
  bytes.shrink_to_fit();
  return bytes;
}

std::uint32_t mutation_count(std::uint32_t usual) {
  const auto* const factor = std::getenv("GLOSS_MUTATIONS");
  return usual * static_cast<std::uint32_t>(factor == nullptr ? 1 : std::max(1, std::atoi(factor)));
}

std::string ctranslate2_bytes(const std::vector<Ct2Variable>& variables,
                              const std::vector<std::pair<std::string, std::string>>& aliases, std::uint32_t version,
                              const std::string& specification, std::uint32_t revision) {
  const auto text = [](const std::string& name) {
    return raw(static_cast<std::uint16_t>(name.size() + 1)) + name + '\0';
  };
  constexpr std::uint32_t kSizes[] = {4, 1, 2, 4, 2, 2};
  auto bytes = raw(version) + text(specification) + raw(revision) + raw(static_cast<std::uint32_t>(variables.size()));
  for (const auto& [variable, type, shape, data] : variables) {
    const auto size = kSizes[type], count = static_cast<std::uint32_t>(data.size());
    bytes += text(variable) + raw(static_cast<std::uint8_t>(shape.size())) + raw(shape);
    bytes += version >= 4 ? raw(type) + raw(count) : raw(static_cast<std::uint8_t>(size)) + raw(count / size);
    bytes += data;
  }
  if (version < 3) return bytes;
  bytes += raw(static_cast<std::uint32_t>(aliases.size()));
  for (const auto& [alias, variable] : aliases) bytes += text(alias) + text(variable);
  return bytes;
}

std::vector<float> float_values(const ForeignTensors& file, const std::string& name) {
  const auto divisors = file.divisors(name);
  auto values = file.tensor(name).to(at::kFloat);
  values = (divisors.defined() ? values.div(divisors.unsqueeze(1)) : values).contiguous();
  return {values.const_data_ptr<float>(), values.const_data_ptr<float>() + values.numel()};
}

}  // namespace gloss
