#include "tokenizer/subword_sampler.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "tokenizer/make_tokenizer.h"

namespace gloss {
namespace {

std::variant<BpeDropout, UnigramSampling> make_segmentation(PieceTable table) {
  if (std::ranges::any_of(table.pieces, [](const Piece& piece) { return piece.type == Piece::Type::kUnused; }))
    throw ModelError(
        "tokenizer: wanted a model without unused pieces for data.subword_sampling; train one, or set "
        "data.subword_sampling to 0");
  switch (table.segmentation) {
    case PieceTable::Segmentation::kBpe:
      return BpeDropout(table.pieces);
    case PieceTable::Segmentation::kUnigram:
      return UnigramSampling(std::move(table.pieces));
    default:
      throw UsageError(
          {Key{"data.subword_sampling"},
           ": wanted a tokenizer of type bpe or unigram, got one that cuts into characters or words; set it to 0"});
  }
}

}  // namespace

SubwordSampler::SubwordSampler(const std::string& tokenizer, double amount)
    : segmentation_(make_segmentation(piece_table_of(tokenizer))), amount_(amount) {}

Ids SubwordSampler::sample(std::span<const Id> ids, const RandomStream& random, std::uint64_t sentence) const {
  SubwordDraws draws(random, sentence);
  return std::visit([&](const auto& segmentation) { return segmentation.segment(ids, amount_, draws); }, segmentation_);
}

}  // namespace gloss
