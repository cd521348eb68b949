#include "tokenizer/cached_encoder.h"

#include <algorithm>

#include "common/text/split.h"
#include "tokenizer/sentencepiece_model.h"

namespace gloss {
namespace {

// No rule of these normalizations rewrites a sequence of characters that has a space in it.
bool has_plain_spaces(const SentencePieceSettings& settings) {
  return settings.add_dummy_prefix && settings.remove_extra_whitespaces && settings.escape_whitespaces &&
         (settings.normalizer == "nmt_nfkc" || settings.normalizer == "identity");
}

bool stays_in_word(const Piece& piece) {
  return piece.type != Piece::Type::kUserDefined && piece.type != Piece::Type::kUnused &&
         piece.text.rfind(kSpaceMark) + 1 <= 1;  // nowhere, or at the beginning
}

}  // namespace

bool separates_words(std::string_view model) {
  const auto table = read_piece_table(model);
  if (table.segmentation != PieceTable::Segmentation::kBpe &&
      table.segmentation != PieceTable::Segmentation::kCharacter)
    return false;
  // A word that began with an unknown piece could join the unknown end of the word before.
  const bool has_mark = std::ranges::any_of(
      table.pieces, [](const Piece& piece) { return piece.type == Piece::Type::kNormal && piece.text == kSpaceMark; });
  return has_mark && has_plain_spaces(read_sentencepiece_settings(model)) &&
         std::ranges::all_of(table.pieces, stays_in_word);
}

CachedEncoder::CachedEncoder(const Tokenizer& tokenizer)
    : tokenizer_(&tokenizer), splits_(tokenizer.encodes_words_separately()) {}

Ids CachedEncoder::encode(std::string_view line) {
  if (!splits_) return tokenizer_->encode(line);
  Ids ids;
  while (!line.empty()) {
    const auto end = std::min(line.find(' '), line.size());
    if (end > 0) append_word(line.substr(0, end), ids);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return ids;
}

void CachedEncoder::append_word(std::string_view word, Ids& ids) {
  const auto found = words_.find(word);
  if (found != words_.end()) {
    ids.insert(ids.end(), found->second.begin(), found->second.end());
    return;
  }
  auto pieces = tokenizer_->encode(word);
  ids.insert(ids.end(), pieces.begin(), pieces.end());
  if (words_.size() < kMaxWords && word.size() <= kMaxWordBytes) words_.emplace(word, std::move(pieces));
}

}  // namespace gloss
