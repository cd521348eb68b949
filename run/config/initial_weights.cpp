#include "run/config/initial_weights.h"

#include <cmath>
#include <filesystem>
#include <set>
#include <span>

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/sha256.h"
#include "common/log/log.h"
#include "common/system/stop.h"
#include "common/text/printable.h"
#include "model/make_model.h"
#include "model/weights.h"
#include "run/config/run_files.h"
#include "run/config/start_model.h"
#include "tokenizer/tokenizer.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTokenizerKey = "tokenizer.model_file";

std::string embeddings_key(const std::string& side) { return "training.initial_embeddings." + side; }

std::string hash_of(const WordVectors& vectors) {
  Sha256 sum;
  sum.update(std::as_bytes(std::span(vectors.ids)));
  sum.update(std::as_bytes(std::span(vectors.values)));
  return sum.hex();
}

void expect_own_tokenizer(const TokenizerConfig& config, const std::map<std::string, std::string>& own) {
  if (config.model_file.empty()) return;
  expect_named_file(kTokenizerKey, config.model_file);
  const auto found = own.find(kJointTokenizer);
  if (found == own.end() || read_file(config.model_file, kMaxTokenizerBytes) != found->second)
    throw UsageError(std::string(kTokenizerKey) + ": " + printable(config.model_file) +
                     " is another tokenizer than the one inside training.start_from, which its weights belong to; "
                     "leave it out");
}

/// Scales the vectors to the root mean square of random embeddings, width^-0.5.
void scale(WordVectors& vectors, double width) {
  double squares = 0;
  for (const float value : vectors.values) squares += static_cast<double>(value) * value;
  if (squares == 0) return;
  const double factor = std::sqrt(static_cast<double>(vectors.values.size()) / squares / width);
  for (float& value : vectors.values) value = static_cast<float>(factor * value);
}

void expect_embedding_files(const RunConfig& config) {
  const auto& files = config.training.initial_embeddings;
  for (const auto& [side, path] : {std::pair("source", files.source), std::pair("target", files.target)})
    if (!path.empty()) expect_named_file(embeddings_key(side), path);
}

/// Opens the file of training.start_from. Throws UsageError if its configuration contradicts that of the run.
SafetensorsFile open_fitting_model(const RunConfig& config) {
  auto file = open_start_model(config.training.start_from);
  auto settings = to_json(config);
  complete_from(config_of_start_model(file), settings);
  return file;
}

}  // namespace

InitialWeights::InitialWeights(const RunConfig& config, bool resumes) : config_(config) {
  const auto is_missing = [&](const std::string& key, const fs::path& file) {
    if (!resumes) expect_named_file(key, file);
    if (fs::exists(file)) return false;
    hashes_[key] = nullptr;
    return true;
  };
  auto& files = config_.training.initial_embeddings;
  for (const auto& [side, path] : {std::pair("source", &files.source), std::pair("target", &files.target)})
    if (!path->empty() && is_missing(embeddings_key(side), *path)) path->clear();
  const auto& start_from = config.training.start_from;
  if (start_from.empty() || is_missing("training.start_from", model_path(start_from))) return;
  const auto file = open_fitting_model(config);
  start_ = load_translation_model(file, at::kCPU);
  expect_own_tokenizer(config.tokenizer, tokenizers());
  hashes_["training.start_from"] = file.metadata().at("sha256");
  warning_ = warn_of_direction(config_of_start_model(file), config.data);
}

std::map<std::string, std::string> InitialWeights::tokenizers() const {
  return start_ ? start_->file.description.tokenizers : std::map<std::string, std::string>{};
}

void InitialWeights::read_embeddings(const Tokenizer& source, const Tokenizer& target) {
  const auto& files = config_.training.initial_embeddings;
  if (!files.source.empty()) read_embedding("source", files.source, source);
  if (!files.target.empty()) read_embedding("target", files.target, target);
}

void InitialWeights::read_embedding(const std::string& side, const std::string& path, const Tokenizer& tokenizer) {
  const auto pieces = spellings_of(tokenizer);
  const auto key = embeddings_key(side);
  auto vectors = read_word_vectors(path, pieces, config_.model.d_model, stop_where_requested);
  log_info(key + ": vectors for " + std::to_string(vectors.ids.size()) + " of " + std::to_string(pieces.size()) +
           " pieces, the other rows are drawn");
  if (vectors.unusable.count > 0)
    log_warning(printable(path) + ": " + std::to_string(vectors.unusable.count) + " lines left out: not a word and " +
                std::to_string(config_.model.d_model) + " finite numbers (" + vectors.unusable.text() + ")");
  if (vectors.announced && vectors.words < *vectors.announced)
    log_warning(printable(path) + ": its first line announces " + std::to_string(*vectors.announced) + " words, but " +
                std::to_string(vectors.words) + " follow; the file seems to be cut short");
  hashes_[key] = hash_of(vectors);
  scale(vectors, static_cast<double>(config_.model.d_model));
  const auto* embedding = side == "source" ? kSourceEmbedding : kTargetEmbedding;
  rows_.push_back({stored_name(embedding, config_.model.tie_embeddings), std::move(vectors)});
}

void InitialWeights::move_into(EncoderDecoder& model) {
  const at::NoGradGuard no_grad;
  const auto parameters = model->named_parameters();
  if (start_)
    for (const auto& item : start_->file.model.network()->named_parameters())
      parameters[item.key()].copy_(item.value());
  std::set<std::pair<std::string, Id>> taken;
  for (const auto& [name, vectors] : rows_) {
    const auto& weight = parameters[name];                                      // [V, D]
    const auto values = at::tensor(vectors.values).view({-1, weight.size(1)});  // [N, D]
    for (std::size_t i = 0; i < vectors.ids.size(); ++i)
      if (taken.emplace(name, vectors.ids[i]).second)
        weight.select(0, vectors.ids[i]).copy_(values.select(0, static_cast<std::int64_t>(i)));
  }
  reset_zero_rows(model);
  start_.reset();
  rows_.clear();
}

PieceSpellings spellings_of(const Tokenizer& tokenizer) {
  const auto own = make_tokenizer(tokenizer.serialized(), "tokenizer");
  PieceSpellings pieces;
  for (Id id = 0; id < own->vocabulary_size(); ++id) pieces.add(id, own->piece(id));
  return pieces;
}

std::shared_ptr<const Tokenizer> load_named_tokenizer(const TokenizerConfig& config) {
  expect_named_file(kTokenizerKey, config.model_file);
  auto tokenizer = load_tokenizer(config.model_file);
  expect_symbols(*tokenizer, config.symbols, config.model_file);
  return tokenizer;
}

TokenizerPair configured_tokenizers(const RunConfig& config) {
  expect_embedding_files(config);
  if (!config.training.start_from.empty()) {
    const auto file = open_fitting_model(config);
    const auto contents = read_model_contents(file);
    expect_own_tokenizer(config.tokenizer, contents.description.tokenizers);
    return with_tags(make_tokenizers(contents.description, contents.vocabularies, file.name()), config.translator(), {},
                     "data.");
  }
  if (config.tokenizer.model_file.empty()) return {};
  const auto joint = load_named_tokenizer(config.tokenizer);
  return with_tags({joint, joint}, config.translator(), {}, "data.");
}

}  // namespace gloss
