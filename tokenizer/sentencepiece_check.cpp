#include "tokenizer/sentencepiece_check.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <unordered_set>
#include <vector>

#include "common/error.h"
#include "common/files/file_kind.h"
#include "common/special_ids.h"
#include "common/text/utf8.h"
#include "tokenizer/normalizer_field.h"
#include "tokenizer/protobuf_fields.h"
#include "tokenizer/tokenizer_config.h"

namespace gloss {
namespace {

// SentencePiece 0.1.97 supports at most 64 user-defined pieces that are prefixes of each other.
constexpr std::size_t kMaxUserDefinedPrefixes = 64;

constexpr std::uint64_t kUserDefined = 4;  // type of a piece

using Fields = ProtobufFields;

void expect(bool holds, const char* what) {
  if (!holds) throw BrokenProtobuf{what};
}

std::uint32_t fixed32(std::string_view bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

std::string_view check_piece(std::string_view message) {
  std::string_view text;
  bool user_defined = false;
  for (Fields fields(message); const auto field = fields.next();) {
    if (field->number == PieceField::kText && field->type == Fields::kBytes) text = field->bytes;
    if (field->number == PieceField::kType && field->type == Fields::kVarint)
      user_defined = field->value == kUserDefined;
    if (field->number == PieceField::kScore && field->type == Fields::kFixed32)
      expect(std::isfinite(std::bit_cast<float>(fixed32(field->bytes))), "a score that is no number");
  }
  expect(!text.empty() && text.size() <= TokenizerConfig::kMaxPieceBytes,
         "a piece that is empty or longer than 1000 bytes");
  expect(!user_defined || text.size() <= kMaxUserDefinedPrefixes, "a user-defined piece longer than 64 bytes");
  expect(is_utf8(text) && text.find('\0') == text.npos, "a piece that is not UTF-8");
  return text;
}

// A double-array trie (Yata et al. 2007) in the format of darts-clone. Bit 31: a leaf, whose other bits are its value;
// otherwise bits 10 to 30: offset, bit 9: the offset is in units of 256, bit 8: has a leaf, bits 0 to 7: label. From
// the base of a unit, its index ^ offset, a byte leads to the unit at base ^ byte if that has the byte as its label.
class CharacterMap {
 public:
  CharacterMap(std::string_view trie, std::string_view texts)
      : trie_(trie), texts_(texts), first_(count() + 1), units_(count()), leaves_(count(), -1) {
    for (std::uint32_t index = 0; index < count(); ++index) ++first_[parent(index) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    auto end = first_;
    for (std::uint32_t index = 0; index < count(); ++index) units_[end[parent(index)]++] = index;
  }

  // Follows every path from the root.
  void check() {
    visit(0, 0);
    while (!open_.empty()) {
      const auto base = open_.back();
      open_.pop_back();
      for (auto i = first_[base]; i < first_[base + 1]; ++i)
        if (unit(units_[i]) >> 31 == 0) visit(units_[i], leaves_[base] + static_cast<int>(unit(units_[i]) >> 8 & 1));
    }
  }

 private:
  // SentencePiece 0.1.97 stores at most this many matches of one text and reads out of bounds if there are more.
  static constexpr int kMaxLeaves = 32;

  std::uint32_t count() const { return static_cast<std::uint32_t>(trie_.size() / 4); }
  std::uint32_t unit(std::uint32_t index) const { return fixed32(trie_.substr(index * std::size_t{4})); }
  std::uint32_t parent(std::uint32_t index) const { return index ^ (unit(index) & 0xFF); }

  // Visits a unit; `leaves` counts those on the path including this unit. A path is followed again only with more
  // leaves than before.
  void visit(std::uint32_t index, int leaves) {
    const auto value = unit(index);
    const std::uint64_t base = index ^ (std::uint64_t{(value & 0x7FFFFFFF) >> 10} << ((value & (1u << 9)) >> 6));
    expect((base | 0xFF) < count(), "a character map that points outside itself");
    const auto next = static_cast<std::uint32_t>(base);
    if ((value >> 8 & 1) != 0)
      expect((unit(next) & 0x7FFFFFFF) < texts_.size(), "a character map that points outside its texts");
    expect(leaves <= kMaxLeaves, "a character map with too many texts on one way");
    if (leaves <= leaves_[next]) return;
    leaves_[next] = leaves;
    open_.push_back(next);
  }

  std::string_view trie_, texts_;
  std::vector<std::uint32_t> first_,
      units_;                // children of a base: units_[first_[base]] to units_[first_[base + 1]]
  std::vector<int> leaves_;  // the largest number on any path to a base; -1: not reached
  std::vector<std::uint32_t> open_;
};

void check_character_map(std::string_view map) {
  if (map.empty()) return;
  expect(map.size() > 4, "a character map that is cut off");
  const std::size_t trie_bytes = fixed32(map);
  expect(trie_bytes > 0 && trie_bytes % 1024 == 0 && trie_bytes < map.size() - 4, "a character map of impossible size");
  const auto trie = map.substr(4, trie_bytes), texts = map.substr(4 + trie_bytes);
  expect(texts.back() == '\0', "a character map whose last text has no end");
  CharacterMap(trie, texts).check();
}

void check_normalizer(std::string_view message) {
  for (Fields fields(message); const auto field = fields.next();)
    if (field->number == NormalizerField::kCharacterMap && field->type == Fields::kBytes)
      check_character_map(field->bytes);
}

void check_fields(std::string_view message) {
  for (Fields fields(message); fields.next();) continue;
}

void check_model(std::string_view bytes) {
  std::unordered_set<std::string_view> pieces;
  for (Fields fields(bytes); const auto field = fields.next();) {
    if (field->type != Fields::kBytes) continue;
    switch (field->number) {
      case ModelField::kPieces:
        expect(pieces.insert(check_piece(field->bytes)).second, "a piece that stands there twice");
        break;
      case ModelField::kTrainer:
      case ModelField::kSelfTest:
        check_fields(field->bytes);
        break;
      case ModelField::kNormalizer:
      case ModelField::kDenormalizer:
        check_normalizer(field->bytes);
        break;
      default:
        break;
    }
  }
  expect(!pieces.empty(), "no pieces");
}

}  // namespace

void check_sentencepiece_model(std::string_view bytes, const std::string& name) {
  try {
    check_model(bytes);
  } catch (const BrokenProtobuf& broken) {
    const auto kind = file_kind(bytes);
    const bool damaged = kind.empty() || kind == "a SentencePiece model";
    throw ModelError(name + ": wanted a SentencePiece model, got " + (damaged ? broken.what : std::string(kind)) +
                     (damaged ? "; the file is damaged or something else" : "; name the .model file of a tokenizer"));
  }
}

void check_stated_ids(std::string_view bytes, const std::string& name) {
  struct SpecialId {
    std::uint64_t field;
    std::string_view text;
    std::uint64_t expected, stated;
  };
  std::array<SpecialId, 4> ids{{{TrainerField::kPadId, "pad", kPad, kPad},
                                {TrainerField::kUnkId, "unk", kUnk, kUnk},
                                {TrainerField::kBosId, "bos", kBos, kBos},
                                {TrainerField::kEosId, "eos", kEos, kEos}}};
  for (Fields fields(bytes); const auto field = fields.next();)
    if (field->number == ModelField::kTrainer && field->type == Fields::kBytes)
      for (Fields settings(field->bytes); const auto setting = settings.next();)
        for (auto& id : ids)
          if (setting->number == id.field && setting->type == Fields::kVarint) id.stated = setting->value;
  std::string expected, got;
  for (const auto& id : ids) {
    const auto add = [&](std::string& text, std::uint64_t value) {
      text +=
          (text.empty() ? "" : ", ") + std::string(id.text) + ' ' + std::to_string(static_cast<std::int32_t>(value));
    };
    add(expected, id.expected);
    add(got, id.stated);
  }
  if (expected != got)
    throw ModelError(name + ": wanted the special ids " + expected + ", got " + got +
                     " in its training settings; train it again with --pad_id=0 --unk_id=1 --bos_id=2 --eos_id=3");
}

}  // namespace gloss
