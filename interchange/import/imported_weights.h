#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/special_ids.h"
#include "interchange/formats/foreign_tensors.h"
#include "interchange/import/import_model.h"
#include "interchange/weight_map.h"
#include "model/storage/stored_weights.h"
#include "model/weights.h"

namespace gloss {

/// Value of a weight that the other program does not have.
enum class AbsentWeight {
  kRefused,
  kZeros,
  kIdentity,  ///< a linear map that changes nothing
};

/// Differences of a model from the plain map of names.
struct ImportRules {
  /// Returns the weight whose tensor is used for `weight`: another layer's if layers are tied. Empty: the other
  /// program's network has no such weight, even if the file has one.
  std::function<std::string(const std::string& weight)> source = [](const std::string& weight) { return weight; };
  std::function<AbsentWeight(const std::string& weight)> absent = [](const std::string&) {
    return AbsentWeight::kRefused;
  };
  /// Returns whether a tensor of the file has no effect on translation.
  std::function<bool(const std::string& tensor)> ignored = [](const std::string&) { return false; };
  std::vector<Id> suppressed = {};  ///< pieces whose output bias is PieceRows::kNoRowBias, even if the file has another
};

/// Weights of a network in another program's file, which are read one by one.
class ImportedWeights {
 public:
  ImportedWeights(std::shared_ptr<const ForeignTensors> file, WeightMap map, ImportRules rules);

  /// Compares names, types and shapes of the file with the network, without reading elements. Fills in the report's
  /// lists of tensors and adds a refusal for each tensor that is missing, unknown or of another shape.
  void compare(ImportReport& report) const;

  /// Returns the weights of the network by gloss's names.
  const std::map<std::string, WeightInfo>& network() const { return network_; }
  Vocabularies vocabularies() const { return map_.vocabularies(); }
  /// Receives the rows of a weight from `first` on.
  using TakeRows = std::function<void(std::int64_t first, const StoredWeight& rows)>;
  /// Converts a weight of a file that compare() accepts to float32 and passes it to `take`: a matrix with a row for
  /// each piece in blocks of rows, another weight as a whole. With `keeps_int8`, a matrix that is stored as int8 stays
  /// int8, with the same scale in each row. Throws ModelError if the file is damaged, or if it holds a value that is
  /// not finite or larger than kMaxWeight.
  void convert(const std::string& weight, bool keeps_int8, const TakeRows& take) const;

 private:
  struct Place {
    ForeignName name;
    ForeignTensorInfo info;
  };
  std::optional<Place> place_of(const std::string& weight) const;
  at::Tensor absent_values(const std::string& weight) const;
  /// Returns the weight whose rows of pad and bos are in this tensor, which gloss wrote; otherwise an empty text.
  std::string weight_of_missing_rows(const std::string& tensor) const;
  std::vector<std::int64_t> shape_of_missing_rows(const std::string& weight) const;

  std::shared_ptr<const ForeignTensors> file_;
  WeightMap map_;
  ImportRules rules_;
  std::map<std::string, WeightInfo> network_;
};

/// Largest absolute value of a weight. Sums of products with larger ones overflow in float32.
inline constexpr float kMaxWeight = 1e30F;

}  // namespace gloss
