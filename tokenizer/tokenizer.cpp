#include "tokenizer/tokenizer.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/text/printable.h"
#include "tokenizer/mapped_tokenizer.h"
#include "tokenizer/sentencepiece_model.h"
#include "tokenizer/sentencepiece_tokenizer.h"

namespace gloss {
namespace {

[[noreturn]] void cannot_tell() {
  throw Error(ExitCode::kFault, "tokenizer: wanted one that reports the positions of its pieces, got another");
}

}  // namespace

PieceSpans Tokenizer::encode_with_spans(std::string_view) const { cannot_tell(); }
PieceSpans Tokenizer::decode_with_spans(std::span<const Id>) const { cannot_tell(); }

void Tokenizer::expect_known(Id id) const {
  if (id < 0 || id >= vocabulary_size())
    throw ModelError("tokenizer: wanted an id from 0 to " + std::to_string(vocabulary_size() - 1) + ", got " +
                     std::to_string(id));
}

std::shared_ptr<const Tokenizer> make_tokenizer(std::string bytes, const std::string& name) {
  if (has_mapped_header(bytes)) return std::make_shared<MappedTokenizer>(std::move(bytes), name);
  return std::make_shared<SentencePieceTokenizer>(std::move(bytes), name);
}

std::shared_ptr<const Tokenizer> load_tokenizer(const std::filesystem::path& path) {
  if (std::error_code ignored; std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found)
    throw DataError(printable(path.string()) + ": wanted a SentencePiece model, but it is not there");
  auto bytes = read_file(path, kMaxTokenizerBytes);
  auto tokenizer = make_tokenizer(bytes, path.string());
  if (!has_mapped_header(bytes)) expect_complete_sentencepiece(bytes, printable(path.string()));
  return tokenizer;
}

PieceTable piece_table_of(const std::string& bytes) {
  return has_mapped_header(bytes) ? MappedTokenizer(bytes, "tokenizer").piece_table() : read_piece_table(bytes);
}

void expect_symbols(const Tokenizer& tokenizer, std::span<const std::string> symbols, const std::string& name) {
  if (symbols.empty()) return;
  const auto table = piece_table_of(tokenizer.serialized());
  for (const auto& symbol : symbols) {
    const auto is_symbol = [&](const Piece& piece) {
      return piece.type == Piece::Type::kUserDefined && piece.text == symbol;
    };
    if (std::ranges::none_of(table.pieces, is_symbol))
      throw UsageError("tokenizer.symbols: wanted symbols of " + printable(name) + ", got " + printable(symbol) +
                       ", which is no user-defined piece of it; train it with --user_defined_symbols, or leave out "
                       "the symbol");
  }
}

}  // namespace gloss
