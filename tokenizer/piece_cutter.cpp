#include "tokenizer/piece_cutter.h"

#include <cstddef>
#include <vector>

#include <sentencepiece_processor.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/sha256.h"
#include "common/text/printable.h"
#include "tokenizer/sentencepiece_library.h"

namespace gloss {

struct PieceCutter::Processor {
  sentencepiece::SentencePieceProcessor model;
};

PieceCutter::PieceCutter(const std::filesystem::path& path) : processor_(std::make_unique<Processor>()) {
  const auto shown = printable(path.string());
  if (std::error_code ignored; !std::filesystem::exists(path, ignored))
    throw DataError(shown + ": wanted a SentencePiece model, but it is not there");
  const auto serialized = read_file(path, kMaxSentencePieceBytes);
  load_sentencepiece(serialized, shown, processor_->model);
  sha256_ = gloss::sha256(serialized);
}

PieceCutter::~PieceCutter() = default;

std::string PieceCutter::cut(std::string_view line) const {
  std::vector<std::string> pieces;
  const auto status = processor_->model.Encode({line.data(), line.size()}, &pieces);
  if (!status.ok()) throw ModelError("tokenizer: cannot encode a line: " + sentencepiece_message(status.ToString()));
  std::string text;
  for (const auto& piece : pieces) text.append(text.empty() ? "" : " ").append(piece);
  return text;
}

}  // namespace gloss
