#include "translation/line_translator.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "common/text/utf8.h"
#include "common/text/visible_text.h"
#include "translation/translation_job.h"
#include "translation/translation_runner.h"

namespace gloss {

LineTranslator::LineTranslator(std::shared_ptr<const Scorer> scorer, std::shared_ptr<const Tokenizer> source,
                               std::shared_ptr<const Tokenizer> target, std::int64_t max_source_length, Aligner aligner)
    : scorer_(std::move(scorer)),
      source_(std::move(source)),
      target_(std::move(target)),
      max_source_length_(max_source_length),
      aligner_(std::move(aligner)),
      runner_(std::make_shared<TranslationRunner>(1)) {}

std::vector<LineTranslation> LineTranslator::translate(const TranslationRequest& request, const DecodingConfig& config,
                                                       const TranslationHooks& hooks) const {
  TranslationJob job(*this, request, config, hooks);
  runner_->run(job);
  return job.results();
}

std::optional<std::string> copied_line(std::string_view text) {
  if (content_of(text) == TextContent::kWords) return std::nullopt;
  return on_one_line(text);
}

LineTranslator LineTranslator::with_workers(std::int64_t workers) const {
  return with_runner(std::make_shared<TranslationRunner>(workers));
}

LineTranslator LineTranslator::with_runner(std::shared_ptr<TranslationRunner> runner) const {
  auto result = *this;
  if (scorer_->device().is_cpu() || runner->workers() == 1) result.runner_ = std::move(runner);
  return result;
}

LineTranslator LineTranslator::with_tokenizers(std::shared_ptr<const Tokenizer> source,
                                               std::shared_ptr<const Tokenizer> target) const {
  auto result = *this;
  result.source_ = std::move(source);
  result.target_ = std::move(target);
  return result;
}

LineTranslator::Source LineTranslator::encode_source(std::string_view line) const {
  auto text = visible_text(repair_utf8(line));
  if (content_of(text) == TextContent::kNothing) text.clear();
  Source source{source_->encode_with_spans(text), 0, {}, false};
  const auto& pieces = source.pieces.ids;
  source.length = std::min(pieces.size(), static_cast<std::size_t>(max_source_length_ - 1));
  source.truncated = source.length < pieces.size();
  source.ids.assign(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(source.length));
  if (!pieces.empty() && source_->has_source_eos()) source.ids.push_back(kEos);
  return source;
}

Ids LineTranslator::encode_target(std::string_view text) const {
  auto ids = target_->encode(visible_text(repair_utf8(text)));
  if (const auto tag = target_->tag(); ids.empty() && tag) ids.push_back(*tag);
  return ids;
}

SearchInputs LineTranslator::search_inputs() const {
  SearchInputs inputs{.given_tokens = static_cast<std::int64_t>(target_tags())};
  if (const auto tag = target_->tag()) inputs.prefixes = {{*tag}};
  return inputs;
}

}  // namespace gloss
