#include "model/part.h"

#include <gtest/gtest.h>

namespace gloss {
namespace {

ModelConfig config() {
  ModelConfig result;
  result.encoder_layers = 2;
  result.decoder_layers = 3;
  result.heads = 4;
  return result;
}

TEST(PartTest, NamesOfAllPartsComeBack) {
  for (const auto* name : {"tokens", "positions", "encoder.0", "encoder.1.self", "encoder.1.self.3", "decoder.2.cross",
                           "decoder.2.cross.0", "decoder.0.feed_forward"}) {
    const auto part = parse_part(name, config());
    ASSERT_TRUE(part) << name;
    EXPECT_EQ(part->name(), name);
  }
}

TEST(PartTest, SitesAreThoseOfTheProbe) {
  EXPECT_EQ(parse_part("encoder.1", config())->site(), "encoder.layers.1");
  EXPECT_EQ(parse_part("decoder.2.cross.3", config())->site(), "decoder.layers.2.cross_attention");
  EXPECT_EQ(parse_part("encoder.0.feed_forward", config())->site(), "encoder.layers.0.feed_forward");
}

TEST(PartTest, WhatTheNetworkLacksIsNoPart) {
  for (const auto* name : {"", ".", "encoder", "encoder.", "encoder.2", "decoder.3", "encoder.0.cross",
                           "encoder.0.self.4", "decoder.0.cross.", "decoder.00.cross", "decoder.-1",
                           "decoder.0.feed_forward.0", "decoder.0.self.0.0", "Encoder.0", "encoder.0.Self", "position"})
    EXPECT_FALSE(parse_part(name, config())) << name;
}

TEST(PartTest, ARecurrentNetworkHasItsAttentionAndTheTokensOnly) {
  auto recurrent = config();
  recurrent.architecture = Architecture::kRecurrent;
  for (const auto* name : {"tokens", "decoder.0.cross", "decoder.0.cross.3"})
    EXPECT_TRUE(parse_part(name, recurrent)) << name;
  for (const auto* name : {"positions", "encoder.0", "decoder.0", "decoder.1", "encoder.0.self", "decoder.0.self",
                           "decoder.1.cross", "decoder.0.feed_forward"})
    EXPECT_FALSE(parse_part(name, recurrent)) << name;
  const auto parts = layers_and_heads(recurrent);
  ASSERT_EQ(parts.size(), 5u);
  EXPECT_EQ(parts.front().name(), "decoder.0.cross");
  EXPECT_EQ(parts.back().name(), "decoder.0.cross.3");
  EXPECT_EQ(attention_sublayers(recurrent), std::vector{parts.front()});

  recurrent.recurrent_attention = RecurrentAttention::kNone;
  EXPECT_FALSE(parse_part("decoder.0.cross", recurrent));
  EXPECT_TRUE(layers_and_heads(recurrent).empty());
  EXPECT_TRUE(attention_sublayers(recurrent).empty());
}

TEST(PartTest, ADecoderWithARecurrenceHasItForSelfAttention) {
  auto ssru = config();
  ssru.decoder_layer = DecoderLayerType::kSsru;
  const auto recurrence = parse_part("decoder.2.recurrence", ssru);
  ASSERT_TRUE(recurrence);
  EXPECT_EQ(recurrence->name(), "decoder.2.recurrence");
  EXPECT_EQ(recurrence->site(), "decoder.layers.2.recurrence");
  EXPECT_FALSE(recurrence->is_attention());
  for (const auto* name : {"decoder.2.self", "decoder.2.self.0", "decoder.2.recurrence.0", "encoder.0.recurrence"})
    EXPECT_FALSE(parse_part(name, ssru)) << name;
  EXPECT_FALSE(parse_part("decoder.2.recurrence", config()));
  EXPECT_EQ(sublayers(ssru, Part::Side::kDecoder, 0).size(), 3u);
  EXPECT_EQ(sublayers(ssru, Part::Side::kDecoder, 0).front().sublayer, Part::Sublayer::kRecurrence);
  EXPECT_EQ(attention_sublayers(ssru).size(), 2u + 3u);
  EXPECT_EQ(layers_and_heads(ssru).size(), 2u * (1 + 4) + 3u * (1 + 4));
  EXPECT_EQ(example_parts(ssru), "encoder.0, decoder.1.recurrence, decoder.1.cross.2, positions or tokens");
}

TEST(PartTest, PositionsThatAreNotAddedAreNoPart) {
  auto rotary = config();
  for (const auto positions : {Positions::kRotary, Positions::kRelative, Positions::kNone}) {
    rotary.positions = positions;
    EXPECT_FALSE(parse_part("positions", rotary));
    EXPECT_TRUE(parse_part("encoder.0", rotary));
  }
}

TEST(PartTest, ExamplesForAMessageAreParts) {
  auto network = config();
  EXPECT_EQ(example_parts(network), "encoder.0, decoder.1.self, decoder.1.cross.2, positions or tokens");
  network.positions = Positions::kRelative;
  EXPECT_EQ(example_parts(network), "encoder.0, decoder.1.self, decoder.1.cross.2 or tokens");
  network.architecture = Architecture::kRecurrent;
  EXPECT_EQ(example_parts(network), "decoder.0.cross, decoder.0.cross.0 or tokens");
  network.recurrent_attention = RecurrentAttention::kNone;
  EXPECT_EQ(example_parts(network), "tokens");
}

TEST(PartTest, LayersAndHeadsAreAllOfThemOnce) {
  const auto parts = layers_and_heads(config());
  EXPECT_EQ(parts.size(), 2u * (1 + 4) + 3u * (1 + 2 * 4));
  EXPECT_EQ(parts.front().name(), "encoder.0");
  EXPECT_EQ(parts.back().name(), "decoder.2.cross.3");
  for (const auto& part : parts) EXPECT_EQ(parse_part(part.name(), config()), part);
}

}  // namespace
}  // namespace gloss
