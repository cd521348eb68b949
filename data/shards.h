#pragma once

#include <cstdint>
#include <vector>

#include "data/batch.h"

namespace gloss {

/// Cuts a batch into `count` shards of neighboring sentences, in their order, of about equal numbers of tokens. Their
/// sizes are a function of the lengths alone. Each sentence has
/// an eos on either side. Shards may be empty if there are few sentences. `count` at least 1.
std::vector<Batch> cut_into_shards(Batch batch, std::int64_t count);

}  // namespace gloss
