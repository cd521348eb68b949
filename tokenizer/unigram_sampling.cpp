#include "tokenizer/unigram_sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace gloss {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

double log_sum(double a, double b) {
  const double larger = std::max(a, b);
  return larger == kImpossible ? larger : larger + std::log1p(std::exp(std::min(a, b) - larger));
}

// A piece that ends at some position, with its first character.
struct LastPiece {
  std::size_t begin;
  Id id;
  double weight;  // log of the sum over all segmentations up to its end that end with it
};

}  // namespace

UnigramSampling::UnigramSampling(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (pieces_[i].type != Piece::Type::kNormal) continue;
    by_text_.emplace(pieces_[i].text, static_cast<Id>(i));
    max_piece_bytes_ = std::max(max_piece_bytes_, pieces_[i].text.size());
  }
}

Ids UnigramSampling::segment(std::span<const Id> ids, double alpha, SubwordDraws& draws) const {
  Ids pieces;
  std::string text;
  const auto flush = [&] {
    add_sample(text, alpha, draws, pieces);
    text.clear();
  };
  for (const Id id : ids) {
    const auto& piece = pieces_[static_cast<std::size_t>(id)];
    if (piece.type == Piece::Type::kNormal) {
      text += piece.text;
    } else {
      flush();
      pieces.push_back(id);
    }
  }
  flush();
  return pieces;
}

void UnigramSampling::add_sample(std::string_view text, double alpha, SubwordDraws& draws, Ids& pieces) const {
  std::vector<std::size_t> ends{0};  // byte offset of each character
  for (const auto character : characters_of(text)) ends.push_back(ends.back() + character.size());

  std::vector<double> forward(ends.size(), kImpossible);  // log of the sum over all segmentations up to a position
  std::vector<std::vector<LastPiece>> last(ends.size());
  forward[0] = 0;
  for (std::size_t end = 1; end < ends.size(); ++end)
    for (std::size_t begin = end; begin-- > 0 && ends[end] - ends[begin] <= max_piece_bytes_;) {
      const auto found = by_text_.find(text.substr(ends[begin], ends[end] - ends[begin]));
      if (found == by_text_.end() || forward[begin] == kImpossible) continue;
      const double weight = forward[begin] + alpha * double{pieces_[static_cast<std::size_t>(found->second)].score};
      last[end].push_back({begin, found->second, weight});
      forward[end] = log_sum(forward[end], weight);
    }

  Ids backwards;
  for (auto end = ends.size() - 1; end > 0;) {
    double rest = draws.next();
    auto chosen = last[end].begin();
    for (; chosen + 1 != last[end].end(); ++chosen) {
      rest -= std::exp(chosen->weight - forward[end]);
      if (rest < 0) break;
    }
    backwards.push_back(chosen->id);
    end = chosen->begin;
  }
  pieces.insert(pieces.end(), backwards.rbegin(), backwards.rend());
}

}  // namespace gloss
