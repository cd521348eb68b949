#pragma once

#include <memory>

#include "data/parallel_corpus.h"
#include "pipeline/evaluate.h"
#include "pipeline/run_config.h"
#include "tokenizer/tokenizer.h"
#include "training/trainer.h"

namespace gloss {

/// Scores a model on the validation set: its loss, and BLEU of its greedy translations.
class Validator {
 public:
  /// Reads the validation set of `config.data`. Throws as ParallelCorpus does.
  Validator(const RunConfig& config, std::shared_ptr<const Tokenizer> source, std::shared_ptr<const Tokenizer> target);

  Validation operator()(EncoderDecoder& model) const;
  const ParallelCorpus& corpus() const { return corpus_; }

 private:
  double mean_loss(EncoderDecoder& model) const;

  RunConfig config_;
  std::shared_ptr<const Tokenizer> source_tokenizer_, target_tokenizer_;
  ParallelCorpus corpus_;  ///< for the loss
  TestSet text_;           ///< for BLEU
};

}  // namespace gloss
