#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "data/batch_stream.h"
#include "data/parallel_corpus.h"
#include "model/make_model.h"
#include "tests/support/temporary_folder.h"
#include "tokenizer/tokenizer.h"
#include "training/trainer.h"

namespace gloss {

/// A tokenizer whose words are the decimal ids.
class NumberTokenizer final : public Tokenizer {
 public:
  explicit NumberTokenizer(std::int64_t vocabulary) : vocabulary_(vocabulary) {}

  Ids encode(std::string_view line) const override;
  std::string decode(std::span<const Id> ids) const override;
  std::int64_t vocabulary_size() const override { return vocabulary_; }
  const std::string& serialized() const override { return serialized_; }

 private:
  std::int64_t vocabulary_;
  std::string serialized_;
};

struct ToyOptions {
  std::int64_t vocabulary = 12;
  std::int64_t pairs = 20;
  std::int64_t max_words = 6;
  std::int64_t batch_tokens = 32;
  std::uint64_t seed = 1;
  std::int64_t d_model = 16;
  double dropout = 0;
  TieEmbeddings tie_embeddings = TieEmbeddings::kAll;
  NormType norm_type = NormType::kLayer;
  DecoderLayerType decoder_layer = DecoderLayerType::kAttention;
  DecoderStart decoder_start = DecoderStart::kBosRow;
};

/// A copy task of random sentences and its training. Equal options give equal runs.
class Toy {
 public:
  explicit Toy(const ToyOptions& options, at::Device device = at::kCPU);

  /// Returns a model with initial weights that depend on the seed `weights`.
  EncoderDecoder model(std::uint64_t weights = 1) const;
  BatchStream batches() const;
  /// Returns options for Adam with a constant rate of 0.01 and checkpoints in `checkpoints()`.
  Trainer::Options options() const;
  std::filesystem::path checkpoints() const { return folder_->path() / "checkpoints"; }
  const ParallelCorpus& corpus() const { return *corpus_; }
  /// Returns the file names in `checkpoints()`, sorted.
  std::vector<std::string> saved() const;

 private:
  ToyOptions options_;
  at::Device device_;
  std::shared_ptr<TemporaryFolder> folder_;
  std::shared_ptr<const ParallelCorpus> corpus_;
};

/// Returns copies of a model's weights by name, on the CPU.
std::map<std::string, at::Tensor> weights_of(const EncoderDecoder& model);

}  // namespace gloss
