#include "tests/interchange/foreign_model.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <span>
#include <stdexcept>
#include <unordered_map>

#include <ATen/Functions.h>
#include <sentencepiece_trainer.h>

#include "common/files/safetensors.h"
#include "common/text/format.h"
#include "interchange/formats/npz_file.h"
#include "tests/interchange/formats/foreign_bytes.h"
#include "tests/interchange/formats/pickle_bytes.h"
#include "tests/support/temporary_folder.h"
#include "tokenizer/sentencepiece_model.h"

namespace gloss {
namespace {

constexpr const char* kText =
    "the cat sees the dog\nthe dog sees the cat\na small cat sleeps\na small dog barks at the cat\n"
    "two dogs and two cats sleep\nthe bird sings and the cats sleep\nsmall birds sing\n";

std::string train(const std::string& special_ids) {
  const TemporaryFolder folder;
  put_text(folder / "text", kText);
  std::unordered_map<std::string, std::string> options{
      {"input", (folder / "text").string()}, {"model_type", "unigram"},     {"vocab_size", "40"},
      {"character_coverage", "1"},           {"hard_vocab_limit", "false"}, {"minloglevel", "3"}};
  if (special_ids == "marian") options.insert({{"bos_id", "-1"}, {"eos_id", "0"}, {"unk_id", "1"}});
  if (special_ids == "pegasus") options.insert({{"pad_id", "0"}, {"eos_id", "1"}, {"unk_id", "2"}, {"bos_id", "-1"}});
  std::string model;
  if (!sentencepiece::SentencePieceTrainer::Train(options, nullptr, &model).ok())
    throw std::runtime_error("cannot train a SentencePiece model");
  return model;
}

std::string bytes_of(const FloatTensor& tensor) { return raw(tensor.values); }

bool is_quantized(const std::string& name) {
  const auto end = name.rfind("_W");
  return name.find("Wemb") != name.npos || (end != name.npos && end + 3 >= name.size());
}

BinTensor int8_tensor(const std::string& name, const FloatTensor& tensor) {
  const auto multiplier = int8_multiplier(tensor);
  const auto rows = tensor.shape[0], columns = tensor.shape[1];
  const bool is_embedding = name.find("Wemb") != name.npos;
  std::string data;
  const auto add = [&](std::int64_t row, std::int64_t column) {
    data += static_cast<char>(std::lrint(tensor.at(row, column) * multiplier));
  };
  if (is_embedding)
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) add(i, j);
  else
    for (std::int64_t j = 0; j < columns; ++j)
      for (std::int64_t i = 0; i < rows; ++i) add(i, j);
  return {name, 0x4101, {static_cast<std::int32_t>(rows), static_cast<std::int32_t>(columns)}, data + raw(multiplier)};
}

}  // namespace

void put_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

FloatTensor made_tensor(const std::string& name, std::vector<std::int64_t> shape) {
  std::size_t count = 1;
  for (const auto size : shape) count *= static_cast<std::size_t>(size);
  double phase = 0;
  for (const char c : name) phase = std::fmod(phase * 1.7 + c, 100.0);
  FloatTensor tensor{std::move(shape), std::vector<float>(count)};
  for (std::size_t i = 0; i < count; ++i)
    tensor.values[i] = static_cast<float>(std::sin(phase + 0.37 * static_cast<double>(i)));
  return tensor;
}

const std::string& small_sentencepiece(const std::string& special_ids) {
  static std::map<std::string, std::string> models;
  auto& model = models[special_ids];
  if (model.empty()) model = train(special_ids);
  return model;
}

std::vector<std::string> small_pieces(const std::string& special_ids) {
  std::vector<std::string> pieces;
  for (const auto& piece : read_piece_table(small_sentencepiece(special_ids)).pieces) pieces.push_back(piece.text);
  return pieces;
}

void MarianModel::add_linear(const std::string& prefix, const std::string& suffix, std::int64_t in, std::int64_t out) {
  for (const auto& [name, shape] : {std::pair(prefix + "_W" + suffix, std::vector{in, out}),
                                    std::pair(prefix + "_b" + suffix, std::vector<std::int64_t>{1, out})})
    tensors[name] = made_tensor(name, shape);
}

void MarianModel::add_norm(const std::string& name, const std::string& suffix) {
  for (const auto* part : {"_ln_scale", "_ln_bias"})
    tensors[name + part + suffix] = made_tensor(name + part, {1, d_model});
}

