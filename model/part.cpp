#include "model/part.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "common/text/split.h"

namespace gloss {
namespace {

struct SublayerNames {
  Part::Sublayer sublayer;
  std::string_view name, site;
};
constexpr std::array<SublayerNames, 4> kSublayers{{{Part::Sublayer::kSelf, "self", "self_attention"},
                                                   {Part::Sublayer::kRecurrence, "recurrence", "recurrence"},
                                                   {Part::Sublayer::kCross, "cross", "cross_attention"},
                                                   {Part::Sublayer::kFeedForward, "feed_forward", "feed_forward"}}};

const SublayerNames& names_of(Part::Sublayer sublayer) {
  return *std::ranges::find(kSublayers, sublayer, &SublayerNames::sublayer);
}

std::string_view name_of(Part::Side side) { return side == Part::Side::kEncoder ? "encoder" : "decoder"; }

/// Parses a whole number below `limit`, without sign or leading zeros.
std::optional<std::int64_t> number_below(std::int64_t limit, std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size() && text == std::to_string(number);
  return whole && number >= 0 && number < limit ? std::optional(number) : std::nullopt;
}

/// Calls `take` for each layer of the encoder, then of the decoder.
template <typename Take>
void for_each_layer(const ModelConfig& config, const Take& take) {
  for (std::int64_t layer = 0; layer < config.encoder_layers; ++layer) take(Part::Side::kEncoder, layer);
  for (std::int64_t layer = 0; layer < config.decoder_layers; ++layer) take(Part::Side::kDecoder, layer);
}

}  // namespace

std::string Part::name() const {
  if (kind == Kind::kTokens) return "tokens";
  if (kind == Kind::kPositions) return "positions";
  std::string result(name_of(side));
  result.append(1, '.').append(std::to_string(layer));
  if (kind != Kind::kLayer) result.append(1, '.').append(names_of(sublayer).name);
  if (kind == Kind::kHead) result.append(1, '.').append(std::to_string(head));
  return result;
}

std::string Part::site() const {
  std::string result(name_of(side));
  result.append(".layers.").append(std::to_string(layer));
  if (kind != Kind::kLayer) result.append(1, '.').append(names_of(sublayer).site);
  return result;
}

std::optional<Part> parse_part(std::string_view name, const ModelConfig& config) {
  if (name == "tokens") return Part{.kind = Part::Kind::kTokens};
  if (name == "positions" && config.adds_positions()) return Part{.kind = Part::Kind::kPositions};
  const auto words = split_text(name, '.');
  if (words.size() < 2 || words.size() > 4) return std::nullopt;
  Part part;
  if (words[0] == name_of(Part::Side::kDecoder))
    part.side = Part::Side::kDecoder;
  else if (words[0] != name_of(Part::Side::kEncoder))
    return std::nullopt;
  const bool in_encoder = part.side == Part::Side::kEncoder;
  const auto layer = number_below(in_encoder ? config.encoder_layers : config.decoder_layers, words[1]);
  if (!layer) return std::nullopt;
  part.layer = *layer;
  if (words.size() == 2) return config.is_transformer() ? std::optional(part) : std::nullopt;

  const auto* const names = std::ranges::find(kSublayers, words[2], &SublayerNames::name);
  const auto all = sublayers(config, part.side, part.layer);
  if (names == kSublayers.end() || std::ranges::find(all, names->sublayer, &Part::sublayer) == all.end())
    return std::nullopt;
  part.sublayer = names->sublayer;
  part.kind = Part::Kind::kSublayer;
  if (words.size() == 3) return part;

  const auto head = number_below(config.heads, words[3]);
  if (!head || !part.is_attention()) return std::nullopt;
  part.kind = Part::Kind::kHead;
  part.head = *head;
  return part;
}

std::vector<Part> sublayers(const ModelConfig& config, Part::Side side, std::int64_t layer) {
  std::vector<Part> parts;
  const bool in_decoder = side == Part::Side::kDecoder;
  const auto exists = [&](Part::Sublayer sublayer) {
    if (!config.is_transformer())
      return sublayer == Part::Sublayer::kCross && in_decoder && layer == 0 && config.has_cross_attention();
    if (sublayer == Part::Sublayer::kCross) return in_decoder;
    if (sublayer == Part::Sublayer::kFeedForward) return true;
    const bool recurs = in_decoder && !config.has_decoder_self_attention();
    return recurs == (sublayer == Part::Sublayer::kRecurrence);
  };
  for (const auto& names : kSublayers) {
    if (exists(names.sublayer))
      parts.push_back({.kind = Part::Kind::kSublayer, .side = side, .layer = layer, .sublayer = names.sublayer});
  }
  return parts;
}

std::vector<Part> attention_sublayers(const ModelConfig& config) {
  std::vector<Part> parts;
  for_each_layer(config, [&](Part::Side side, std::int64_t layer) {
    for (const auto& part : sublayers(config, side, layer))
      if (part.is_attention()) parts.push_back(part);
  });
  return parts;
}

std::vector<Part> layers_and_heads(const ModelConfig& config) {
  std::vector<Part> parts;
  for_each_layer(config, [&](Part::Side side, std::int64_t layer) {
    if (config.is_transformer()) parts.push_back({.kind = Part::Kind::kLayer, .side = side, .layer = layer});
    for (const auto& part : sublayers(config, side, layer)) {
      if (!part.is_attention()) continue;
      if (!config.is_transformer()) parts.push_back(part);
      for (std::int64_t head = 0; head < config.heads; ++head)
        parts.push_back({Part::Kind::kHead, side, layer, part.sublayer, head});
    }
  });
  return parts;
}

std::string example_parts(const ModelConfig& config) {
  if (!config.is_transformer())
    return config.has_cross_attention() ? "decoder.0.cross, decoder.0.cross.0 or tokens" : "tokens";
  return std::string("encoder.0, ") +
         (config.has_decoder_self_attention() ? "decoder.1.self" : "decoder.1.recurrence") + ", decoder.1.cross.2" +
         (config.adds_positions() ? ", positions or tokens" : " or tokens");
}

}  // namespace gloss
