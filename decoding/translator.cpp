#include "decoding/translator.h"

#include <utility>

#include "common/utf8.h"
#include "decoding/batched_search.h"

namespace gloss {

Translator::Translator(std::shared_ptr<const Scorer> scorer, std::shared_ptr<const Tokenizer> source,
                       std::shared_ptr<const Tokenizer> target, std::int64_t max_source_length)
    : scorer_(std::move(scorer)),
      source_(std::move(source)),
      target_(std::move(target)),
      max_source_length_(max_source_length) {}

std::vector<Translator::Translation> Translator::translate(std::span<const std::string> lines,
                                                           const DecodingConfig& config,
                                                           const std::function<void()>& before_batch) const {
  std::vector<Translation> result(lines.size());
  std::vector<Ids> sources(lines.size());  // pieces and eos; nothing for a line with nothing in it
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
  }
  auto found = batched_search(*scorer_, sources, config, before_batch);
  for (std::size_t i = 0; i < lines.size(); ++i)
    for (auto& hypothesis : found[i]) {
      auto text = target_->decode(hypothesis.ids);
      result[i].candidates.push_back({std::move(text), std::move(hypothesis)});
    }
  return result;
}

}  // namespace gloss