MarianModel::MarianModel() : pieces(static_cast<std::int64_t>(small_pieces("marian").size())) {
  const auto rows = std::to_string(pieces);
  options = {{"type", "transformer"},
             {"dim-emb", "8"},
             {"dim-vocabs", std::string("[") + rows + ", " + rows + "]"},
             {"enc-depth", "2"},
             {"dec-depth", "2"},
             {"transformer-heads", "2"},
             {"transformer-dim-ffn", "12"},
             {"transformer-ffn-activation", "relu"},
             {"transformer-preprocess", "\"\""},
             {"transformer-postprocess", "dan"},
             {"transformer-postprocess-emb", "d"},
             {"tied-embeddings-all", "true"}};
  tensors["Wemb"] = made_tensor("Wemb", {pieces, d_model});
  tensors["decoder_ff_logit_out_b"] = made_tensor("decoder_ff_logit_out_b", {1, pieces});
  for (const std::string side : {"encoder", "decoder"})
    for (const std::string layer : {"_l1", "_l2"}) {
      const auto start = side + layer;
      for (const std::string attention : {"_self", "_context"}) {
        if (side == "encoder" && attention == "_context") continue;
        for (const auto* part : {"q", "k", "v", "o"}) add_linear(start + attention, part, d_model, d_model);
        add_norm(start + attention + "_Wo");
      }
      add_linear(start + "_ffn", "1", d_model, d_ff);
      add_linear(start + "_ffn", "2", d_ff, d_model);
      add_norm(start + "_ffn_ffn");
    }
}

std::string MarianModel::yaml() const {
  std::string text;
  for (const auto& [key, value] : options) text += key + ": " + value + '\n';
  return text;
}

void MarianModel::write_npz(const std::filesystem::path& path) const {
  auto text = yaml() + '\0';
  std::vector<std::pair<std::string, at::Tensor>> list{
      {"special:model.yml", at::from_blob(text.data(), std::ssize(text), at::kChar)}};
  for (const auto& [name, tensor] : tensors)
    list.emplace_back(name, at::from_blob(const_cast<float*>(tensor.values.data()), tensor.shape, at::kFloat));
  gloss::write_npz(path, list);
}

void MarianModel::write_bin(const std::filesystem::path& path, bool is_int8) const {
  const auto text = yaml() + '\0';
  std::vector<BinTensor> list{{"special:model.yml", 0x101, {static_cast<std::int32_t>(text.size())}, text}};
  for (const auto& [name, tensor] : tensors) {
    if (is_int8 && is_quantized(name)) {
      list.push_back(int8_tensor(name, tensor));
      // marian-conv quantizes whatever has Wemb in its name.
      if (name.find("Wemb") != name.npos)
        list.push_back({name + "_QuantMultA", 0x4101, {1, 1}, raw(std::int8_t{127}) + raw(127 / 1.5F)});
      else
        list.push_back({name + "_QuantMultA", 0x404, {1, 1}, raw(1.5F)});
      continue;
    }
    const std::vector<std::int32_t> shape(tensor.shape.begin(), tensor.shape.end());
    list.push_back({name, 0x404, shape, bytes_of(tensor)});
  }
  put_text(path, bin_bytes(list));
}

void MarianModel::write(const std::filesystem::path& folder) const {
  write_npz(folder / "model.npz");
  put_text(folder / "vocab.spm", small_sentencepiece("marian"));
}

float int8_multiplier(const FloatTensor& tensor) {
  float largest = 0;
  for (const auto value : tensor.values) largest = std::max(largest, std::abs(value));
  return 127 / largest;
}

