#include "interchange/formats/huggingface_weights.h"

#include <algorithm>
#include <array>
#include <utility>

#include <ATen/ops/empty.h>

#include "common/error.h"
#include "common/files/safetensors.h"
#include "common/text/printable.h"
#include "interchange/formats/foreign_tensors.h"
#include "interchange/formats/settings_file.h"

namespace gloss {
namespace {

constexpr std::array<const char*, 4> kFiles{"model.safetensors", "model.safetensors.index.json", "pytorch_model.bin",
                                            "pytorch_model.bin.index.json"};
constexpr std::string_view kIndexEnding = ".index.json";
constexpr std::size_t kMaxIndexBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxShards = 200;  // each is an open file
constexpr int kIndexDepth = 8;

// In the order of Dtype.
constexpr std::array<at::ScalarType, 7> kScalarTypes{at::kFloat, at::kBFloat16, at::kHalf, at::kLong,
                                                     at::kInt,   at::kChar,     at::kByte};

bool is_index(const std::filesystem::path& path) { return path.string().ends_with(kIndexEnding); }

/// Returns the tensors of each file that an index names.
std::map<std::string, std::vector<std::string>> read_index(const std::filesystem::path& path) {
  const auto name = printable(path.string());
  const auto json = parse_model_json(read_model_text(path, kMaxIndexBytes), name, kIndexDepth);
  const auto weights = json.is_object() ? json.find("weight_map") : json.end();
  if (!json.is_object() || weights == json.end() || !weights->is_object() || weights->empty())
    throw ModelError(name + ": weight_map: wanted an object of tensors and files, got none");
  const auto ending = name.ends_with(".bin.index.json") ? ".bin" : ".safetensors";
  std::map<std::string, std::vector<std::string>> files;
  for (const auto& [tensor, file] : weights->items()) {
    const auto shard = file.is_string() ? file.get<std::string>() : std::string();
    const auto outside = [](char c) { return c <= ' ' || c > '~' || c == '/' || c == '\\'; };
    if (!shard.ends_with(ending) || shard.starts_with('.') || std::ranges::any_of(shard, outside))
      throw ModelError(name + ": weight_map: " + printable(tensor, 80) + ": wanted the name of a " + ending +
                       " file in the same folder, got " + printable(to_text(file), 80));
    files[shard].push_back(tensor);
    if (files.size() > kMaxShards)
      throw ModelError(name + ": weight_map: wanted at most " + std::to_string(kMaxShards) + " files, got more");
  }
  return files;
}

class SafetensorsTensors final : public ForeignTensors {
 public:
  explicit SafetensorsTensors(const std::filesystem::path& path)
      : ForeignTensors(printable(path.string())), file_(SafetensorsFile::open_foreign(path)) {
    for (const auto& [tensor, view] : file_.tensors()) {
      const ForeignTensorInfo info{kScalarTypes.at(static_cast<std::size_t>(view.dtype)), view.shape};
      checked_byte_count(info, name());
      add(tensor, info);
    }
  }

 private:
  at::Tensor read(const std::string& tensor, const ForeignTensorInfo& info) const override {
    auto values = at::empty(info.shape, info.type);
    file_.read(tensor, bytes_of(values));
    return values;
  }

  SafetensorsFile file_;
};

class Shards final : public ForeignTensors {
 public:
  explicit Shards(const std::filesystem::path& index) : ForeignTensors(printable(index.string())) {
    for (const auto& [file, tensors] : read_index(index)) {
      const auto path = index.parent_path() / file;
      std::error_code ignored;
      if (!std::filesystem::exists(path, ignored))
        throw ModelError(name() + ": names " + file + ", which is not there; copy all files of the model");
      add_file(path, tensors);
    }
  }

 private:
  /// `wanted` is sorted, as the keys of JSON objects are.
  void add_file(const std::filesystem::path& path, const std::vector<std::string>& wanted) {
    files_.push_back(open_huggingface_weights(path));
    const auto& file = *files_.back();
    const auto fail = [&](const std::string& what) { throw ModelError(file.name() + ": " + what); };
    for (const auto& tensor : file.names()) {
      if (!std::ranges::binary_search(wanted, tensor))
        fail("tensor " + tensor + ": wanted tensors that the index has for this file, got another; the folder has " +
             "files of different models");
      add(tensor, file.info(tensor));
      places_[tensor] = files_.size() - 1;
    }
    for (const auto& tensor : wanted)
      if (!file.has(tensor))
        fail("wanted a tensor " + printable(tensor, 80) + ", which the index has for this file, got none");
  }

  at::Tensor read(const std::string& tensor, const ForeignTensorInfo&) const override {
    return files_[places_.at(tensor)]->tensor(tensor);
  }

  std::vector<std::unique_ptr<ForeignTensors>> files_;
  std::map<std::string, std::size_t> places_;  // the file of each tensor
};

}  // namespace

std::optional<std::filesystem::path> find_huggingface_weights(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const auto* file : kFiles)
    if (std::filesystem::exists(folder / file, ignored)) return folder / file;
  return std::nullopt;
}

std::vector<std::filesystem::path> huggingface_weight_files(const std::filesystem::path& path) {
  std::vector files{path};
  if (is_index(path))
    for (const auto& [file, tensors] : read_index(path)) files.push_back(path.parent_path() / file);
  return files;
}

std::unique_ptr<ForeignTensors> open_huggingface_weights(const std::filesystem::path& path) {
  if (is_index(path)) return std::make_unique<Shards>(path);
  if (path.extension() == ".bin") return open_torch_file(path);
  return std::make_unique<SafetensorsTensors>(path);
}

}  // namespace gloss
