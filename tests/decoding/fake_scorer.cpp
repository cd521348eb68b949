#include "tests/decoding/fake_scorer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <ATen/ops/logsumexp.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include "common/random.h"

namespace gloss {
namespace {

struct Row {
  Ids source, generated;
};

struct FakeState final : Scorer::State {
  std::vector<Row> rows;  // [B * K]
  std::int64_t sentences = 0;
  bool begun = false;  // bos was given
};

void expect(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

/// Returns [rows, S]; the padding has values that must not be used.
at::Tensor attention_of(const std::vector<Row>& rows, const FakeScorer::Attention& attention) {
  std::size_t S = 0;
  for (const auto& row : rows) S = std::max(S, row.source.size());
  std::vector<float> result;
  for (const auto& row : rows) {
    const auto weights = attention(row.source, row.generated);
    expect(weights.size() == row.source.size(), "the attention is of another source");
    result.insert(result.end(), weights.begin(), weights.end());
    result.resize(result.size() + S - weights.size(), 0.001F);
  }
  return at::tensor(result, at::kFloat).view({std::ssize(rows), -1});
}

}  // namespace

FakeScorer::FakeScorer(Rule rule, std::int64_t vocabulary, at::Device device, Options options)
    : rule_(std::move(rule)), vocabulary_(vocabulary), device_(device), options_(options) {}

std::unique_ptr<Scorer::State> FakeScorer::start(const PaddedIds& source) const {
  auto state = std::make_unique<FakeState>();
  const auto ids = source.ids.cpu().contiguous();
  for (std::size_t b = 0; b < source.lengths.size(); ++b) {
    const auto* row = ids.const_data_ptr<std::int64_t>() + static_cast<std::int64_t>(b) * ids.size(1);
    state->rows.push_back({Ids(row, row + source.lengths[b]), {}});
  }
  state->sentences = std::ssize(source.lengths);
  return state;
}

Scorer::Step FakeScorer::step(State& state, std::span<const Id> tokens,
                              const std::optional<AttentionSite>& site) const {
  auto& [rows, B, begun] = static_cast<FakeState&>(state);
  expect(tokens.size() == rows.size(), "tokens do not fit the state");
  {
    const std::lock_guard lock(mutex_);
    steps_.emplace_back(B, std::ssize(tokens) / B);
  }
  std::vector<float> logits;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto token = tokens[i];
    expect(begun || token == kBos, "the first token is not bos");
    if (begun) rows[i].generated.push_back(token);
    const auto next = rule_(rows[i].source, rows[i].generated);
    expect(std::ssize(next) == vocabulary_, "the rule gives another vocabulary");
    logits.insert(logits.end(), next.begin(), next.end());
  }
  begun = true;
  Step result;
  result.logits = at::tensor(logits, at::kFloat).view({std::ssize(rows), vocabulary_}).to(device_);
  result.log_normalizer =
      options_.normalized ? result.logits.logsumexp(-1) : at::zeros({std::ssize(rows)}, result.logits.options());
  if (site && options_.attention) result.attention = attention_of(rows, options_.attention).to(device_);
  return result;
}

void FakeScorer::select(State& state, const std::vector<std::int64_t>& sentences,
                        const std::vector<std::int64_t>& parents) const {
  auto& [rows, B, begun] = static_cast<FakeState&>(state);
  const auto old_width = std::ssize(rows) / B;
  const auto width = std::ssize(parents) / std::ssize(sentences);
  expect(width * std::ssize(sentences) == std::ssize(parents), "parents do not fit the sentences");
  std::vector<Row> selected;
  for (std::int64_t b = 0; b < std::ssize(sentences); ++b)
    for (std::int64_t k = 0; k < width; ++k) {
      const auto parent = parents[b * width + k];
      expect(sentences[b] >= 0 && sentences[b] < B && parent >= 0 && parent < old_width, "select: out of range");
      selected.push_back(rows[sentences[b] * old_width + parent]);
    }
  rows = std::move(selected);
  B = std::ssize(sentences);
}

std::vector<float> log_of(const std::map<Id, double>& probabilities, std::int64_t vocabulary) {
  std::vector<float> result(vocabulary, -std::numeric_limits<float>::infinity());
  for (const auto& [id, probability] : probabilities) result.at(id) = static_cast<float>(std::log(probability));
  return result;
}

FakeScorer::Rule table(std::map<Ids, std::map<Id, double>> probabilities, std::int64_t vocabulary) {
  return [probabilities = std::move(probabilities), vocabulary](const Ids&, const Ids& generated) {
    const auto found = probabilities.find(generated);
    return log_of(found == probabilities.end() ? std::map<Id, double>{{kEos, 1}} : found->second, vocabulary);
  };
}

FakeScorer::Rule random_rule(std::int64_t vocabulary) {
  return [vocabulary](const Ids& source, const Ids& generated) {
    std::uint32_t place = 1;
    for (const auto id : source) place = place * 1000003u + static_cast<std::uint32_t>(id) + 1;
    for (const auto id : generated) place = place * 69069u + static_cast<std::uint32_t>(id) + 7;
    std::vector<float> result;
    for (std::int64_t id = 0; id < vocabulary; ++id) {
      const auto word = philox({place, static_cast<std::uint32_t>(id), 0, 0}, {1, 2})[0];
      result.push_back(static_cast<float>(word) / 1e9f);  // 0 to 4.3
    }
    return result;
  };
}

PaddedIds sources(std::int64_t B, at::Device device, Id first) {
  PaddedIds result;
  std::vector<std::int64_t> ids;
  for (std::int64_t b = 0; b < B; ++b) {
    ids.insert(ids.end(), {first + b, kEos});
    result.lengths.push_back(2);
  }
  result.ids = at::tensor(ids, at::kLong).view({B, 2}).to(device);
  return result;
}

std::vector<Ids> ids_of(const std::vector<Hypothesis>& hypotheses) {
  std::vector<Ids> result;
  for (const auto& hypothesis : hypotheses) result.push_back(hypothesis.ids);
  return result;
}

}  // namespace gloss
