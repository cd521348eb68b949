#pragma once

#include <filesystem>
#include <memory>

#include "interchange/formats/foreign_tensors.h"

namespace gloss {

/// Opens a state dict that torch.save wrote (PyTorch 1.6 and later): a ZIP archive with a pickle, which is parsed
/// without calling anything, and an entry for each storage. Tensors may be views and share storages. Throws ModelError
/// with the path and the fault, also for the form of earlier versions; IoError; UsageError if gloss was built without
/// libzip.
std::unique_ptr<ForeignTensors> open_torch_file(const std::filesystem::path& path);

}  // namespace gloss
