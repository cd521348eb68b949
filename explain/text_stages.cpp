#include "explain/text_stages.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/log_softmax.h>

#include "common/text/format.h"
#include "tokenizer/subword_sampling.h"
#include "tokenizer/tokenizer.h"

namespace gloss {
namespace {

/// Returns the formula of the scores of queries Q and keys K; q and k are a query and a key.
Formula score_formula(AttentionScore score) {
  switch (score) {
    case AttentionScore::kScaledDot:
      return {"Q K^T / sqrt(d_k)", "model/attention.cpp"};
    case AttentionScore::kDot:
      return {"Q K^T", "model/alternatives/scores.cpp"};
    case AttentionScore::kGeneral:
      return {"Q W K^T", "model/alternatives/scores.cpp"};
    case AttentionScore::kAdditive:
      return {"v . tanh(q + k)", "model/alternatives/scores.cpp"};
    case AttentionScore::kCosine:
      return {"cos(q, k) exp(log_scale)", "model/alternatives/scores.cpp"};
    case AttentionScore::kLocation:
      return {"W q", "model/alternatives/scores.cpp"};
  }
  return {};
}

Formula attention_formula(const Part& sublayer, const ModelConfig& config) {
  auto [score, file] = score_formula(config.is_transformer() ? config.attention_score : AttentionScore::kAdditive);
  std::string note;
  if (sublayer.sublayer == Part::Sublayer::kSelf && config.positions == Positions::kRelative) {
    score += " + bias of s - t";
    file += ", model/alternatives/positions.cpp";
  }
  if (sublayer.sublayer == Part::Sublayer::kSelf && config.positions == Positions::kRotary) {
    note = "; queries and keys are rotated by their positions";
    file += ", model/alternatives/positions.cpp";
  }
  if (!config.is_transformer()) note = "; the query is h_t-1";
  return {"softmax(" + score + ") V, heads side by side, times W^O" + note, file + ", model/multi_head_attention.cpp"};
}

/// Returns the text of the norm of x.
std::string normalized(const std::string& x, NormType type) {
  switch (type) {
    case NormType::kLayer:
      return "norm(" + x + ")";
    case NormType::kBatch:
      return "batch_norm(" + x + ")";
    case NormType::kRms:
      return "rms_norm(" + x + ")";
    case NormType::kNone:
      return x;
  }
  return x;
}

std::string stack_file(Part::Side side, const ModelConfig& config) {
  if (!config.is_transformer()) return "model/alternatives/recurrent_network.cpp";
  return side == Part::Side::kEncoder ? "model/encoder.cpp" : "model/decoder.cpp";
}

constexpr std::int64_t kValues = 4;       // shown values of a vector
constexpr std::size_t kLines = 12;        // shown vectors of a stage
constexpr std::size_t kMergedWords = 20;  // words whose merges are shown

/// Returns the text of a vector: "0.123 -1.5 0.25 0.9 ...   norm 11.3".
std::string values_text(const at::Tensor& vector) {
  std::string text;
  const auto count = std::min(kValues, vector.numel());
  for (std::int64_t i = 0; i < count; ++i) text += formatted("%.3f ", vector[i].item<double>());
  if (count < vector.numel()) text += "... ";
  return text + formatted(" norm %.3f", vector.norm().item<double>());
}

/// Returns a line for each of the first positions: its piece and its vector.
std::vector<std::string> lines_of(const at::Tensor& vectors, const std::vector<std::string>& pieces) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < std::min({kLines, pieces.size(), static_cast<std::size_t>(vectors.size(0))}); ++i)
    lines.push_back(pieces[i] + "  " + values_text(vectors[static_cast<std::int64_t>(i)]));
  if (pieces.size() > kLines) lines.push_back("... " + std::to_string(pieces.size() - kLines) + " more");
  return lines;
}

std::vector<std::string> pieces_of(const Ids& ids, const Tokenizer& tokenizer) {
  std::vector<std::string> pieces;
  for (const auto id : ids) pieces.push_back(tokenizer.piece(id));
  return pieces;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text.append(text.empty() ? "" : " ").append(word);
  return text;
}

std::string joined(const Ids& ids) {
  std::vector<std::string> words;
  for (const auto id : ids) words.push_back(std::to_string(id));
  return joined(words);
}

std::string shape_of(const at::Tensor& tensor) {
  std::string text;
  for (const auto size : tensor.sizes()) text.append(text.empty() ? "[" : ", ").append(std::to_string(size));
  return text.append("]");
}

