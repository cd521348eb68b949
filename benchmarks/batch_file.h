#pragma once

#include <filesystem>
#include <vector>

#include "data/batch.h"

namespace gloss {

/// Batches that another program wrote, so that both are timed on the very same: a JSON line a batch, a list of
/// [[source ids], [target ids]], eos and bos left out. Eos is added here. Throws DataError naming the line.
std::vector<Batch> read_batch_file(const std::filesystem::path& path);

}  // namespace gloss
