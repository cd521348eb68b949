#include "tokenizer/mapped_tokenizer.h"

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include <sentencepiece_processor.h>

#include "common/config/json.h"
#include "common/error.h"
#include "common/text/printable.h"
#include "common/text/utf8.h"
#include "tokenizer/cached_encoder.h"
#include "tokenizer/opus_normalizer.h"
#include "tokenizer/piece_spans.h"
#include "tokenizer/plain_text.h"
#include "tokenizer/sentencepiece_library.h"
#include "tokenizer/tokenizer_config.h"

namespace gloss {
namespace {

constexpr std::string_view kMagic = "gloss-mapped-tokenizer 1\n";
constexpr std::string_view kAnyMagic = "gloss-mapped-tokenizer ";
constexpr std::string_view kNoNormalizer, kOpusMt = "opus-mt";
constexpr std::size_t kMaxHeaderBytes = 32 << 20;  // bytes
constexpr std::size_t kMaxLanguageBytes = 100;     // bytes
constexpr int kMaxJsonDepth = 4;

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw ModelError(name + ": wanted a tokenizer with a vocabulary of its own, got " + what +
                   "; the file is damaged, or import the model again");
}

/// Compares names without regard to case; "_" equals "-".
std::string comparable(std::string_view name) {
  std::string text(name);
  for (auto& c : text) c = c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

std::vector<std::string> read_pieces(const Json& json, const std::string& name) {
  if (!json.is_array()) refuse(name, "a header whose `pieces` are no list");
  std::vector<std::string> pieces;
  pieces.reserve(json.size());
  for (const auto& piece : json) {
    if (!piece.is_string()) refuse(name, "a piece that is no text");
    pieces.push_back(piece.get<std::string>());
  }
  return pieces;
}

std::map<std::string, Id, std::less<>> read_languages(const Json& json, const std::string& name) {
  if (!json.is_object()) refuse(name, "a header whose `languages` are no object");
  std::map<std::string, Id, std::less<>> languages;
  for (const auto& [language, id] : json.items()) {
    if (!id.is_number_integer() || id < 0 || id > TokenizerConfig::kMaxVocabulary)
      refuse(name, "the language " + printable(language, 80) + " without an id of the vocabulary");
    languages[language] = id.get<Id>();
  }
  return languages;
}

MappedVocabulary::Normalizer read_normalizer(const Json& json, const std::string& name) {
  if (json == kNoNormalizer) return MappedVocabulary::Normalizer::kNone;
  if (json == kOpusMt) return MappedVocabulary::Normalizer::kOpusMt;
  refuse(name, "the unknown normalizer " + printable(to_text(json), 80));
}

constexpr std::string_view kUnknownText = " \u2047 ";  // as SentencePiece's

bool is_special(Id id) { return id == kPad || id == kBos || id == kEos; }

std::string blob(const MappedVocabulary& vocabulary, std::string_view sentencepiece, const std::string& name) {
  vocabulary.validate(printable(name));
  return to_header(vocabulary).append(sentencepiece);
}

}  // namespace

void MappedVocabulary::validate(const std::string& name) const {
  const auto V = std::ssize(pieces);
  if (V < TokenizerConfig::kMinVocabulary || V > TokenizerConfig::kMaxVocabulary)
    refuse(name, std::to_string(V) + " pieces, not " + std::to_string(TokenizerConfig::kMinVocabulary) + " to " +
                     std::to_string(TokenizerConfig::kMaxVocabulary));
  std::unordered_set<std::string_view> seen;
  for (std::int64_t id = 0; id < V; ++id) {
    const auto& piece = pieces[static_cast<std::size_t>(id)];
    const auto place = "piece " + std::to_string(id);
    if (piece.empty() || piece.size() > TokenizerConfig::kMaxPieceBytes)
      refuse(name, place + ", empty or longer than 1000 bytes");
    if (!is_text(piece)) refuse(name, place + " that is not UTF-8 without NUL");
    if (id >= kSpecialIds && !seen.insert(piece).second)
      refuse(name, place + " a second time: " + printable(piece, 80));
  }
  for (const auto& [language, id] : languages) {
    if (language.empty() || language.size() > kMaxLanguageBytes || !is_text(language))
      refuse(name, "a language whose name is empty, too long or not UTF-8");
    if (id < kSpecialIds || id >= V)
      refuse(name, "the language " + printable(language, 80) + " with the tag " + std::to_string(id) + ", not 4 to " +
                       std::to_string(V - 1));
  }
}

std::optional<Id> MappedVocabulary::tag_of(std::string_view language) const {
  if (const auto exact = languages.find(language); exact != languages.end()) return exact->second;
  const auto wanted = comparable(language);
  std::set<Id> longer;
  for (const auto& [name, id] : languages) {
    const auto known = comparable(name);
    if (known == wanted) return id;
    if (!wanted.empty() && known.starts_with(wanted + '-')) longer.insert(id);
  }
  return longer.size() == 1 ? std::optional(*longer.begin()) : std::nullopt;
}

std::string to_header(const MappedVocabulary& vocabulary) {
  Json languages = Json::object();
  for (const auto& [language, id] : vocabulary.languages) languages[language] = id;
  Json header{{"languages", std::move(languages)},
              {"normalizer", vocabulary.normalizer == MappedVocabulary::Normalizer::kOpusMt ? kOpusMt : kNoNormalizer},
              {"pieces", vocabulary.pieces}};
  if (!vocabulary.has_source_eos) header["source_eos"] = false;
  return std::string(kMagic) + to_text(header) + '\n';
}

bool has_mapped_header(std::string_view bytes) { return bytes.starts_with(kAnyMagic); }

ParsedVocabulary parse_header(std::string_view bytes, const std::string& name) {
  if (!bytes.starts_with(kMagic)) {
    if (!has_mapped_header(bytes)) refuse(name, "other bytes");
    throw ModelError(name + ": wanted a tokenizer of version 1, got another version; use a newer gloss");
  }
  const auto end = bytes.substr(0, kMagic.size() + kMaxHeaderBytes).find('\n', kMagic.size());
  if (end == bytes.npos) refuse(name, "a header without an end");
  Json header;
  try {
    header = parse_json(bytes.substr(kMagic.size(), end - kMagic.size()), kMaxJsonDepth);
  } catch (const std::invalid_argument& error) {
    refuse(name, std::string("a header that is not JSON: ") + error.what());
  }
  const bool has_eos = header.is_object() && header.contains("source_eos");
  if (!header.is_object() || header.size() != (has_eos ? 4 : 3) || !header.contains("languages") ||
      !header.contains("normalizer") || !header.contains("pieces") || (has_eos && !header["source_eos"].is_boolean()))
    refuse(name, "a header without just languages, normalizer, pieces and perhaps source_eos");
  MappedVocabulary vocabulary{.pieces = read_pieces(header["pieces"], name),
                              .normalizer = read_normalizer(header["normalizer"], name),
                              .languages = read_languages(header["languages"], name),
                              .has_source_eos = header.value("source_eos", true)};
  vocabulary.validate(name);
  return {std::move(vocabulary), end + 1};
}

MappedTokenizer::MappedTokenizer(const MappedVocabulary& vocabulary, std::string_view sentencepiece,
                                 const std::string& name)
    : MappedTokenizer(blob(vocabulary, sentencepiece, name), name) {}

MappedTokenizer::MappedTokenizer(std::string serialized, const std::string& name) : serialized_(std::move(serialized)) {
  const auto shown = printable(name);
  auto parsed = parse_header(serialized_, shown);
  vocabulary_ = std::move(parsed.vocabulary);
  header_bytes_ = parsed.header_bytes;
  model_ = load_sentencepiece(sentencepiece(), shown);
  for (const auto& [language, tag] : vocabulary_.languages) tags_.insert(tag);
  for (Id id = kSpecialIds; id < vocabulary_size(); ++id)
    if (!tags_.contains(id)) ids_.emplace(vocabulary_.pieces[static_cast<std::size_t>(id)], id);
}

Ids MappedTokenizer::encode(std::string_view line) const {
  auto text = without_space_marks(line);
  if (vocabulary_.normalizer == MappedVocabulary::Normalizer::kOpusMt) text = opus_normalized(text).text;
  Ids ids;
  for (const auto& piece : cut_pieces(model_, text)) ids.push_back(id_of(piece));
  return ids;
}

std::string MappedTokenizer::decode(std::span<const Id> ids) const { return decode_with_spans(ids).text; }

PieceSpans MappedTokenizer::encode_with_spans(std::string_view line) const {
  PieceSpans result;
  result.text = without_space_marks(line);
  std::optional<NormalizedText> normalized;
  if (vocabulary_.normalizer == MappedVocabulary::Normalizer::kOpusMt) normalized = opus_normalized(result.text);
  const auto found = model_->EncodeAsImmutableProto(normalized ? normalized->text : result.text);
  for (const auto& piece : found.pieces()) {
    result.ids.push_back(id_of(piece.piece()));
    const bool of_next = piece.surface().empty() && model_->IsByte(static_cast<int>(piece.id()));
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
  return vocabulary_.tag_of(language);
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
  expect_known(id);
  return vocabulary_.pieces[static_cast<std::size_t>(id)];
}

}  // namespace gloss