/// Collects the stages.
class Stages {
 public:
  void add(const std::string& name, const std::string& shape, const std::string& formula, const std::string& file,
           std::vector<std::string> lines) {
    list_.push_back({{"name", name}, {"shape", shape}, {"formula", formula}, {"file", file}, {"lines", lines}});
  }
  void add(const std::string& name, const at::Tensor& value, const std::string& formula, const std::string& file,
           const std::vector<std::string>& pieces) {
    add(name, shape_of(value), formula, file, lines_of(value, pieces));
  }
  Json take() { return std::move(list_); }

 private:
  Json list_ = Json::array();
};

void add_layer(Stages& stages, const RecordedPass& pass, const ModelConfig& config, const Part& layer,
               const std::vector<std::string>& pieces) {
  for (const auto& part : sublayers(config, layer.side, layer.layer)) {
    const auto formula = sublayer_formula(part, config);
    const auto& output = pass.outputs.at(part.site());
    if (part.is_attention())
      stages.add(part.name(),
                 shape_of(pass.attention.at(part.site()).weights) + " weights, " + shape_of(output) + " output",
                 formula.text, formula.file, lines_of(output, pieces));
    else
      stages.add(part.name(), output, formula.text, formula.file, pieces);
  }
  const auto formula = layer_formula(layer, config);
  stages.add(layer.name(), pass.outputs.at(layer.site()), formula.text, formula.file, pieces);
}

std::string embedding_formula(const ModelConfig& config, const std::string& side) {
  const std::string row = config.embedding_scale == EmbeddingScale::kOne ? "E[id]" : "E[id] sqrt(D)";
  return side == "target" && config.starts_from_zero() ? row + ", 0 for <s>" : row;
}

std::string positions_formula(const ModelConfig& config) {
  if (config.positions == Positions::kLearned) return "a learned row";
  const std::string t = config.first_position == 0 ? "t" : "(t + " + std::to_string(config.first_position) + ")";
  const bool of_paper = config.position_frequencies == PositionFrequencies::kPaper;
  return "sin and cos of " + t + (of_paper ? " / 10000^(2i / D)" : " / 10000^(i / (D / 2 - 1))");
}

void add_input(Stages& stages, const RecordedPass& pass, const ModelConfig& config, const std::string& side,
               const std::vector<std::string>& pieces) {
  const auto& input = side == "source" ? pass.source : pass.target;
  stages.add(side + " embeddings", input.tokens, embedding_formula(config, side), "model/embedding.cpp", pieces);
  if (config.adds_positions())
    stages.add(
        side + " positions", input.positions, positions_formula(config),
        config.positions == Positions::kLearned ? "model/alternatives/positions.cpp" : "model/positional_encoding.cpp",
        pieces);
  const std::string sum = config.adds_positions() ? "embedding + position" : "embedding";
  if (config.embedding_norm)
    stages.add(side + " input", pass.input(side), "norm(" + sum + ")", "model/encoder_decoder.cpp", pieces);
  else if (config.adds_positions())  // otherwise the embeddings are the input
    stages.add(side + " input", pass.input(side), sum, "model/encoder_decoder.cpp", pieces);
}

void add_probabilities(Stages& stages, const RecordedPass& pass, const SentenceIds& ids, const Tokenizer& tokenizer) {
  const auto log_p = pass.logits.log_softmax(-1);  // [T, V]
  std::vector<std::string> logits, lines;
  for (std::size_t t = 0; t < ids.target.size(); ++t) {
    const auto row = static_cast<std::int64_t>(t);
    const auto piece = tokenizer.piece(ids.target[t]) + "  ";
    logits.push_back(piece + formatted("%.3f", pass.logits[row][ids.target[t]].item<double>()));
    const auto value = log_p[row][ids.target[t]].item<double>();
    lines.push_back(piece + formatted("log p %.3f  p %.3f", value, std::exp(value)));
  }
  stages.add("logits", shape_of(pass.logits), "x W^T + b", "model/generator.cpp", std::move(logits));
  stages.add("log-probabilities", shape_of(log_p), "log softmax", "model/generator.cpp", std::move(lines));
}

}  // namespace

Formula sublayer_formula(const Part& sublayer, const ModelConfig& config) {
  if (sublayer.is_attention()) return attention_formula(sublayer, config);
  if (sublayer.sublayer == Part::Sublayer::kRecurrence)
    return {"max(0, c_t), c_t = f_t * c_t-1 + (1 - f_t) * W x_t, f_t = sigma(W_f x_t + b_f)",
            "model/alternatives/ssru.cpp"};
  if (has_gate(config.activation))
    return {"(activation(x W_g + b_g) * (x W_1 + b_1)) W_2 + b_2", "model/feed_forward.cpp"};
  return {"activation(x W_1 + b_1) W_2 + b_2", "model/feed_forward.cpp"};
}

