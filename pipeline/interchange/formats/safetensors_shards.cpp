#include "pipeline/interchange/formats/safetensors_shards.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "common/config/json.h"
#include "common/error.h"
#include "common/files/safetensors.h"
#include "common/text/printable.h"
#include "pipeline/interchange/formats/model_text.h"

namespace gloss {
namespace {

constexpr std::string_view kFile = "model.safetensors", kIndex = "model.safetensors.index.json";
constexpr std::string_view kTensorsEnding = ".safetensors";
constexpr std::size_t kMaxIndexBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxShards = 200;  // each is an open file
constexpr int kIndexDepth = 8;

ForeignType foreign_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF32:
      return ForeignType::kF32;
    case Dtype::kBF16:
      return ForeignType::kBF16;
    case Dtype::kF16:
      return ForeignType::kF16;
    case Dtype::kI64:
      return ForeignType::kI64;
    case Dtype::kI32:
      return ForeignType::kI32;
    case Dtype::kI8:
      return ForeignType::kI8;
    case Dtype::kU8:
      break;
  }
  return ForeignType::kU8;
}

/// Returns the tensors of each file that an index names.
std::map<std::string, std::vector<std::string>> read_index(const std::filesystem::path& path) {
  const auto name = printable(path.string());
  Json json;
  try {
    json = parse_json(read_model_text(path, kMaxIndexBytes), kIndexDepth);
  } catch (const std::invalid_argument& error) {
    throw ModelError(name + ": " + error.what());
  }
  const auto weights = json.is_object() ? json.find("weight_map") : json.end();
  if (!json.is_object() || weights == json.end() || !weights->is_object() || weights->empty())
    throw ModelError(name + ": weight_map: wanted an object of tensors and files, got none");
  std::map<std::string, std::vector<std::string>> files;
  for (const auto& [tensor, file] : weights->items()) {
    const auto shard = file.is_string() ? file.get<std::string>() : std::string();
    const auto outside = [](char c) { return c <= ' ' || c > '~' || c == '/' || c == '\\'; };
    if (!shard.ends_with(kTensorsEnding) || shard.starts_with('.') || std::ranges::any_of(shard, outside))
      throw ModelError(name + ": weight_map: " + printable(tensor, 80) +
                       ": wanted the name of a .safetensors file in the same folder, got " +
                       printable(to_text(file), 80));
    files[shard].push_back(tensor);
    if (files.size() > kMaxShards)
      throw ModelError(name + ": weight_map: wanted at most " + std::to_string(kMaxShards) + " files, got more");
  }
  return files;
}

class SafetensorsShards final : public ForeignTensors {
 public:
  /// Opens one file and takes all of its tensors.
  explicit SafetensorsShards(const std::filesystem::path& file) : ForeignTensors(printable(file.string())) {
    add_file(file, nullptr);
  }

  SafetensorsShards(const std::filesystem::path& index, const std::map<std::string, std::vector<std::string>>& files)
      : ForeignTensors(printable(index.string())) {
    for (const auto& [file, tensors] : files) add_file(index.parent_path() / file, &tensors);
  }

 private:
  /// `wanted` is sorted, as the keys of JSON objects are.
  void add_file(const std::filesystem::path& path, const std::vector<std::string>* wanted) {
    if (std::error_code ignored; wanted != nullptr && !std::filesystem::exists(path, ignored))
      throw ModelError(name() + ": wanted all files that it names, but there is no " + printable(path.string()));
    files_.push_back(SafetensorsFile::open_foreign(path));
    const auto& file = files_.back();
    const auto fail = [&](const std::string& what) { throw ModelError(file.name() + ": " + what); };
    for (const auto& [tensor, view] : file.tensors()) {
      if (wanted != nullptr && !std::ranges::binary_search(*wanted, tensor))
        fail("tensor " + tensor + ": wanted tensors that the index has for this file, got another; the folder has " +
             "files of different models");
      ForeignTensorInfo info;
      info.type = foreign_type(view.dtype);
      info.shape = view.shape;
      add(tensor, std::move(info));
      places_[tensor] = files_.size() - 1;
    }
    if (wanted == nullptr) return;
    for (const auto& tensor : *wanted)
      if (!file.tensors().contains(tensor))
        fail("wanted a tensor " + printable(tensor, 80) + ", which the index has for this file, got none");
  }

  void read(const std::string& tensor, ForeignTensor& result) const override {
    result.bytes.resize(checked_byte_count(result, name()));
    files_[places_.at(tensor)].read(tensor, result.bytes);
  }

  std::vector<SafetensorsFile> files_;
  std::map<std::string, std::size_t> places_;  // the file of each tensor
};

}  // namespace

bool has_safetensors(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder / kFile, ignored) || std::filesystem::exists(folder / kIndex, ignored);
}

std::unique_ptr<ForeignTensors> open_safetensors(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return std::make_unique<SafetensorsShards>(path);
  if (const auto file = path / kFile; std::filesystem::exists(file, ignored))
    return std::make_unique<SafetensorsShards>(file);
  const auto index = path / kIndex;
  if (!std::filesystem::exists(index, ignored))
    throw ModelError(printable(path.string()) + ": wanted " + std::string(kFile) + " or " + std::string(kIndex) +
                     ", got neither");
  return std::make_unique<SafetensorsShards>(index, read_index(index));
}

}  // namespace gloss
