#include "model/storage/model_file.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "common/config/setting.h"
#include "common/error.h"
#include "common/files/safetensors.h"
#include "common/text/printable.h"
#include "model/make_model.h"
#include "model/storage/stored_weights.h"
#include "tensor/shape.h"

namespace gloss {
namespace {

// Reads the model's part of the run file. Errors in it are the file's, not the user's.
ModelConfig model_config(const SafetensorsFile& file, const Json& config) {
  try {
    auto result = read_model_config(ConfigSection(config, "").section("model"));
    result.validate();
    return result;
  } catch (const UsageError& error) {
    throw ModelError(file.name() + ": config: " + error.what());
  }
}

// Returns the number of rows of an embedding. The file has all of them, so its size bounds the number.
std::int64_t rows_of(const SafetensorsFile& file, const std::string& name, std::int64_t d_model) {
  const auto found = file.tensors().find(name);
  if (found == file.tensors().end()) throw ModelError(file.name() + ": tensor " + name + " is missing");
  const auto& shape = found->second.shape;
  if (shape.size() == 2 && shape[1] == d_model) return shape[0];
  throw ModelError(file.name() + ": tensor " + name + ": wanted [V, " + std::to_string(d_model) + "], got " +
                   tensor_text(found->second));
}

// Compares names, types and shapes before allocating memory: the file's size bounds the model's.
void expect_tensors(const SafetensorsFile& file, const ModelConfig& config, const Vocabularies& vocabularies) {
  std::set<std::string> known;
  for (const auto& [name, weight] : network_weights(config, vocabularies)) {
    expect_weight(file, name, weight.shape);
    known.insert(name);
    if (file.tensors().at(name).dtype == Dtype::kI8) known.insert({scale_name(name), input_scale_name(name)});
  }
  for (const auto& [name, view] : file.tensors()) {
    if (!known.contains(name) && !is_tokenizer_name(name) && !is_shortlist_name(name)) {
      throw ModelError(file.name() + ": tensor " + printable(name) + " does not belong to the model of its config");
    }
  }
}

std::map<std::string, std::string> tokenizers_of(const SafetensorsFile& file) {
  std::map<std::string, std::string> tokenizers;
  for (const auto& [name, view] : file.tensors()) {
    if (!is_tokenizer_name(name)) continue;
    if (view.dtype != Dtype::kU8 || view.shape.size() != 1) {
      throw ModelError(file.name() + ": tensor " + name + ": wanted U8 of 1 dimension, got " + tensor_text(view));
    }
    auto& bytes = tokenizers[name];
    bytes.resize(static_cast<std::size_t>(view.shape[0]));
    file.read(name, std::as_writable_bytes(std::span(bytes)));
  }
  if (tokenizers.size() != (tokenizers.contains(kJointTokenizer) ? 1U : 2U)) {
    throw ModelError(file.name() + ": wanted " + kJointTokenizer + ", or " + kSourceTokenizer + " and " +
                     kTargetTokenizer + ", got " + std::to_string(tokenizers.size()) + " tokenizers");
  }
  return tokenizers;
}

Ids read_ids(const SafetensorsFile& file, const char* name) {
  const auto found = file.tensors().find(name);
  if (found == file.tensors().end()) throw ModelError(file.name() + ": tensor " + name + " is missing");
  const auto& view = found->second;
  if (view.dtype != Dtype::kI32 || view.shape.size() != 1)
    throw ModelError(file.name() + ": tensor " + name + ": wanted I32 of 1 dimension, got " + tensor_text(view));
  Ids ids(static_cast<std::size_t>(view.shape[0]));
  file.read(name, std::as_writable_bytes(std::span(ids)));
  return ids;
}

std::shared_ptr<const Shortlist> shortlist_of(const SafetensorsFile& file, const Vocabularies& vocabularies) {
  if (std::ranges::none_of(file.tensors(), [](const auto& item) { return is_shortlist_name(item.first); }))
    return nullptr;
  Shortlist::Table table{read_ids(file, kShortlistOffsets), read_ids(file, kShortlistTokens),
                         read_ids(file, kShortlistAlways)};
  try {
    return std::make_shared<const Shortlist>(std::move(table), vocabularies);
  } catch (const ModelError& error) {
    throw ModelError(file.name() + ": " + error.what());
  }
}

/// Adds the tensors of a description to those of the weights.
void add_described(const ModelDescription& description, std::map<std::string, TensorView>& tensors) {
  const auto add = [&](const std::string& name, Dtype dtype, const auto& values) {
    tensors[name] = {dtype, {std::ssize(values)}, std::as_bytes(std::span(values))};
  };
  for (const auto& [name, text] : description.tokenizers) add(name, Dtype::kU8, text);
  for (const auto& [weight, scale] : description.input_scales)
    if (const auto found = tensors.find(weight); found != tensors.end() && found->second.dtype == Dtype::kI8)
      add(input_scale_name(weight), Dtype::kF32, std::span(&scale, 1));
  if (description.shortlist != nullptr) {
    const auto& [offsets, tokens, always] = description.shortlist->table();
    add(kShortlistOffsets, Dtype::kI32, offsets);
    add(kShortlistTokens, Dtype::kI32, tokens);
    add(kShortlistAlways, Dtype::kI32, always);
  }
}

Metadata metadata_of(const ModelDescription& description) {
  return {{"format", std::string(kModelFormat)},
          {"format_version", std::to_string(kModelFormatVersion)},
          {"config", to_text(description.config)},
          {"provenance", to_text(description.provenance)}};
}

std::map<std::string, TensorView> shapes_of(const std::map<std::string, WeightInfo>& network, WeightPrecision precision,
                                            const ModelDescription& description) {
  std::map<std::string, TensorView> tensors;
  for (const auto& [name, weight] : network) add_stored_shapes(name, weight.shape, precision, tensors);
  add_described(description, tensors);
  return tensors;
}

}  // namespace

Int8Scales int8_scales_of(const Json& config) {
  return value_at(config, "training.quantize") == "int8_matrix" ? Int8Scales::kMatrix : Int8Scales::kRows;
}

void write_model_file(const std::filesystem::path& path, const EncoderDecoder& model,
                      const ModelDescription& description, WeightPrecision precision) {
  const auto scales = int8_scales_of(description.config);
  FileTensors stored;
  for (const auto& item : model->named_parameters()) store_weight(item.key(), item.value(), precision, stored, scales);
  write_model_file(path, std::move(stored), description);
}

void write_model_file(const std::filesystem::path& path, FileTensors stored, const ModelDescription& description) {
  add_described(description, stored.tensors);
  write_safetensors(path, stored.tensors, metadata_of(description));
}

ModelFileWriter::ModelFileWriter(const std::filesystem::path& path, const std::map<std::string, WeightInfo>& network,
                                 WeightPrecision precision, const ModelDescription& description)
    : precision_(precision), file_(path, shapes_of(network, precision, description), metadata_of(description)) {
  for (const auto& [name, view] : shapes_of(network, precision, description))
    if (!view.bytes.empty()) file_.write(name, 0, view.bytes);
}

void ModelFileWriter::write(const std::string& weight, std::int64_t first, const StoredWeight& rows) {
  FileTensors stored;
  store_weight(weight, rows, precision_, stored);
  for (const auto& [name, view] : stored.tensors)
    file_.write(name, static_cast<std::uint64_t>(first) * view.bytes.size() / static_cast<std::uint64_t>(view.shape[0]),
                view.bytes);
}

ModelContents read_model_contents(const SafetensorsFile& file) {
  expect_format(file, kModelFormat, kModelFormatVersion);
  ModelContents contents;
  contents.description.config = metadata_json(file, "config");
  contents.description.provenance = metadata_json(file, "provenance");
  contents.config = model_config(file, contents.description.config);
  const auto rows = [&](const char* embedding) {
    return rows_of(file, stored_name(embedding, contents.config.tie_embeddings), contents.config.d_model);
  };
  contents.vocabularies = {rows(kSourceEmbedding), rows(kTargetEmbedding)};
  expect_tensors(file, contents.config, contents.vocabularies);
  contents.description.tokenizers = tokenizers_of(file);
  contents.description.shortlist = shortlist_of(file, contents.vocabularies);
  for (const auto& [name, view] : file.tensors())
    if (const auto scale = read_input_scale(file, name)) contents.description.input_scales[name] = *scale;
  contents.precision = stored_precision(file);
  return contents;
}

StoredModel open_model_file(const SafetensorsFile& file, at::Device device) {
  auto contents = read_model_contents(file);
  try {
    expect_vocabularies(contents.config, contents.vocabularies);
  } catch (const UsageError& error) {
    throw ModelError(file.name() + ": " + error.what());
  }
  const auto load = [file, device, config = contents.config, vocabularies = contents.vocabularies] {
    auto model = make_uninitialized_model(config, vocabularies);
    model->to(device);
    for (const auto& item : model->named_parameters()) load_weight(file, item.key(), item.value());
    return model;
  };
  LazyModel model(device, weights_of(file), load);
  model.header_sum = file.header_sum();
  model.shortlist = contents.description.shortlist;
  return {std::move(contents), std::move(model)};
}

LoadedModel read_model_file(const std::filesystem::path& path, at::Device device) {
  return read_model_file(SafetensorsFile::open_in_place(path), device);
}

LoadedModel read_model_file(const SafetensorsFile& file, at::Device device) {
  auto stored = open_model_file(file, device);
  const auto model = stored.model.network();
  return {std::move(stored), model};
}

}  // namespace gloss
