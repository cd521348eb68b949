#include "tokenizer/sentencepiece_loading.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <sentencepiece_processor.h>

#include "common/error.h"
#include "tokenizer/piece_table.h"
#include "tokenizer/sentencepiece_check.h"
#include "tokenizer/sentencepiece_log.h"

namespace gloss {
namespace {

bool has_pieces(const sentencepiece::SentencePieceProcessor& model, const std::vector<Piece>& pieces) {
  if (static_cast<std::size_t>(model.GetPieceSize()) != pieces.size()) return false;
  return std::ranges::all_of(pieces, [&, id = 0](const Piece& piece) mutable {
    const int own = id++;
    return model.IdToPiece(own) == piece.text && model.GetScore(own) == piece.score &&
           model.IsControl(own) == (piece.type == Piece::Type::kControl);
  });
}

}  // namespace

void load_sentencepiece(std::string_view bytes, const std::string& shown,
                        sentencepiece::SentencePieceProcessor& model) {
  silence_sentencepiece();
  const auto checked = check_sentencepiece_model(bytes, shown);
  const auto status = model.LoadFromSerializedProto(checked);
  if (!status.ok())
    throw ModelError(
        shown + ": wanted a SentencePiece model, but it cannot be loaded: " + sentencepiece_message(status.ToString()));
  if (!has_pieces(model, read_piece_table(bytes).pieces))
    throw ModelError(shown + ": wanted a SentencePiece model, but SentencePiece reads other pieces in it than gloss");
}

}  // namespace gloss
