#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/encoder_decoder.h"
#include "run/config/run_config.h"
#include "run/run_folder.h"
#include "run/run_tokenizers.h"
#include "translation/line_translator.h"

namespace gloss {

/// Returns the item of a sentence as a model that is being trained translates it (explain/lens_item.h). The translator
/// searches with `network`.
using DescribeSentence = std::function<Json(
    EncoderDecoder network, const ModelConfig& config, const LineTranslator& translator, const Tokenizer& source,
    const Tokenizer& target, const std::string& text, const DecodingConfig& decoding)>;

/// Shows how the same sentences (lens.sentences) are translated while a model is trained. It writes their attention
/// maps and translations to lens.jsonl, and changes neither weights nor random numbers. The folder outlives it.
class TrainingLens {
 public:
  /// Encodes the sentences. Throws UsageError with the key if a sentence has no piece.
  TrainingLens(const RunConfig& config, const RunTokenizers& tokenizers, RunFolder& folder, DescribeSentence describe);

  /// Translates each sentence with `model`, whose weights are those of `steps` or their mean, and writes a line for the
  /// last of the steps. Does nothing if the previous call had the same steps. Throws Stopped after a signal.
  void record(const EncoderDecoder& model, const std::vector<std::int64_t>& steps);

 private:
  RunConfig config_;
  std::shared_ptr<const Tokenizer> source_, target_;
  RunFolder* folder_;
  DescribeSentence describe_;
  std::vector<std::int64_t> steps_;  ///< of the previous call
};

}  // namespace gloss
