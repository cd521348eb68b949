#include "model/storage/model_file.h"

#include <set>
#include <utility>
#include <vector>

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
    if (file.tensors().at(name).dtype == Dtype::kI8) known.insert(scale_name(name));
  }
  for (const auto& [name, view] : file.tensors()) {
    if (!known.contains(name) && !is_tokenizer_name(name)) {
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

void add_tokenizers(const ModelDescription& description, std::map<std::string, TensorView>& tensors) {
  for (const auto& [name, text] : description.tokenizers)
    tensors[name] = {Dtype::kU8, {static_cast<std::int64_t>(text.size())}, std::as_bytes(std::span(text))};
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
  add_tokenizers(description, tensors);
  return tensors;
}

}  // namespace

void write_model_file(const std::filesystem::path& path, const EncoderDecoder& model,
                      const ModelDescription& description, WeightPrecision precision) {
  FileTensors stored;
  for (const auto& item : model->named_parameters()) store_weight(item.key(), item.value(), precision, stored);
  write_model_file(path, std::move(stored), description);
}

void write_model_file(const std::filesystem::path& path, FileTensors stored, const ModelDescription& description) {
  add_tokenizers(description, stored.tensors);
  write_safetensors(path, stored.tensors, metadata_of(description));
}

ModelFileWriter::ModelFileWriter(const std::filesystem::path& path, const std::map<std::string, WeightInfo>& network,
                                 WeightPrecision precision, const ModelDescription& description)
    : precision_(precision), file_(path, shapes_of(network, precision, description), metadata_of(description)) {
  for (const auto& [name, text] : description.tokenizers) file_.write(name, 0, std::as_bytes(std::span(text)));
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
