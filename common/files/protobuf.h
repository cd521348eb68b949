#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gloss {

/// Thrown for a malformed protocol buffer; `what` describes the content found.
struct BrokenProtobuf {
  std::string what;
};

/// Iterates over the fields of one message in the wire format of protocol buffers. `message` must outlive the object.
class ProtobufFields {
 public:
  enum WireType : std::uint64_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

  struct Field {
    std::uint64_t number;
    std::uint64_t type;      ///< a WireType
    std::string_view bytes;  ///< content of kFixed64, kBytes, kFixed32
    std::uint64_t value;     ///< content of kVarint
  };

  explicit ProtobufFields(std::string_view message) : rest_(message) {}

  /// Returns the next field, or nothing at the end. Throws BrokenProtobuf.
  std::optional<Field> next();

 private:
  std::uint64_t varint();
  std::string_view take(std::uint64_t count);

  std::string_view rest_;
};

/// Writes the fields of one message in the wire format of protocol buffers.
class ProtobufWriter {
 public:
  void add(const ProtobufFields::Field& field);
  void add_number(std::uint64_t field, std::uint64_t value) { add({field, ProtobufFields::kVarint, {}, value}); }
  void add_bytes(std::uint64_t field, std::string_view bytes) { add({field, ProtobufFields::kBytes, bytes, 0}); }
  void add_float(std::uint64_t field, float value);
  void add_double(std::uint64_t field, double value);
  const std::string& message() const& { return message_; }
  std::string message() && { return std::move(message_); }

 private:
  void add_varint(std::uint64_t value);

  std::string message_;
};

}  // namespace gloss
