#include "explain/beam_tree.h"

#include <algorithm>
#include <array>
#include <utility>

#include "explain/explained_sentence.h"
#include "model/padding.h"

namespace gloss {
namespace {

Json to_json(const BeamTree::Node& node) {
  using State = BeamTree::Node::State;
  Json result{{"parent", node.parent},
              {"step", node.step},
              {"id", node.id},
              {"log_probability", node.log_probability},
              {"token", node.token_log_probability},
              {"state", node.state == State::kLive     ? "live"
                        : node.state == State::kPruned ? "pruned"
                                                       : "finished"}};
  if (node.state == State::kFinished) result["score"] = node.score;
  if (node.best) result["best"] = true;
  return result;
}

}  // namespace

BeamTree::BeamTree(const Scorer& scorer, const Ids& source, DecodingConfig config, const SearchInputs& inputs) {
  if (config.beam_size == 1) config.patience = 1;
  const SearchHooks hooks{.on_beam = [this](std::int64_t, std::span<const Candidate> candidates, const Beam& beam) {
    add_step(candidates, beam);
  }};
  auto found = beam_search(scorer, pad(std::array{source}, scorer.device()), config, inputs, hooks).front();
  if (!found.empty()) best_ = std::move(found.front());
  mark_best();
}

void BeamTree::add_step(std::span<const Candidate> candidates, const Beam& beam) {
  const auto begin = std::ssize(nodes_);
  for (const auto& candidate : candidates)
    nodes_.push_back({.parent = live_[static_cast<std::size_t>(candidate.row)],
                      .step = step_,
                      .id = candidate.id,
                      .log_probability = candidate.log_probability,
                      .token_log_probability = candidate.token_log_probability});
  const auto node_of = [&](std::int64_t parent, Id id) -> std::int64_t {
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (candidates[i].row == parent && candidates[i].id == id) return begin + static_cast<std::int64_t>(i);
    return -1;
  };
  std::vector<std::int64_t> live;
  for (const auto& row : beam.rows()) {
    live.push_back(node_of(row.parent, row.last));
    if (live.back() >= 0) nodes_[static_cast<std::size_t>(live.back())].state = Node::State::kLive;
  }
  // A hypothesis that finished in this step is found by its last token and its sum of log-probabilities.
  for (const auto& hypothesis : beam.finished()) {
    if (hypothesis.length() != step_ + 1) continue;
    const auto last = hypothesis.ended ? kEos : hypothesis.ids.back();
    for (auto node = nodes_.begin() + begin; node != nodes_.end(); ++node) {
      if (node->state != Node::State::kPruned || node->id != last ||
          node->log_probability != hypothesis.log_probability)
        continue;
      node->state = Node::State::kFinished;
      node->score = hypothesis.score;
      break;
    }
  }
  live_ = std::move(live);
  ++step_;
}

void BeamTree::mark_best() {
  std::int64_t parent = -1;
  for (std::int64_t step = 0; const auto id : target_ids(best_)) {
    const auto found = std::ranges::find_if(nodes_, [&](const Node& node) {
      return node.step == step && node.parent == parent && node.id == id && node.state != Node::State::kPruned;
    });
    if (found == nodes_.end()) return;
    found->best = true;
    parent = found - nodes_.begin();
    ++step;
  }
}

Json to_json(const BeamTree& tree, const DecodingConfig& config, const Hypothesis& greedy, const Tokenizer& target) {
  Json nodes = Json::array();
  for (const auto& node : tree.nodes()) nodes.push_back(to_json(node));
  const auto best = target_ids(tree.best()), other = target_ids(greedy);
  const auto [at, at_other] = std::ranges::mismatch(best, other);
  const bool equal = at == best.end() && at_other == other.end();
  return {
      {"size", config.beam_size},
      {"nodes", std::move(nodes)},
      {"greedy", {{"ids", other}, {"text", target.decode(greedy.ids)}, {"log_probability", greedy.log_probability}}},
      {"parts_at", equal ? Json() : Json(at - best.begin())}};
}

}  // namespace gloss
