#include "tokenizer/protobuf_fields.h"

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

}  // namespace gloss