HuggingFaceModel::HuggingFaceModel(const std::string& type) {
  const bool is_marian = type == "marian", is_pegasus = type == "pegasus", is_nllb = type == "nllb";
  config = {{"model_type", is_nllb ? "m2m_100" : type},
            {"d_model", d_model},
            {"encoder_layers", layers},
            {"decoder_layers", layers},
            {"encoder_attention_heads", 2},
            {"decoder_attention_heads", 2},
            {"encoder_ffn_dim", d_ff},
            {"decoder_ffn_dim", d_ff},
            {"activation_function", "relu"},
            {"scale_embedding", true},
            {"max_position_embeddings", 64}};
  std::vector<std::string> list;
  if (is_marian) {
    list = small_pieces("marian");
    list.insert(list.end(), {">>deu<<", ">>fra<<", "<pad>"});
    files = {{"source.spm", small_sentencepiece("marian")}, {"target.spm", small_sentencepiece("marian")}};
    config.update(
        {{"pad_token_id", list.size() - 1}, {"eos_token_id", 0}, {"decoder_start_token_id", list.size() - 1}});
  } else if (is_pegasus) {
    const auto trained = small_pieces("pegasus");
    list = {"<pad>", "</s>", "<mask_1>", "<mask_2>"};  // offset 2
    list.insert(list.end(), trained.begin() + 2, trained.end());
    files = {{"spiece.model", small_sentencepiece("pegasus")}};
    tokenizer = {{"offset", 2}};
    config.update({{"pad_token_id", 0}, {"eos_token_id", 1}, {"decoder_start_token_id", 0}});
  } else {
    const auto trained = small_pieces("fairseq");
    list = {"<s>", "<pad>", "</s>", "<unk>"};
    list.insert(list.end(), trained.begin() + 3, trained.end());
    files = {{"sentencepiece.bpe.model", small_sentencepiece("fairseq")}};
    config.update({{"bos_token_id", 0}, {"pad_token_id", 1}, {"eos_token_id", 2}, {"decoder_start_token_id", 2}});
  }
  if (is_marian || type == "m2m_100") {
    Json vocabulary = Json::object();
    for (std::size_t i = 0; i < list.size(); ++i) vocabulary[list[i]] = i;
    files["vocab.json"] = to_text(vocabulary);
  }
  pieces = static_cast<std::int64_t>(list.size());
  if (type == "m2m_100") tokenizer = {{"additional_special_tokens", {"__de__", "__en__"}}};
  if (is_nllb) {
    const auto tag = [&](std::int64_t row, const char* name) { return Json{{"id", row}, {"content", name}}; };
    files["tokenizer.json"] =
        to_text({{"added_tokens", {tag(0, "<s>"), tag(pieces, "deu_Latn"), tag(pieces + 1, "eng_Latn")}}});
  }
  if (type == "m2m_100" || is_nllb) pieces += 3;  // languages, and a row without a piece
  config["vocab_size"] = pieces;

  auto& shared = tensors["model.shared.weight"] = made_tensor("shared", {pieces, d_model});
  const auto pad = config["pad_token_id"].get<std::int64_t>();
  std::fill_n(shared.values.begin() + pad * d_model, d_model, 0.0F);
  if (is_marian || is_pegasus) tensors["final_logits_bias"] = made_tensor("final_logits_bias", {1, pieces});
  for (const std::string side : {"encoder", "decoder"}) {
    const auto start = "model." + side;
    for (std::int64_t i = 0; i < layers; ++i) add_layer(start + ".layers." + std::to_string(i), side == "decoder");
    if (is_marian) continue;
    for (const auto* kind : {".weight", ".bias"})
      tensors[start + ".layer_norm" + kind] = made_tensor(start + kind, {d_model});
  }
}

void HuggingFaceModel::add_layer(const std::string& layer, bool is_decoder) {
  const auto add_linear = [&](const std::string& name, std::int64_t in, std::int64_t out) {
    tensors[name + ".weight"] = made_tensor(name + "w", {out, in});
    tensors[name + ".bias"] = made_tensor(name + "b", {out});
  };
  const auto add_norm = [&](const std::string& name) {
    for (const auto* kind : {".weight", ".bias"}) tensors[name + kind] = made_tensor(name + kind, {d_model});
  };
  for (const std::string attention : {".self_attn", ".encoder_attn"}) {
    if (attention == ".encoder_attn" && !is_decoder) continue;
    for (const auto* part : {".q_proj", ".k_proj", ".v_proj", ".out_proj"})
      add_linear(layer + attention + part, d_model, d_model);
    add_norm(layer + attention + "_layer_norm");
  }
  add_linear(layer + ".fc1", d_model, d_ff);
  add_linear(layer + ".fc2", d_ff, d_model);
  add_norm(layer + ".final_layer_norm");
}

void HuggingFaceModel::write(const std::filesystem::path& folder) const {
  std::filesystem::create_directories(folder);
  put_text(folder / "config.json", to_text(config));
  if (!generation.empty()) put_text(folder / "generation_config.json", to_text(generation));
  put_text(folder / "tokenizer_config.json", to_text(tokenizer));
  for (const auto& [name, bytes] : files) put_text(folder / name, bytes);
  std::map<std::string, TensorView> views;
  for (const auto& [name, tensor] : tensors)
    views[name] = {Dtype::kF32, tensor.shape, std::as_bytes(std::span(tensor.values))};
  write_safetensors(folder / "model.safetensors", views, {{"format", "pt"}});
}

void HuggingFaceModel::write_pickled(const std::filesystem::path& folder) const {
  std::vector<std::pair<std::string, std::string>> items;
  std::vector<ZipEntry> entries{{"archive/data.pkl", ""}};
  for (const auto& [name, tensor] : tensors) {
    const auto key = std::to_string(items.size());
    const std::vector<std::int32_t> sizes(tensor.shape.begin(), tensor.shape.end());
    auto strides = sizes;
    for (std::int32_t axis = static_cast<std::int32_t>(sizes.size()) - 1, step = 1; axis >= 0; --axis) {
      const auto place = static_cast<std::size_t>(axis);
      strides[place] = step;
      step *= sizes[place];
    }
    const auto storage = pickle::storage("FloatStorage", key, static_cast<std::int32_t>(tensor.values.size()));
    items.emplace_back(name, pickle::tensor(storage, 0, sizes, strides));
    entries.push_back({"archive/data/" + key, bytes_of(tensor)});
  }
  entries.front().bytes = pickle::whole(pickle::dict(items));
  put_text(folder / "pytorch_model.bin", zip_bytes(entries));
  std::filesystem::remove(folder / "model.safetensors");
}

}  // namespace gloss
