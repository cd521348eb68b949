#include "decoding/translator.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "common/utf8.h"

namespace gloss {
namespace {

std::vector<std::vector<Hypothesis>> search(const Scorer& scorer, const PaddedIds& source,
                                            const DecodingConfig& config) {
  if (config.beam_size > 1) return beam_search(scorer, source, config);
  std::vector<std::vector<Hypothesis>> result;
  for (auto& hypothesis : greedy_search(scorer, source, config)) result.push_back({std::move(hypothesis)});
  return result;
}

}  // namespace

Translator::Translator(std::shared_ptr<const Scorer> scorer, std::shared_ptr<const Tokenizer> source,
                       std::shared_ptr<const Tokenizer> target, std::int64_t max_source_length)
    : scorer_(std::move(scorer)),
      source_(std::move(source)),
      target_(std::move(target)),
      max_source_length_(max_source_length) {}

std::vector<Translator::Translation> Translator::translate(std::span<const std::string> lines,
                                                           const DecodingConfig& config,
                                                           const std::function<void()>& before_batch) const {
  config.validate();
  std::vector<Translation> result(lines.size());
  std::vector<Ids> sources(lines.size());  // pieces and eos
  std::vector<std::size_t> order;          // the lines with something in them, longest first
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto& ids = sources[i];
    ids = source_->encode(repair_utf8(lines[i]));
    if (ids.empty()) {
      result[i].candidates.emplace_back();
      continue;
    }
    result[i].truncated = std::ssize(ids) > max_source_length_ - 1;
    if (result[i].truncated) ids.resize(max_source_length_ - 1);
    ids.push_back(kEos);
    order.push_back(i);
  }
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return sources[i].size(); });

  const auto batch_size = static_cast<std::size_t>(config.batch_size);
  for (std::size_t first = 0; first < order.size(); first += batch_size) {
    if (before_batch) before_batch();
    const auto batch = std::span(order).subspan(first, std::min(batch_size, order.size() - first));
    std::vector<Ids> rows;
    for (const auto i : batch) rows.push_back(std::move(sources[i]));
    auto hypotheses = search(*scorer_, pad(rows, scorer_->device()), config);
    for (std::size_t b = 0; b < batch.size(); ++b)
      for (auto& hypothesis : hypotheses[b]) {
        auto text = target_->decode(hypothesis.ids);
        result[batch[b]].candidates.push_back({std::move(text), std::move(hypothesis)});
      }
  }
  return result;
}

}  // namespace gloss
