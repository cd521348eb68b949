#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/text/noted_lines.h"
#include "data/parallel_corpus.h"
#include "pipeline/evaluate.h"
#include "pipeline/run/run_config.h"
#include "tokenizer/tokenizer.h"
#include "training/trainer.h"

namespace gloss {

/// A sentence of the validation set beside what the model makes of it.
struct Sample {
  std::int64_t line = 0;  ///< of the validation files, from 1
  std::string source, reference, translation;
};

/// What a validation tells a person.
struct ValidationReport {
  Validation scores;            ///< bleu is there, of greedy translations
  std::string signature;        ///< of bleu
  std::vector<Sample> samples;  ///< of the same lines each time
  NotedLines truncated;         ///< sources of which only the beginning was translated
};

/// Scores a model on the validation set: its loss over the pairs that are fit for training, and BLEU of its greedy
/// translations of every line.
class Validator {
 public:
  /// `text` is the validation set of `config.data`, which is read once more as ids, or pairs that were held out of the
  /// training text. Reports have `samples` samples, or fewer where the text is shorter. Throws as ParallelCorpus does.
  Validator(const RunConfig& config, TestSet text, std::shared_ptr<const Tokenizer> source,
            std::shared_ptr<const Tokenizer> target, std::size_t samples = kLoggedSamples);

  /// Samples of a report that the log gets, or more where a person wants more.
  static constexpr std::size_t kLoggedSamples = 3;

  /// Throws Stopped where a signal asks for an end.
  ValidationReport operator()(EncoderDecoder& model) const;
  const ParallelCorpus& corpus() const { return corpus_; }
  /// SHA-256 over what the scores depend on: the ids of the pairs and the text of the lines.
  std::string hash() const;

 private:
  double mean_loss(EncoderDecoder& model) const;

  RunConfig config_;
  std::shared_ptr<const Tokenizer> source_tokenizer_, target_tokenizer_;
  ParallelCorpus corpus_;  ///< for the loss
  TestSet text_;           ///< for BLEU
  std::size_t samples_;
};

}  // namespace gloss
