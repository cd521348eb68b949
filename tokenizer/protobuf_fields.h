#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

/// Field numbers of SentencePiece's sentencepiece_model.proto.
struct ModelField {
  static constexpr std::uint64_t kPieces = 1, kTrainer = 2, kNormalizer = 3, kDenormalizer = 5;
};
struct TrainerField {
  static constexpr std::uint64_t kSegmentation = 3, kWhitespaceAsSuffix = 24, kByteFallback = 35, kUnkId = 40,
                                 kBosId = 41, kEosId = 42, kPadId = 43, kUnkText = 44, kPadPiece = 48;
};
struct PieceField {
  static constexpr std::uint64_t kText = 1, kScore = 2, kType = 3;
};

}  // namespace gloss
