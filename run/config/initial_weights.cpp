#include "run/config/initial_weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>
#include <span>

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/safetensors.h"
#include "common/files/sha256.h"
#include "common/log/log.h"
#include "common/system/stop.h"
#include "common/text/printable.h"
#include "model/make_model.h"
#include "model/storage/model_file.h"
#include "model/weights.h"
#include "run/config/run_files.h"
#include "tokenizer/tokenizer.h"
#include "training/checkpoint.h"
#include "translation/models/translation_model.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

// Keys of dropout. The model gives their values only if the run file sets none of them: the last two follow the first.
constexpr std::array kDropouts{"dropout", "attention_dropout", "feed_forward_dropout"};

/// Opens the model of training.start_from. Throws DataError if it is missing, and ModelError if it is damaged or not a
/// model file.
SafetensorsFile open_start_model(const std::string& path,
                                 SafetensorsFile (*open)(const fs::path&) = &SafetensorsFile::open) {
  const auto file = model_path(path);
  expect_named_file("training.start_from", file);
  warn_of_earlier_model(file);
  auto opened = open(file);
  if (format_of(opened) == kCheckpointFormat)
    throw ModelError(opened.name() + ": training.start_from names a checkpoint; wanted a model file, which gloss " +
                     "average FILE --output MODEL makes of it");
  expect_format(opened, kModelFormat, kModelFormatVersion);
  return opened;
}

/// Returns the configuration of the model. Throws ModelError if it is invalid.
RunConfig config_of(const SafetensorsFile& start_model) {
  try {
    return parse_run_config(metadata_json(start_model, "config"));
  } catch (const UsageError& error) {
    throw ModelError(start_model.name() + ": config: " + error.what());
  }
}

/// Returns a warning if the run translates in the opposite direction of the model that it starts from. Empty otherwise,
/// and if a language is unknown.
std::string warn_of_direction(const RunConfig& start, const DataConfig& data) {
  const auto &from = start.data.source_language, &to = start.data.target_language;
  if (from.empty() || to.empty() || from == to || from != data.target_language || to != data.source_language) return {};
  return "training.start_from: the model translates from " + from + " to " + to + ", this run trains from " +
         data.source_language + " to " + data.target_language + "; are the texts swapped?";
}

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
  complete_from(config_of(file), settings);
  return file;
}

}  // namespace

RunConfig config_of_start_model(const std::string& path) {
  return config_of(open_start_model(path, &SafetensorsFile::open_header));
}

void complete_from(const RunConfig& start, Json& run_file) {
  auto there = to_json(start);
  there["tokenizer"].erase("model_file");  // compared by its contents
  if (!start.model.position_limit()) there["model"].erase("max_positions");
  there["model"]["d_ff_decoder"] = start.model.decoder_d_ff();  // not written if it is d_ff

  std::string differences;
  const auto complete = [&](const char* section, bool must_agree) {
    auto& here = run_file[section];
    if (here.is_null()) here = Json::object();
    if (!here.is_object()) return;  // parse_run_config reports the error
    for (const auto& [key, value] : there[section].items()) {
      if (!here.contains(key))
        here[key] = value;
      else if (must_agree && here[key] != value)
        differences += (differences.empty() ? "" : ", ") + std::string(section) + '.' + key + " is " + to_text(value) +
                       " there and " + printable(to_text(here[key]), 80) + " here";
    }
  };
  auto& model = run_file["model"];
  const auto is_set = [&](const char* key) { return model.is_object() && model.contains(key); };
  if (std::ranges::any_of(kDropouts, is_set))
    for (const auto* key : kDropouts) there["model"].erase(key);
  complete("model", true);
  complete("tokenizer", true);
  complete("decoding", false);
  complete("evaluation", false);
  if (!differences.empty())
    throw UsageError("training.start_from: " + differences +
                     "; remove these keys from the run file, or start from another model");
}

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
  warning_ = warn_of_direction(config_of(file), config.data);
  const auto& model = start_->file.description;
  if (model.shortlist != nullptr || !model.input_scales.empty())
    warning_.append(warning_.empty() ? "" : "; ")
        .append("training.start_from: the new model has neither the shortlist nor the scales of inputs of this one");
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
