#pragma once

#include <cstdint>
#include <vector>

#include "data/batch.h"

namespace gloss {

/// Cuts a batch into `count` shards of neighboring sentences, in their order, of about equal numbers of tokens. `count`
/// is at least 1. The sizes of the shards are a function of the lengths alone; shards may be empty if there are few
/// sentences. Each sentence has an eos on either side.
std::vector<Batch> cut_into_shards(Batch batch, std::int64_t count);

}  // namespace gloss
