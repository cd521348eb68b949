#include "run/run_validation.h"

#include <utility>

#include "common/error.h"
#include "common/log/log.h"
#include "common/system/stop.h"
#include "common/text/printable.h"
#include "common/text/utf8.h"
#include "run/run_report.h"
#include "tensor/runtime.h"
#include "translation/models/translation_model.h"
#include "translation/translate_texts.h"

namespace gloss {

TrainingLens::TrainingLens(const RunConfig& config, const RunTokenizers& tokenizers, RunFolder& folder,
                           DescribeSentence describe)
    : config_(config),
      source_(tokenizers.source()),
      target_(tokenizers.target()),
      folder_(&folder),
      describe_(std::move(describe)) {
  for (const auto& sentence : config_.lens.sentences)
    if (source_->encode(repair_utf8(sentence)).empty())
      throw UsageError("lens.sentences: wanted sentences, got a text without a piece: \"" + printable(sentence) + '"');
}

void TrainingLens::record(const EncoderDecoder& model, const std::vector<std::int64_t>& steps) {
  const auto& sentences = config_.lens.sentences;
  if (sentences.empty() || steps == steps_) return;
  log_progress("looking at lens.sentences");
  const auto translator = make_translator(model, config_.translator(), source_, target_, config_.plain);
  Json items = Json::array();
  for (const auto& sentence : sentences) {
    stop_where_requested();
    items.push_back(describe_(model, config_.model, translator, *source_, *target_, sentence, config_.decoding));
  }
  give_back_memory();
  folder_->write_lens({{"step", steps.back()}, {"items", std::move(items)}});
  steps_ = steps;
}

Validation RunValidation::validate(EncoderDecoder& model, std::int64_t step) {
  score(model, *exchange_);
  step_ = step;
  if (!exchange_->is_first()) return last_.scores;
  lens_->record(model, {step});  // may be stopped: then the resumed run validates again, and this report is not written
  report_validation(*folder_, step, last_, samples_);
  return last_.scores;
}

const ValidationReport& RunValidation::validate_final(EncoderDecoder& model, const std::vector<std::int64_t>& steps) {
  const bool is_reported = steps == std::vector{step_};  // with its samples
  if (!is_reported) score(model, no_exchange());
  report_model(*folder_, steps, last_, is_reported ? 0 : samples_);
  return last_;
}

void RunValidation::report_best(const TrainingState& state, std::int64_t last_step) {
  if (!exchange_->is_first()) return;
  const auto &loss = state.scores.best_loss, &bleu = state.scores.best_bleu;
  const auto hint = hinted_ ? "" : rising_loss_hint(state.scores, state.step, last_step);
  hinted_ = hinted_ || !hint.empty();
  if (!hint.empty())
    log_info(hint);
  else if ((loss && loss->step != state.step) || (bleu && bleu->step != state.step))
    log_info("  best so far: " + best_text(state.scores));
}

void RunValidation::score(EncoderDecoder& model, Exchange& exchange) {
  log_progress("validating");
  give_back_memory();
  last_ = (*validator_)(model, exchange);
  give_back_memory();
  if (!std::exchange(warned_, true) && exchange_->is_first())
    warn_of_truncated("the validation source", last_.truncated, max_length_);
}

}  // namespace gloss
