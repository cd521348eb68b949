#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/word_vectors.h"
#include "model/encoder_decoder.h"
#include "pipeline/models/translation_model.h"
#include "pipeline/run/run_config.h"
#include "pipeline/run/run_tokenizers.h"

namespace gloss {

/// What the weights of a run begin with where it is not chance alone: a model's (training.start_from), or vectors of
/// pieces (training.initial_embeddings).
class InitialWeights {
 public:
  /// Opens the model file. Throws UsageError naming the keys of the configuration that do not fit it, or where
  /// tokenizer.model_file is another tokenizer than its own; DataError where a file is missing, ModelError. A run that
  /// `resumes` has its weights in a checkpoint: files that are missing then are none.
  explicit InitialWeights(const RunConfig& config, bool resumes = false);

  /// The model's tokenizers as their bytes by name; none without a model.
  std::map<std::string, std::string> tokenizers() const;
  /// Reads the vectors, and says how many pieces they have. Throws as read_word_vectors, and Stopped where a signal
  /// asks for an end.
  void read_embeddings(const RunTokenizers& tokenizers);
  /// Puts them in place of the weights that were drawn, and forgets them. The vectors of a file are all multiplied by
  /// one number, which makes their root mean square d_model^-0.5, as that of drawn embeddings is.
  void move_into(EncoderDecoder& model);
  /// By key of the run file a SHA-256 of what was taken; null for a file that is missing.
  const Json& hashes() const { return hashes_; }
  /// A warning of a model that translates in the opposite direction; empty: none.
  const std::string& warning() const { return warning_; }

 private:
  struct Rows {
    std::string parameter;
    WordVectors vectors;
  };

  void read_embedding(const std::string& side, const std::string& path, const Tokenizer& tokenizer);

  RunConfig config_;
  std::optional<TranslationModel> start_;
  std::vector<Rows> rows_;  ///< a later one gives way to an earlier
  Json hashes_ = Json::object();
  std::string warning_;
};

/// The spellings of all pieces of a SentencePiece tokenizer.
PieceSpellings spellings_of(const Tokenizer& tokenizer);

/// Source and target tokenizer of a run that has them before it begins, by training.start_from or tokenizer.model_file;
/// none of them where they are yet to be trained. Of a model its tokenizers alone are made, not its weights. Throws as
/// InitialWeights, and as the tokenizers.
TokenizerPair configured_tokenizers(const RunConfig& config);

}  // namespace gloss
