#pragma once

#include <string>
#include <vector>

#include "common/config/json.h"
#include "data/text_size.h"

namespace gloss {

/// A value of an open key that was chosen from the size of the training text.
struct ChosenDefault {
  std::string key;  ///< dotted: "model.d_model"
  Json value;
  std::string reason;  ///< equal for keys that were chosen together
};

/// Returns whether `run_file` leaves a key open whose default depends on the text. data.hold_out alone does not count.
bool has_open_defaults(const Json& run_file);

/// Fills in the open keys of `run_file` whose defaults depend on the training text, and returns them. configs/README.md
/// describes the rule. The values suit the keys that the run file sets. The result is a function of the two arguments.
/// The keys of `run_file` must be known and of the right type.
std::vector<ChosenDefault> complete_defaults(Json& run_file, const TextSize& text);

/// Fills in open keys whose values cannot change when a run is resumed from the run's own configuration.
void complete_from_kept(Json& run_file, const Json& kept);

}  // namespace gloss
