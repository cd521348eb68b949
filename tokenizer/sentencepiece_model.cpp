#include "tokenizer/sentencepiece_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/files/file_kind.h"
#include "common/files/protobuf.h"
#include "common/text/utf8.h"
#include "tokenizer/tokenizer_config.h"

namespace gloss {
namespace {

void read_trainer(std::string_view message, SentencePieceSettings& settings) {
  settings.has_trainer = true;
  for (ProtobufFields fields(message); const auto field = fields.next();) {
    if (field->type != ProtobufFields::kVarint) continue;
    const auto id = static_cast<std::int32_t>(field->value);
    if (field->number == TrainerField::kSegmentation)
      settings.segmentation = static_cast<PieceTable::Segmentation>(field->value);
    if (field->number == TrainerField::kWhitespaceAsSuffix) settings.whitespace_as_suffix = field->value != 0;
    if (field->number == TrainerField::kByteFallback) settings.byte_fallback = field->value != 0;
    if (field->number == TrainerField::kPadId) settings.pad = id;
    if (field->number == TrainerField::kUnkId) settings.unk = id;
    if (field->number == TrainerField::kBosId) settings.bos = id;
    if (field->number == TrainerField::kEosId) settings.eos = id;
  }
}

void read_normalizer(std::string_view message, SentencePieceSettings& settings) {
  for (ProtobufFields fields(message); const auto field = fields.next();) {
    const bool is_on = field->value != 0;
    if (field->number == NormalizerField::kCharacterMap && field->type == ProtobufFields::kBytes)
      settings.character_map = field->bytes;
    if (field->number == NormalizerField::kName && field->type == ProtobufFields::kBytes)
      settings.normalizer = field->bytes;
    if (field->type != ProtobufFields::kVarint) continue;
    if (field->number == NormalizerField::kAddDummyPrefix) settings.add_dummy_prefix = is_on;
    if (field->number == NormalizerField::kRemoveExtraWhitespaces) settings.remove_extra_whitespaces = is_on;
    if (field->number == NormalizerField::kEscapeWhitespaces) settings.escape_whitespaces = is_on;
  }
}

// SentencePiece 0.1.97 supports at most 64 user-defined pieces that are prefixes of each other.
constexpr std::size_t kMaxUserDefinedPrefixes = 64;
constexpr std::size_t kMaxCharacterMap = 16 << 20;  // bytes; that of nmt_nfkc has 240 kB
constexpr std::size_t kMaxReplacement = 256;        // bytes of a text of a character map; the longest of NFKC has 33

using Fields = ProtobufFields;

void expect(bool holds, const char* what) {
  if (!holds) throw BrokenProtobuf{what};
}

std::uint32_t fixed32(std::string_view bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

std::string rewritten(const Piece& piece) {
  expect(std::isfinite(piece.score), "a score that is no number");
  expect(!piece.text.empty() && piece.text.size() <= TokenizerConfig::kMaxPieceBytes,
         "a piece that is empty or longer than 1000 bytes");
  expect(piece.type >= Piece::Type::kNormal && piece.type <= Piece::Type::kByte, "a piece of unknown type");
  expect(piece.type != Piece::Type::kUserDefined || piece.text.size() <= kMaxUserDefinedPrefixes,
         "a user-defined piece longer than 64 bytes");
  expect(is_utf8(piece.text) && piece.text.find('\0') == std::string::npos, "a piece that is not UTF-8");
  ProtobufWriter message;
  message.add_bytes(PieceField::kText, piece.text);
  message.add_float(PieceField::kScore, piece.score);
  message.add_number(PieceField::kType, static_cast<std::uint64_t>(piece.type));
  return std::move(message).message();
}

// A double-array trie (Yata et al. 2007) in the format of darts-clone. Bit 31: a leaf, whose other bits are its value;
// otherwise bits 10 to 30: offset, bit 9: the offset is in units of 256, bit 8: has a leaf, bits 0 to 7: label. From
// the base of a unit, its index ^ offset, a byte leads to the unit at base ^ byte if that has the byte as its label.
class CharacterMap {
 public:
  CharacterMap(std::string_view trie, std::string_view texts)
      : trie_(trie), texts_(texts), first_(count() + 1), units_(count()), paths_(count()) {
    for (std::uint32_t index = 0; index < count(); ++index) ++first_[parent(index) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    auto end = first_;
    for (std::uint32_t index = 0; index < count(); ++index) units_[end[parent(index)]++] = index;
  }

  // Follows every path from the root.
  void check() {
    expect(unit(0) >> 31 == 0, "a character map that begins with a leaf");
    visit(0, {0, 0});
    while (!open_.empty()) {
      const auto base = open_.back();
      open_.pop_back();
      for (auto i = first_[base]; i < first_[base + 1]; ++i)
        if (unit(units_[i]) >> 31 == 0)
          visit(units_[i], {paths_[base].bytes + 1, paths_[base].leaves + static_cast<int>(unit(units_[i]) >> 8 & 1)});
    }
  }

 private:
  // Largest numbers on any way to a base; -1: not reached.
  struct Path {
    int bytes = -1, leaves = -1;
  };
  // SentencePiece 0.1.97 stores at most this many matches of one text and reads out of bounds if there are more.
  static constexpr int kMaxLeaves = 32;
  static constexpr int kMaxBytes = 64;  // of a text that is replaced; each byte of a line is matched that far

  std::uint32_t count() const { return static_cast<std::uint32_t>(trie_.size() / 4); }
  std::uint32_t unit(std::uint32_t index) const { return fixed32(trie_.substr(index * std::size_t{4})); }
  std::uint32_t parent(std::uint32_t index) const { return index ^ (unit(index) & 0xFF); }

  // Visits a unit at the end of `path`. A way is followed again only with a larger number than before.
  void visit(std::uint32_t index, Path path) {
    const auto value = unit(index);
    const std::uint64_t base = index ^ (std::uint64_t{value >> 10} << ((value & (1u << 9)) >> 6));
    expect((base | 0xFF) < count(), "a character map that points outside itself");
    const auto next = static_cast<std::uint32_t>(base);
    if ((value >> 8 & 1) != 0) {
      const auto place = unit(next) & 0x7FFFFFFF;
      expect(place < texts_.size(), "a character map that points outside its texts");
      expect(texts_.substr(place, kMaxReplacement + 1).find('\0') != texts_.npos,
             "a character map with a text longer than 256 bytes");
    }
    expect(path.leaves <= kMaxLeaves, "a character map with too many texts on one way");
    expect(path.bytes <= kMaxBytes, "a character map with a circle or a way longer than 64 bytes");
    auto& known = paths_[next];
    if (path.leaves <= known.leaves && path.bytes <= known.bytes) return;
    known = {std::max(path.bytes, known.bytes), std::max(path.leaves, known.leaves)};
    open_.push_back(next);
  }

  std::string_view trie_, texts_;
  std::vector<std::uint32_t> first_,
      units_;  // children of a base: units_[first_[base]] to units_[first_[base + 1]]
  std::vector<Path> paths_;
  std::vector<std::uint32_t> open_;
};

void check_character_map(std::string_view map) {
  if (map.empty()) return;
  expect(map.size() > 4, "a character map that is cut off");
  expect(map.size() <= kMaxCharacterMap, "a character map of more than 16 MiB");
  const std::size_t trie_bytes = fixed32(map);
  expect(trie_bytes > 0 && trie_bytes % 1024 == 0 && trie_bytes < map.size() - 4, "a character map of impossible size");
  const auto trie = map.substr(4, trie_bytes), texts = map.substr(4 + trie_bytes);
  expect(texts.back() == '\0', "a character map whose last text has no end");
  CharacterMap(trie, texts).check();
}

std::string rewritten_normalizer(std::string_view message) {
  ProtobufWriter result;
  for (Fields fields(message); const auto field = fields.next();) {
    if (field->number == NormalizerField::kCharacterMap && field->type == Fields::kBytes) {
      check_character_map(field->bytes);
      result.add(*field);
    }
    if (field->number >= NormalizerField::kAddDummyPrefix && field->number <= NormalizerField::kEscapeWhitespaces &&
        field->type == Fields::kVarint)
      result.add(*field);
  }
  return std::move(result).message();
}

std::string rewritten_trainer(std::string_view message) {
  constexpr std::array kNumbers{TrainerField::kSegmentation, TrainerField::kWhitespaceAsSuffix,
                                TrainerField::kByteFallback, TrainerField::kUnkId,
                                TrainerField::kBosId,        TrainerField::kEosId,
                                TrainerField::kPadId};
  ProtobufWriter result;
  for (Fields fields(message); const auto field = fields.next();) {
    if (field->type == Fields::kVarint && std::ranges::find(kNumbers, field->number) != kNumbers.end()) {
      expect(field->number != TrainerField::kSegmentation || (field->value >= 1 && field->value <= 4),
             "an unknown segmentation");
      result.add(*field);
    }
    if (field->type == Fields::kBytes && field->number >= TrainerField::kUnkText &&
        field->number <= TrainerField::kPadPiece) {
      expect(field->bytes.size() <= TokenizerConfig::kMaxPieceBytes,
             "the name of a special piece with over 1000 bytes");
      result.add(*field);
    }
  }
  return std::move(result).message();
}

std::string rewritten_model(std::string_view bytes) {
  std::unordered_set<std::string> pieces;
  std::unordered_set<std::uint64_t> parts;
  ProtobufWriter result;
  for (Fields fields(bytes); const auto field = fields.next();) {
    if (field->type != Fields::kBytes) continue;
    expect(field->number == ModelField::kPieces || field->number > ModelField::kDenormalizer ||
               parts.insert(field->number).second,
           "a part that stands there twice");
    std::string part;
    if (field->number == ModelField::kPieces) {
      const auto piece = read_piece(field->bytes);
      part = rewritten(piece);
      expect(pieces.insert(piece.text).second, "a piece that stands there twice");
    } else if (field->number == ModelField::kTrainer) {
      part = rewritten_trainer(field->bytes);
    } else if (field->number == ModelField::kNormalizer || field->number == ModelField::kDenormalizer) {
      part = rewritten_normalizer(field->bytes);
    } else {
      continue;  // such as samples that SentencePiece would encode while it loads the model
    }
    result.add_bytes(field->number, part);
  }
  expect(!pieces.empty(), "no pieces");
  return std::move(result).message();
}

}  // namespace

void for_each_field(std::string_view model, const std::function<void(const ProtobufFields::Field&)>& take) {
  try {
    for (ProtobufFields fields(model); const auto field = fields.next();) take(*field);
  } catch (const BrokenProtobuf& broken) {
    throw ModelError("tokenizer: wanted a SentencePiece model, got " + broken.what);
  }
}

Piece read_piece(std::string_view message) {
  Piece piece;
  for (ProtobufFields fields(message); const auto field = fields.next();) {
    if (field->number == PieceField::kText && field->type == ProtobufFields::kBytes) piece.text = field->bytes;
    if (field->number == PieceField::kScore && field->type == ProtobufFields::kFixed32)
      std::memcpy(&piece.score, field->bytes.data(), sizeof piece.score);
    if (field->number == PieceField::kType && field->type == ProtobufFields::kVarint)
      piece.type = static_cast<Piece::Type>(field->value);
  }
  return piece;
}

PieceTable read_piece_table(std::string_view model) {
  PieceTable table{.segmentation = read_sentencepiece_settings(model).segmentation, .pieces = {}};
  for_each_field(model, [&](const ProtobufFields::Field& field) {
    if (field.number == ModelField::kPieces && field.type == ProtobufFields::kBytes)
      table.pieces.push_back(read_piece(field.bytes));
  });
  return table;
}

std::vector<std::string_view> characters_of(std::string_view text) {
  std::vector<std::string_view> characters;
  for (std::size_t offset = 0; offset < text.size(); offset += characters.back().size())
    characters.push_back(text.substr(offset, decode_utf8(text, offset).bytes));
  return characters;
}

SentencePieceSettings read_sentencepiece_settings(std::string_view model) {
  SentencePieceSettings settings;
  for_each_field(model, [&](const ProtobufFields::Field& field) {
    if (field.type != ProtobufFields::kBytes) return;
    if (field.number == ModelField::kTrainer) read_trainer(field.bytes, settings);
    if (field.number == ModelField::kNormalizer) read_normalizer(field.bytes, settings);
    settings.has_normalizer |= field.number == ModelField::kNormalizer;
    if (field.number != ModelField::kDenormalizer) return;
    SentencePieceSettings denormalizer;
    read_normalizer(field.bytes, denormalizer);
    settings.rewrites_output |= !denormalizer.character_map.empty();
  });
  return settings;
}

void expect_complete_sentencepiece(std::string_view model, const std::string& name) {
  const auto settings = read_sentencepiece_settings(model);
  if (!settings.has_trainer || !settings.has_normalizer)
    throw ModelError(name + ": wanted a SentencePiece model, got one without its settings of " +
                     (settings.has_trainer ? "normalization" : "training") + "; the file is cut off");
}

std::string check_sentencepiece_model(std::string_view bytes, const std::string& name) {
  try {
    return rewritten_model(bytes);
  } catch (const BrokenProtobuf& broken) {
    const auto kind = file_kind(bytes);
    const bool damaged = kind.empty() || kind == "a SentencePiece model";
    throw ModelError(name + ": wanted a SentencePiece model, got " + (damaged ? broken.what : std::string(kind)) +
                     (damaged ? "; the file is damaged or something else" : "; name the .model file of a tokenizer"));
  }
}

}  // namespace gloss
