#include "translation/alignment.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "common/error.h"
#include "common/text/printable.h"
#include "tensor/shape.h"

namespace gloss {
namespace {

constexpr const char* kNoAttention =
    "this model has no attention to its source to align by (model.recurrent_attention is none)";

std::int64_t last_layer(const ModelConfig& config) { return config.is_transformer() ? config.decoder_layers - 1 : 0; }

}  // namespace

AttentionSite parse_attention_site(std::string_view name, const ModelConfig& config, const std::string& key) {
  const auto part = parse_part(name, config);
  if (part && part->side == Part::Side::kDecoder && part->sublayer == Part::Sublayer::kCross) {
    if (part->kind == Part::Kind::kSublayer) return {part->layer, std::nullopt};
    if (part->kind == Part::Kind::kHead) return {part->layer, part->head};
  }
  if (!config.has_cross_attention()) throw UsageError({Key{key}, ": " + std::string(kNoAttention)});
  throw UsageError({Key{key}, ": wanted decoder.LAYER.cross or decoder.LAYER.cross.HEAD, with a layer from 0 to " +
                                  std::to_string(last_layer(config)) + " and a head from 0 to " +
                                  std::to_string(config.heads - 1) + ", got " + printable(std::string(name))});
}

AttentionSite default_attention_site(const ModelConfig& config, std::string_view name) {
  if (!name.empty()) return parse_attention_site(name, config, "decoding.alignment_from");
  return {last_layer(config), std::nullopt};
}

std::vector<PieceLink> strongest_links(const at::Tensor& weights, std::size_t tags, bool has_eos) {
  const auto [T, S] = sizes<2>(weights, "weights");
  const auto rows = weights.to(at::kCPU, at::kFloat).contiguous();
  std::vector<PieceLink> links(static_cast<std::size_t>(T));
  const auto pieces_end = S - (has_eos ? 1 : 0);
  if (pieces_end < 0) return links;
  for (std::int64_t t = 0; t < T; ++t) {
    const auto* row = rows.const_data_ptr<float>() + t * S;
    const auto *pieces = row + std::min(static_cast<std::int64_t>(tags), pieces_end), *end = row + pieces_end;
    const auto* best = std::max_element(pieces, end);
    auto& link = links[static_cast<std::size_t>(t)];
    if (pieces < end) {
      link.source = best - row;
      link.weight = *best;
    }
    link.to_end = pieces == end || (has_eos && *end > *best) ||
                  std::any_of(row, pieces, [best](float tag) { return tag > *best; });
  }
  return links;
}

}  // namespace gloss
