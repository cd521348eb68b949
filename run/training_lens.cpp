#include "run/training_lens.h"

#include <utility>

#include "common/error.h"
#include "common/log/log.h"
#include "common/system/stop.h"
#include "common/text/printable.h"
#include "common/text/utf8.h"
#include "tensor/runtime.h"
#include "translation/models/translation_model.h"

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

}  // namespace gloss
