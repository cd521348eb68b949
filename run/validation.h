#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/files/text_pairs.h"
#include "common/text/format.h"
#include "data/parallel_corpus.h"
#include "run/config/run_config.h"
#include "tokenizer/tokenizer.h"
#include "training/processes/exchange.h"
#include "training/trainer.h"

namespace gloss {

/// A sentence of the validation set and its translation by the model.
struct Sample {
  std::int64_t line = 0;  ///< of the validation files, from 1
  std::string source, reference, translation;
};

/// Results of a validation.
struct ValidationReport {
  Validation scores;            ///< with bleu, that of greedy translations
  std::string signature;        ///< of bleu
  std::vector<Sample> samples;  ///< the same lines in each validation
  NotedLines truncated;         ///< sources of which only the beginning was translated
};

class TranslationRunner;

/// Scores a model on the validation set: the loss over the pairs that training could use, and BLEU of the greedy
/// translations of all lines.
class Validator {
 public:
  /// `text` is the validation set of `config.data`, whose files are read once more to encode them, or held-out pairs of
  /// the training text. Reports have `samples` samples, or fewer if the text is shorter. Throws as ParallelCorpus does.
  Validator(const RunConfig& config, LinePairs text, std::shared_ptr<const Tokenizer> source,
            std::shared_ptr<const Tokenizer> target, std::size_t samples = kLoggedSamples);

  /// Default number of samples of a report.
  static constexpr std::size_t kLoggedSamples = 3;

  /// Validates the model. Throws DivergedError if the loss is not finite, and Stopped after a signal. The processes of
  /// `exchange` share the work, and each gets the same report.
  ValidationReport operator()(EncoderDecoder& model, Exchange& exchange = no_exchange()) const;
  const ParallelCorpus& corpus() const { return corpus_; }
  /// Returns the SHA-256 over the ids of the pairs and the text of the lines, on which the scores depend.
  std::string hash() const;

 private:
  double mean_loss(EncoderDecoder& model, Exchange& exchange) const;

  RunConfig config_;
  std::shared_ptr<const Tokenizer> source_tokenizer_, target_tokenizer_;
  ParallelCorpus corpus_;  ///< for the loss
  LinePairs text_;         ///< for BLEU
  std::size_t samples_;
  /// For all validations: each new thread would keep memory of MKL for good.
  std::shared_ptr<TranslationRunner> runner_;
};

}  // namespace gloss
