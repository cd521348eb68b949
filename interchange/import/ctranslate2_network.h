#pragma once

#include "common/config/json.h"
#include "interchange/formats/ctranslate2_bin.h"
#include "interchange/refusals.h"
#include "model/model_config.h"

namespace gloss {

/// The network that a model.bin of CTranslate2 holds.
struct Ctranslate2Network {
  ModelConfig model;
  bool is_transformer = false;      ///< type and sizes are such that the tensors can be compared with the network
  bool separates_channels = false;  ///< all sines of the positions stand before all cosines
};

/// Returns the network of a model.bin and its config.json. Without a table of positions it has CTranslate2's own
/// sinusoids; a table is compared with the sinusoids that gloss computes, and is otherwise taken as learned positions.
/// `shares_vocabulary`: source and target have the same pieces. Adds to `refusals` everything that gloss does not
/// support, each reason with the name of a variable and its value.
Ctranslate2Network ctranslate2_network(const Ctranslate2Bin& file, const Json& config, bool shares_vocabulary,
                                       Refusals& refusals);

/// Returns whether the network does not use a tensor that belongs to it: a table of sinusoids.
bool is_position_table(std::string_view tensor);

}  // namespace gloss
