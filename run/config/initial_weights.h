#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/config/json.h"
#include "data/word_vectors.h"
#include "model/encoder_decoder.h"
#include "run/config/run_config.h"
#include "translation/models/translation_model.h"

namespace gloss {

/// Returns the configuration of the model of training.start_from from the header of its file; damaged weights are not
/// noticed. Throws DataError if it is missing, and ModelError if the header is damaged or not that of a model file.
RunConfig config_of_start_model(const std::string& path);

/// Fills in the open keys of the sections `model`, `tokenizer`, `decoding` and `evaluation` of `run_file`. `start` is
/// the configuration of the model that the run starts from. Throws UsageError naming the keys of `model` and
/// `tokenizer` that are set to other values; only dropout may differ.
void complete_from(const RunConfig& start, Json& run_file);

/// Initial weights of a run from files: from a model (training.start_from), or vectors of pieces
/// (training.initial_embeddings). The other weights are random.
class InitialWeights {
 public:
  /// Opens the model file. A run that `resumes` has its weights in a checkpoint; missing files are then ignored. Throws
  /// UsageError with the keys of the configuration that do not fit the model, and if tokenizer.model_file is another
  /// tokenizer than the model's; DataError if a file is missing; ModelError if the model file is damaged.
  explicit InitialWeights(const RunConfig& config, bool resumes = false);

  /// Returns the bytes of the model's tokenizers by name; none without a model.
  std::map<std::string, std::string> tokenizers() const;
  /// Reads the vectors and logs the number of pieces that were found. Throws as read_word_vectors, and Stopped after a
  /// signal.
  void read_embeddings(const Tokenizer& source, const Tokenizer& target);
  /// Copies the weights and vectors into the model and frees them. All vectors of a file are scaled by one factor to a
  /// root mean square of d_model^-0.5, that of random embeddings.
  void move_into(EncoderDecoder& model);
  /// Returns the SHA-256 of each input by its key in the run file; null for a missing file.
  const Json& hashes() const { return hashes_; }
  /// Returns a warning about a model that translates in the opposite direction, or has parts that a run does not
  /// keep; empty if there is none.
  const std::string& warning() const { return warning_; }

 private:
  struct Rows {
    std::string parameter;
    WordVectors vectors;
  };

  void read_embedding(const std::string& side, const std::string& path, const Tokenizer& tokenizer);

  RunConfig config_;
  std::optional<TranslationModel> start_;
  std::vector<Rows> rows_;  ///< of the same row, the first counts
  Json hashes_ = Json::object();
  std::string warning_;
};

/// Returns the spellings of all pieces of a tokenizer that gloss loads.
PieceSpellings spellings_of(const Tokenizer& tokenizer);

/// Loads the tokenizer of tokenizer.model_file. Throws DataError if the file is missing, UsageError as expect_symbols,
/// and ModelError.
std::shared_ptr<const Tokenizer> load_named_tokenizer(const TokenizerConfig& config);

/// Returns the source and target tokenizers that a run file names by training.start_from or tokenizer.model_file; null
/// if they are not trained yet. They add the language tags of the configuration. The weights of the model are not
/// loaded. Throws as InitialWeights, as with_tags and as load_named_tokenizer.
TokenizerPair configured_tokenizers(const RunConfig& config);

}  // namespace gloss
