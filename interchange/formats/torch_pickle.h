#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "interchange/formats/foreign_tensors.h"

namespace gloss {

/// A tensor in a pickle of PyTorch: a view of a storage, whose elements are elsewhere.
struct PickledTensor {
  ForeignTensorInfo info;
  std::vector<std::int64_t> strides;   ///< in elements, from 0
  std::uint64_t offset = 0;            ///< of the first element in the storage
  std::string storage;                 ///< key
  std::uint64_t storage_elements = 0;  ///< at least as many as the tensor has; all of its elements are among them
};

/// Maximum size of a pickle in bytes.
inline constexpr std::size_t kMaxPickleBytes = std::size_t{16} << 20;

/// Parses the pickle of a state dict, as torch.save writes it in protocol 2: a dict or an OrderedDict of tensors and
/// parameters. Calls nothing: only the operations and names of tensors are known, and every other one is refused.
/// Throws ModelError with `name`, the place and the fault.
std::map<std::string, PickledTensor> parse_torch_pickle(std::string_view bytes, const std::string& name);

}  // namespace gloss