Formula layer_formula(const Part& layer, const ModelConfig& config) {
  const auto file = stack_file(layer.side, config);
  if (config.is_transformer()) {
    const std::string x = config.residual ? "x + " : "";
    if (config.norm == NormPlace::kPost) return {normalized(x + "sublayer(x)", config.norm_type), file};
    return {x + "sublayer(" + normalized("x", config.norm_type) + ")", file};
  }
  if (layer.side == Part::Side::kEncoder)
    return {"GRU from left to right and GRU from right to left, side by side", file};
  const bool attends = layer.layer == 0 && config.has_cross_attention();
  return {attends ? "h_t = GRU([x_t, c_t], h_t-1), h_0 from the memory" : "h_t = GRU(x_t, h_t-1), h_0 from the memory",
          file};
}

Formula stack_formula(Part::Side side, const ModelConfig& config) {
  const auto file = stack_file(side, config);
  if (config.is_transformer()) return {config.has_final_norm() ? normalized("x", config.norm_type) : "x", file};
  if (side == Part::Side::kEncoder) return {"x", file};
  return {config.has_cross_attention() ? "tanh(W_o [h_t, c_t, x_t] + b_o)" : "tanh(W_o [h_t, x_t] + b_o)", file};
}

Json text_stages(const PieceSpans& source, const SentenceIds& ids, const RecordedPass& pass, const ModelConfig& config,
                 const Tokenizer& source_tokenizer, const Tokenizer& target_tokenizer) {
  Stages stages;
  const auto source_pieces = pieces_of(ids.source, source_tokenizer);
  auto inputs = ids.target;
  inputs.insert(inputs.begin(), kBos);
  inputs.pop_back();
  const auto input_pieces = pieces_of(inputs, target_tokenizer);
  stages.add("text", std::to_string(source.text.size()) + " bytes", "UTF-8; broken bytes become U+FFFD",
             "common/text/utf8.cpp", {source.text});
  stages.add("pieces", "S = " + std::to_string(source_pieces.size()),
             "normalization and segmentation by SentencePiece; </s> ends the sentence",
             "tokenizer/sentencepiece_tokenizer.cpp", {joined(source_pieces)});
  stages.add("ids", "S = " + std::to_string(ids.source.size()), "index of each piece in the vocabulary",
             "tokenizer/sentencepiece_tokenizer.cpp", {joined(ids.source)});
  add_input(stages, pass, config, "source", source_pieces);
  for (std::int64_t i = 0; i < config.encoder_layers; ++i)
    add_layer(stages, pass, config, {.side = Part::Side::kEncoder, .layer = i}, source_pieces);
  const auto memory = stack_formula(Part::Side::kEncoder, config), output = stack_formula(Part::Side::kDecoder, config);
  stages.add("memory", pass.outputs.at("encoder"), memory.text, memory.file, source_pieces);
  stages.add("decoder's input", "T = " + std::to_string(inputs.size()), "<s> and the target without its last token",
             "model/padding.cpp", {joined(input_pieces), joined(inputs)});
  add_input(stages, pass, config, "target", input_pieces);
  for (std::int64_t i = 0; i < config.decoder_layers; ++i)
    add_layer(stages, pass, config, {.side = Part::Side::kDecoder, .layer = i}, input_pieces);
  stages.add("decoder's output", pass.outputs.at("decoder"), output.text, output.file, input_pieces);
  add_probabilities(stages, pass, ids, target_tokenizer);
  return stages.take();
}

Json merge_steps(const PieceSpans& source, const Tokenizer& tokenizer) {
  Json result = Json::array();
  const auto table = piece_table_of(tokenizer.serialized());
  if (table.segmentation != PieceTable::Segmentation::kBpe || !source.spans_known) return result;
  const BpeDropout bpe(table.pieces);
  const auto words = words_of(source);
  std::set<std::string> seen;
  for (std::size_t w = 0; w < words.words.size() && seen.size() < kMergedWords; ++w) {
    if (!seen.insert(words.words[w]).second) continue;
    Ids ids;
    for (std::size_t i = 0; i < source.ids.size(); ++i)
      if (words.of_piece[i].begin <= w && w < words.of_piece[i].end) ids.push_back(source.ids[i]);
    Json steps = Json::array();
    for (const auto& step : bpe.merge_steps(ids)) steps.push_back(pieces_of(step, tokenizer));
    result.push_back({{"word", words.words[w]}, {"steps", std::move(steps)}});
  }
  return result;
}

}  // namespace gloss
