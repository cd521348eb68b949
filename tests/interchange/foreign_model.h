#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "common/config/json.h"

namespace gloss {

/// d_model of the small models.
inline constexpr std::int64_t kSmallWidth = 8;
/// Returns gloss's channel of a channel there: sines become even, cosines odd.
inline std::int64_t place_of(std::int64_t channel) {
  return channel < kSmallWidth / 2 ? 2 * channel : 2 * (channel - kSmallWidth / 2) + 1;
}

/// A tensor of another program, row-major.
struct FloatTensor {
  std::vector<std::int64_t> shape;
  std::vector<float> values;
  float at(std::int64_t row, std::int64_t column) const {
    return values.at(static_cast<std::size_t>(row * shape.back() + column));
  }
};
using FloatTensors = std::map<std::string, FloatTensor>;

/// Returns a tensor whose values depend on name and place, from -1 to 1.
FloatTensor made_tensor(const std::string& name, std::vector<std::int64_t> shape);

/// Returns the bytes of a small SentencePiece model, trained on a few words. `special_ids`: "marian" (eos 0, unk 1),
/// "pegasus" (pad 0, eos 1, unk 2) or "fairseq" (unk 0, bos 1, eos 2).
const std::string& small_sentencepiece(const std::string& special_ids);
/// Returns its pieces by id.
std::vector<std::string> small_pieces(const std::string& special_ids);

/// A model as Marian trains it, post-norm with relu and one matrix for all embeddings. The names are those of Marian's
/// own sources.
struct MarianModel {
  std::int64_t d_model = kSmallWidth, d_ff = 12, encoder_layers = 2, decoder_layers = 2, pieces = 0;
  std::map<std::string, std::string> options;  ///< special:model.yml
  FloatTensors tensors;

  MarianModel();
  /// The tensors of a linear map, `prefix` + "_W" + `suffix` and "_b".
  void add_linear(const std::string& prefix, const std::string& suffix, std::int64_t in, std::int64_t out);
  void add_norm(const std::string& name, const std::string& suffix = "");

  std::string yaml() const;
  void write_npz(const std::filesystem::path& path) const;
  /// With `is_int8`, matrices are those of intgemm8, as its fork for browsers writes them.
  void write_bin(const std::filesystem::path& path, bool is_int8) const;
  /// Writes "model.npz" and "vocab.spm".
  void write(const std::filesystem::path& folder) const;
};

/// Returns the multiplier of intgemm8: 127 / the largest absolute value.
float int8_multiplier(const FloatTensor& tensor);

/// A directory as Hugging Face's transformers saves it.
struct HuggingFaceModel {
  std::int64_t d_model = kSmallWidth, d_ff = 12, layers = 1, pieces = 0;
  Json config, generation = Json::object(), tokenizer = Json::object();
  std::map<std::string, std::string> files;  ///< of the tokenizers, by name
  FloatTensors tensors;

  /// "marian", "pegasus", "m2m_100" or "nllb".
  explicit HuggingFaceModel(const std::string& type);
  void write(const std::filesystem::path& folder) const;
  /// Replaces the weights of a folder by pytorch_model.bin.
  void write_pickled(const std::filesystem::path& folder) const;

 private:
  void add_layer(const std::string& layer, bool is_decoder);
};

void put_text(const std::filesystem::path& path, const std::string& text);

}  // namespace gloss
