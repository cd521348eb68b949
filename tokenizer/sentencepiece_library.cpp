namespace sentencepiece::logging {
// Not declared in any installed header. Weak: a SentencePiece that does not export it keeps its log.
[[gnu::weak]] void SetMinLogLevel(int level);
}  // namespace sentencepiece::logging

#include "tokenizer/sentencepiece_library.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <sentencepiece_processor.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/sha256.h"
#include "common/text/printable.h"
#include "tokenizer/sentencepiece_model.h"

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

std::string sentencepiece_version() { return GLOSS_SENTENCEPIECE_VERSION; }

void silence_sentencepiece() {
  constexpr int kFatal = 3;
  if (sentencepiece::logging::SetMinLogLevel != nullptr) sentencepiece::logging::SetMinLogLevel(kFatal);
}

std::string sentencepiece_message(std::string_view message) {
  if (const auto place = message.find(".cc("); place != message.npos)
    if (const auto end = message.find(") ", place); end != message.npos) message.remove_prefix(end + 2);
  if (const auto end = message.find("] "); message.starts_with('[') && end != message.npos)
    if (message.find_first_not_of(' ', end + 2) != message.npos) message.remove_prefix(end + 2);
  return printable(message);
}

SentencePiece load_sentencepiece(std::string_view bytes, const std::string& shown) {
  silence_sentencepiece();
  auto model = std::make_shared<sentencepiece::SentencePieceProcessor>();
  const auto status = model->LoadFromSerializedProto(check_sentencepiece_model(bytes, shown));
  if (!status.ok())
    throw ModelError(
        shown + ": wanted a SentencePiece model, but it cannot be loaded: " + sentencepiece_message(status.ToString()));
  if (!has_pieces(*model, read_piece_table(bytes).pieces))
    throw ModelError(shown + ": wanted a SentencePiece model, but SentencePiece reads other pieces in it than gloss");
  return model;
}

std::vector<std::string> cut_pieces(const SentencePiece& model, std::string_view text) {
  std::vector<std::string> pieces;
  const auto status = model->Encode({text.data(), text.size()}, &pieces);
  if (!status.ok()) throw ModelError("tokenizer: cannot encode a line: " + sentencepiece_message(status.ToString()));
  return pieces;
}

PieceCutter::PieceCutter(const std::filesystem::path& path) {
  const auto shown = printable(path.string());
  if (std::error_code ignored; !std::filesystem::exists(path, ignored))
    throw DataError(shown + ": wanted a SentencePiece model, but it is not there");
  const auto serialized = read_file(path, kMaxSentencePieceBytes);
  model_ = load_sentencepiece(serialized, shown);
  sha256_ = gloss::sha256(serialized);
}

std::string PieceCutter::cut(std::string_view line) const {
  std::string text;
  for (const auto& piece : cut_pieces(model_, line)) text.append(text.empty() ? "" : " ").append(piece);
  return text;
}

}  // namespace gloss
