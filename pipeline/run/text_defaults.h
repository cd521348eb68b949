#pragma once

#include <string>
#include <vector>

#include "common/config/json.h"
#include "data/text_size.h"

namespace gloss {

/// A value that the run file leaves open and that was chosen from the size of the training text.
struct ChosenDefault {
  std::string key;  ///< dotted: "model.d_model"
  Json value;
  std::string reason;  ///< equal for keys that were chosen together
};

/// True where `run_file` leaves open a key whose default depends on the text. data.hold_out alone does not count.
bool has_open_defaults(const Json& run_file);

/// Fills in the keys of `run_file` that it leaves open and whose defaults depend on the training text
/// (configs/README.md has the rule), and returns them. Keys that depend on keys that the run file sets agree with
/// those. The result is a function of both arguments alone. The keys of `run_file` must be known and of the right type.
std::vector<ChosenDefault> complete_defaults(Json& run_file, const TextSize& text);

/// Fills in open keys whose values cannot change when a run is resumed from the run's own configuration.
void complete_from_kept(Json& run_file, const Json& kept);

}  // namespace gloss
