#include "tests/training/toy_run.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <ATen/Functions.h>

namespace gloss {

Ids NumberTokenizer::encode(std::string_view line) const {
  std::istringstream words{std::string(line)};
  Ids ids;
  for (Id id = 0; words >> id;) ids.push_back(id);
  return ids;
}

std::string NumberTokenizer::decode(std::span<const Id> ids) const {
  std::string line;
  for (const Id id : ids) {
    if (!line.empty()) line += ' ';
    line += std::to_string(id);
  }
  return line;
}

Toy::Toy(const ToyOptions& options, at::Device device)
    : options_(options), device_(device), folder_(std::make_shared<TemporaryFolder>()) {
  const RandomStream random(options.seed, "toy");
  std::uint64_t drawn = 0;
  std::ofstream text(*folder_ / "text");
  for (std::int64_t i = 0; i < options.pairs; ++i) {
    const std::uint64_t words = 1 + random.below(static_cast<std::uint64_t>(options.max_words), drawn++);
    for (std::uint64_t word = 0; word < words; ++word)
      text << (word > 0 ? " " : "")
           << kEos + 1 + random.below(static_cast<std::uint64_t>(options.vocabulary) - kEos - 1, drawn++);
    text << '\n';
  }
  text.close();
  const NumberTokenizer tokenizer(options.vocabulary);
  corpus_ = std::make_shared<ParallelCorpus>(
      ParallelCorpus::read(*folder_ / "text", *folder_ / "text", tokenizer, tokenizer, {}));
}

EncoderDecoder Toy::model(std::uint64_t weights) const {
  ModelConfig config;
  config.encoder_layers = config.decoder_layers = 1;
  config.d_model = options_.d_model;
  config.d_ff = 2 * options_.d_model;
  config.heads = 2;
  config.dropout = options_.dropout;
  config.tie_embeddings = options_.tie_embeddings;
  config.norm_type = options_.norm_type;
  config.decoder_layer = options_.decoder_layer;
  config.decoder_start = options_.decoder_start;
  auto model = make_model(config, {options_.vocabulary, options_.vocabulary}, RandomStream(weights, "weights"));
  model->to(device_);
  return model;
}

BatchStream Toy::batches() const { return {*corpus_, options_.batch_tokens, RandomStream(options_.seed, "data")}; }

Trainer::Options Toy::options() const {
  Trainer::Options options;
  options.config.schedule = ScheduleKind::kConstant;
  options.config.learning_rate = 0.01;
  options.d_model = options_.d_model;
  options.seed = options_.seed;
  options.checkpoints = checkpoints();
  return options;
}

std::vector<std::string> Toy::saved() const {
  std::vector<std::string> names;
  if (std::filesystem::exists(checkpoints()))
    for (const auto& entry : std::filesystem::directory_iterator(checkpoints()))
      names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

std::map<std::string, at::Tensor> weights_of(const EncoderDecoder& model) {
  std::map<std::string, at::Tensor> weights;
  for (const auto& item : model->named_parameters()) weights.emplace(item.key(), item.value().detach().cpu().clone());
  return weights;
}

}  // namespace gloss
