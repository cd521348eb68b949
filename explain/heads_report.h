#pragma once

#include <span>
#include <string>
#include <vector>

#include "translation/models/translation_model.h"

namespace gloss {

/// Loss of a parallel text without a part of the network. It is the mean of -log p over the tokens of the targets, eos
/// included.
struct PartLoss {
  std::string part;
  double loss = 0;
};

struct HeadsReport {
  double loss = 0;              ///< of the whole network
  std::vector<PartLoss> parts;  ///< every layer and head, the greatest loss first
};

/// Scores the references once with the whole network and once without each layer and each head, by teacher forcing.
/// Pairs with an empty side are left out, and sources are cut to the length that the model reads, as in translating.
/// Shows the progress. Throws DataError if no pair is left, or if a reference is longer than the model generates.
/// Throws UsageError if the network has neither layers nor heads to remove, and Stopped after a signal.
HeadsReport heads_report(const TranslationModel& model, std::span<const std::string> sources,
                         std::span<const std::string> references);

}  // namespace gloss
