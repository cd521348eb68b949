#include "tokenizer/sentencepiece_tokenizer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <sentencepiece_processor.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/text/printable.h"
#include "common/text/utf8.h"
#include "tokenizer/cached_encoder.h"
#include "tokenizer/plain_text.h"
#include "tokenizer/sentencepiece_library.h"
#include "tokenizer/sentencepiece_model.h"

namespace gloss {
namespace {

std::string id_list(int pad, int unk, int bos, int eos) {
  return "pad " + std::to_string(pad) + ", unk " + std::to_string(unk) + ", bos " + std::to_string(bos) + ", eos " +
         std::to_string(eos);
}

void expect_special_ids(const std::string& got, const std::string& name, const char* place) {
  const auto expected = id_list(kPad, kUnk, kBos, kEos);
  if (got != expected)
    throw ModelError(name + ": wanted the special ids " + expected + ", got " + got + place +
                     "; train it again with --pad_id=0 --unk_id=1 --bos_id=2 --eos_id=3");
}

bool is_written(Id id) { return id != kPad && id != kBos && id != kEos; }

// Returns whether the id is a byte of a character whose text SentencePiece assigns to a later byte, its last one.
bool is_part(const sentencepiece::SentencePieceProcessor& model, Id id, std::string_view writes) {
  return writes.empty() && model.IsByte(id);
}

// Repairs decoded text: byte pieces may form invalid characters or line ends.
std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return repair_utf8(text);
}

}  // namespace

SentencePieceTokenizer::SentencePieceTokenizer(std::string serialized, const std::string& name)
    : serialized_(std::move(serialized)) {
  const auto shown = printable(name);
  model_ = load_sentencepiece(serialized_, shown);
  expect_special_ids(id_list(model_->pad_id(), model_->unk_id(), model_->bos_id(), model_->eos_id()), shown, "");
  // SentencePiece reads the ids from the pieces only; other programs read these settings.
  const auto stated = read_sentencepiece_settings(serialized_);
  expect_special_ids(id_list(stated.pad, stated.unk, stated.bos, stated.eos), shown, " in its training settings");
}

std::shared_ptr<const SentencePieceTokenizer> SentencePieceTokenizer::load(const std::filesystem::path& path) {
  if (std::error_code ignored; std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found)
    throw DataError(printable(path.string()) + ": wanted a SentencePiece model, but it is not there");
  return std::make_shared<SentencePieceTokenizer>(read_file(path, kMaxSentencePieceBytes), path.string());
}

Ids SentencePieceTokenizer::encode(std::string_view line) const {
  const auto text = without_space_marks(line);
  std::vector<int> ids;
  const auto status = model_->Encode(text, &ids);
  if (!status.ok()) throw ModelError("tokenizer: cannot encode a line: " + sentencepiece_message(status.ToString()));
  return {ids.begin(), ids.end()};
}

std::string SentencePieceTokenizer::decode(std::span<const Id> ids) const {
  std::string text;
  const auto status = model_->Decode(written(ids), &text);
  if (!status.ok()) throw ModelError("tokenizer: cannot decode: " + sentencepiece_message(status.ToString()));
  return one_line(std::move(text));
}

PieceSpans SentencePieceTokenizer::encode_with_spans(std::string_view line) const {
  PieceSpans result;
  result.text = without_space_marks(line);
  const auto found = model_->EncodeAsImmutableProto(result.text);
  for (const auto& piece : found.pieces()) {
    result.ids.push_back(static_cast<Id>(piece.id()));
    result.spans.push_back({piece.begin(), piece.end(), is_part(*model_, result.ids.back(), piece.surface())});
  }
  return result;
}

PieceSpans SentencePieceTokenizer::decode_with_spans(std::span<const Id> ids) const {
  PieceSpans result{.text = {}, .ids = {ids.begin(), ids.end()}, .spans = {}};
  const auto found = model_->DecodeIdsAsImmutableProto(written(ids));
  std::size_t next = 0;
  for (const Id id : ids) {
    const auto begin = result.text.size();
    if (is_written(id)) result.text += one_line(found.pieces(static_cast<int>(next++)).surface());
    const auto wrote = std::string_view(result.text).substr(begin);
    result.spans.push_back({begin, result.text.size(), is_part(*model_, id, wrote)});
  }
  auto text = one_line(found.text());
  result.spans_known = text == result.text;
  if (!result.spans_known) result.spans.assign(ids.size(), {});
  result.text = std::move(text);
  return result;
}

std::int64_t SentencePieceTokenizer::vocabulary_size() const { return model_->GetPieceSize(); }

bool SentencePieceTokenizer::encodes_words_separately() const { return separates_words(serialized_); }

const std::string& SentencePieceTokenizer::serialized() const { return serialized_; }

std::string SentencePieceTokenizer::piece(Id id) const {
  expect_known(id);
  return model_->IdToPiece(id);
}

std::vector<int> SentencePieceTokenizer::written(std::span<const Id> ids) const {
  std::vector<int> pieces;
  for (const Id id : ids) {
    expect_known(id);
    if (is_written(id)) pieces.push_back(id);
  }
  return pieces;
}

}  // namespace gloss
