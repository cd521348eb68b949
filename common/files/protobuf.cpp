#include "common/files/protobuf.h"

#include <limits>

namespace gloss {

std::optional<ProtobufFields::Field> ProtobufFields::next() {
  if (rest_.empty()) return std::nullopt;
  const auto tag = varint();
  // Other readers keep 32 bits of the tag and would find another field here.
  if (tag > std::numeric_limits<std::uint32_t>::max()) throw BrokenProtobuf{"a field with an impossible number"};
  Field field{tag >> 3, tag & 7, {}, 0};
  if (field.number == 0) throw BrokenProtobuf{"a field without a number"};
  switch (field.type) {
    case kVarint:
      field.value = varint();
      break;
    case kFixed64:
      field.bytes = take(8);
      break;
    case kBytes:
      field.bytes = take(varint());
      break;
    case kFixed32:
      field.bytes = take(4);
      break;
    default:
      throw BrokenProtobuf{"a field of unknown kind"};
  }
  return field;
}

std::uint64_t ProtobufFields::varint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(take(1).front());
    value |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return value;
  }
  throw BrokenProtobuf{"a number of more than ten bytes"};
}

std::string_view ProtobufFields::take(std::uint64_t count) {
  if (count > rest_.size()) throw BrokenProtobuf{"a field that is cut off"};
  const auto taken = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return taken;
}

void ProtobufWriter::add(const ProtobufFields::Field& field) {
  add_varint(field.number << 3 | field.type);
  if (field.type == ProtobufFields::kVarint) return add_varint(field.value);
  if (field.type == ProtobufFields::kBytes) add_varint(field.bytes.size());
  message_ += field.bytes;
}

void ProtobufWriter::add_float(std::uint64_t field, float value) {
  add({field, ProtobufFields::kFixed32, {reinterpret_cast<const char*>(&value), sizeof value}, 0});
}

void ProtobufWriter::add_double(std::uint64_t field, double value) {
  add({field, ProtobufFields::kFixed64, {reinterpret_cast<const char*>(&value), sizeof value}, 0});
}

void ProtobufWriter::add_varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) message_ += static_cast<char>(value | 0x80);
  message_ += static_cast<char>(value);
}

}  // namespace gloss
