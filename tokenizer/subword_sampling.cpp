#include "tokenizer/subword_sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

#include "common/error.h"
#include "tokenizer/tokenizer.h"

namespace gloss {
namespace {

constexpr Id kMerged = -1;  // merged into the left neighbor
constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

struct Symbol {
  Id id;
  std::uint32_t previous, next;
};

struct Candidate {
  std::uint64_t order;  // rank of the merged piece, then position of the left symbol
  std::uint32_t left, right;
  Id left_id, right_id, merged;

  bool operator>(const Candidate& other) const { return order > other.order; }
};

// Returns the rank of each piece by score; equal scores have equal ranks.
std::vector<std::uint32_t> ranks_of(const std::vector<Piece>& pieces) {
  std::vector<float> scores;
  for (const auto& piece : pieces) scores.push_back(piece.score);
  std::ranges::sort(scores, std::greater());
  std::vector<std::uint32_t> ranks;
  for (const auto& piece : pieces) {
    const auto position = std::ranges::lower_bound(scores, piece.score, std::greater());
    ranks.push_back(static_cast<std::uint32_t>(position - scores.begin()));
  }
  return ranks;
}

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

BpeDropout::BpeDropout(const std::vector<Piece>& pieces) : ranks_(ranks_of(pieces)) {
  std::unordered_map<std::string_view, Id> by_text;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (pieces[i].type == Piece::Type::kNormal) by_text.emplace(pieces[i].text, static_cast<Id>(i));
  const auto find = [&](std::string_view text) {
    const auto found = by_text.find(text);
    return found == by_text.end() ? kMerged : found->second;
  };
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto id = static_cast<Id>(i);
    characters_.push_back({id});
    if (pieces[i].type != Piece::Type::kNormal) continue;
    const std::string_view text = pieces[i].text;
    Ids characters;
    for (const auto character : characters_of(text)) characters.push_back(find(character));
    if (std::ranges::find(characters, kMerged) == characters.end()) characters_.back() = characters;

    for (std::size_t position = 0; const auto character : characters_of(text)) {
      position += character.size();
      const auto left = find(text.substr(0, position)), right = find(text.substr(position));
      if (left != kMerged && right != kMerged) merges_.emplace(pair_key(left, right), id);
    }
  }
}

std::vector<Ids> BpeDropout::merge_steps(std::span<const Id> ids) const {
  std::vector<Ids> steps;
  merge(ids, 0, nullptr, [&](Ids pieces) { steps.push_back(std::move(pieces)); });
  return steps;
}

Ids BpeDropout::merge(std::span<const Id> ids, double dropout, RandomSequence* draws,
                      const std::function<void(Ids)>& on_step) const {
  std::vector<Symbol> symbols;
  for (const Id piece : ids)
    for (const Id id : characters_[static_cast<std::size_t>(piece)]) {
      const auto position = static_cast<std::uint32_t>(symbols.size());
      symbols.push_back({id, position - 1, position + 1});  // previous of the first symbol is kNowhere
    }
  if (symbols.empty()) return {};
  symbols.back().next = kNowhere;
  const auto segmentation = [&] {
    Ids pieces;
    for (std::uint32_t position = 0; position != kNowhere; position = symbols[position].next)
      pieces.push_back(symbols[position].id);
    return pieces;
  };
  if (on_step) on_step(segmentation());

  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
  const auto add_candidate = [&](std::uint32_t left) {
    if (left == kNowhere || symbols[left].next == kNowhere) return;
    const auto right = symbols[left].next;
    const auto merge = merges_.find(pair_key(symbols[left].id, symbols[right].id));
    if (merge == merges_.end()) return;
    const auto rank = std::uint64_t{ranks_[static_cast<std::size_t>(merge->second)]};
    candidates.push({rank << 32 | left, left, right, symbols[left].id, symbols[right].id, merge->second});
  };
  for (std::uint32_t position = 0; position < symbols.size(); ++position) add_candidate(position);
  while (!candidates.empty()) {
    const auto best = candidates.top();
    candidates.pop();
    auto &left = symbols[best.left], &right = symbols[best.right];
    if (left.id != best.left_id || right.id != best.right_id || left.next != best.right) continue;
    if (dropout > 0 && draws->next() < dropout) continue;
    left.id = best.merged;
    left.next = right.next;
    right.id = kMerged;
    if (left.next != kNowhere) symbols[left.next].previous = best.left;
    add_candidate(left.previous);
    add_candidate(best.left);
    if (on_step) on_step(segmentation());
  }
  return segmentation();
}

UnigramSampling::UnigramSampling(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (pieces_[i].type != Piece::Type::kNormal) continue;
    by_text_.emplace(pieces_[i].text, static_cast<Id>(i));
    max_piece_bytes_ = std::max(max_piece_bytes_, pieces_[i].text.size());
  }
}

Ids UnigramSampling::segment(std::span<const Id> ids, double alpha, RandomSequence& draws) const {
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

void UnigramSampling::add_sample(std::string_view text, double alpha, RandomSequence& draws, Ids& pieces) const {
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

SubwordSampler::SubwordSampler(const std::string& tokenizer, double amount)
    : segmentation_(make_segmentation(piece_table_of(tokenizer))), amount_(amount) {}

Ids SubwordSampler::sample(std::span<const Id> ids, const RandomStream& random, std::uint64_t sentence) const {
  RandomSequence draws(random, sentence);
  return std::visit([&](const auto& segmentation) { return segmentation.segment(ids, amount_, draws); }, segmentation_);
}

}  // namespace gloss
