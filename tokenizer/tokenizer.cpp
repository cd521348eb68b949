#include "tokenizer/tokenizer.h"

#include "common/error.h"

namespace gloss {
namespace {

[[noreturn]] void cannot_tell() {
  throw Error(ExitCode::kFault, "tokenizer: wanted one that reports the positions of its pieces, got another");
}

}  // namespace

PieceSpans Tokenizer::encode_with_spans(std::string_view) const { cannot_tell(); }
PieceSpans Tokenizer::decode_with_spans(std::span<const Id>) const { cannot_tell(); }

}  // namespace gloss
