#include "tokenizer/mapped_tokenizer.h"

#include <optional>
#include <utility>

#include <sentencepiece_processor.h>

#include "common/error.h"
#include "common/text/printable.h"
#include "tokenizer/cached_encoder.h"
#include "tokenizer/joined_pieces.h"
#include "tokenizer/opus_normalizer.h"
#include "tokenizer/plain_text.h"
#include "tokenizer/sentencepiece_library.h"

namespace gloss {
namespace {

constexpr std::string_view kUnknownText = " \u2047 ";  // as SentencePiece's

bool is_special(Id id) { return id == kPad || id == kBos || id == kEos; }

std::string blob(const MappedVocabulary& vocabulary, std::string_view sentencepiece, const std::string& name) {
  vocabulary.validate(printable(name));
  return to_header(vocabulary).append(sentencepiece);
}

}  // namespace

struct MappedTokenizer::Processor {
  sentencepiece::SentencePieceProcessor model;
};

MappedTokenizer::MappedTokenizer(const MappedVocabulary& vocabulary, std::string_view sentencepiece,
                                 const std::string& name)
    : MappedTokenizer(blob(vocabulary, sentencepiece, name), name) {}

MappedTokenizer::MappedTokenizer(std::string serialized, const std::string& name)
    : serialized_(std::move(serialized)), processor_(std::make_unique<Processor>()) {
  const auto shown = printable(name);
  auto parsed = parse_header(serialized_, shown);
  vocabulary_ = std::move(parsed.vocabulary);
  header_bytes_ = parsed.header_bytes;
  load_sentencepiece(sentencepiece(), shown, processor_->model);
  for (const auto& [language, tag] : vocabulary_.languages) tags_.insert(tag);
  for (Id id = kSpecialIds; id < vocabulary_size(); ++id)
    if (!tags_.contains(id)) ids_.emplace(vocabulary_.pieces[static_cast<std::size_t>(id)], id);
}

MappedTokenizer::~MappedTokenizer() = default;

Ids MappedTokenizer::encode(std::string_view line) const {
  auto text = without_space_marks(line);
  if (vocabulary_.normalizer == MappedVocabulary::Normalizer::kOpusMt) text = opus_normalized(text).text;
  std::vector<std::string> pieces;
  const auto status = processor_->model.Encode(text, &pieces);
  if (!status.ok()) throw ModelError("tokenizer: cannot encode a line: " + sentencepiece_message(status.ToString()));
  Ids ids;
  for (const auto& piece : pieces) ids.push_back(id_of(piece));
  return ids;
}

std::string MappedTokenizer::decode(std::span<const Id> ids) const { return decode_with_spans(ids).text; }

PieceSpans MappedTokenizer::encode_with_spans(std::string_view line) const {
  PieceSpans result;
  result.text = without_space_marks(line);
  std::optional<NormalizedText> normalized;
  if (vocabulary_.normalizer == MappedVocabulary::Normalizer::kOpusMt) normalized = opus_normalized(result.text);
  const auto found = processor_->model.EncodeAsImmutableProto(normalized ? normalized->text : result.text);
  for (const auto& piece : found.pieces()) {
    result.ids.push_back(id_of(piece.piece()));
    const bool of_next = piece.surface().empty() && processor_->model.IsByte(static_cast<int>(piece.id()));
    PieceSpans::Span span{piece.begin(), piece.end(), of_next};
    if (normalized) {
      const auto [begin, end] = normalized->original(span.begin, span.end);
      span = {begin, end, of_next};
    }
    result.spans.push_back(span);
  }
  return result;
}

PieceSpans MappedTokenizer::decode_with_spans(std::span<const Id> ids) const {
  JoinedPieces joined;
  for (const Id id : ids) {
    const auto& piece = known_piece(id);
    if (is_special(id) || tags_.contains(id))
      joined.skip();
    else if (id == kUnk)
      joined.add_text(kUnknownText);
    else
      joined.add(piece);
  }
  auto result = joined.finish();
  result.ids.assign(ids.begin(), ids.end());
  return result;
}

std::int64_t MappedTokenizer::vocabulary_size() const { return std::ssize(vocabulary_.pieces); }

bool MappedTokenizer::encodes_words_separately() const {
  return vocabulary_.normalizer == MappedVocabulary::Normalizer::kNone && separates_words(sentencepiece());
}

std::optional<Id> MappedTokenizer::language_tag(std::string_view language) const {
  const auto tag = vocabulary_.tag_of(language);
  return tag == 0 ? std::nullopt : std::optional(tag);
}

std::vector<std::string> MappedTokenizer::languages() const {
  std::vector<std::string> names;
  for (const auto& [language, tag] : vocabulary_.languages) names.push_back(language);
  return names;
}

std::string MappedTokenizer::piece(Id id) const { return known_piece(id); }

PieceTable MappedTokenizer::piece_table() const {
  auto cut = read_piece_table(sentencepiece());
  PieceTable table{cut.segmentation, {}};
  for (const auto& piece : vocabulary_.pieces) table.pieces.push_back({piece, 0, Piece::Type::kControl});
  table.pieces[kUnk].type = Piece::Type::kUnknown;
  for (auto& piece : cut.pieces) {
    const auto id = id_of(piece.text);
    const bool is_symbol = piece.type == Piece::Type::kUnknown || piece.type == Piece::Type::kControl;
    if (id != kUnk && !is_symbol) table.pieces[static_cast<std::size_t>(id)] = std::move(piece);
  }
  return table;
}

Id MappedTokenizer::id_of(std::string_view piece) const {
  const auto found = ids_.find(piece);
  return found == ids_.end() ? kUnk : found->second;
}

const std::string& MappedTokenizer::known_piece(Id id) const {
  if (id < 0 || id >= vocabulary_size())
    throw ModelError("tokenizer: wanted an id from 0 to " + std::to_string(vocabulary_size() - 1) + ", got " +
                     std::to_string(id));
  return vocabulary_.pieces[static_cast<std::size_t>(id)];
}

}  // namespace gloss
