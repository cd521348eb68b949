#include "pipeline/interchange/import/imported_weights.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <ATen/Functions.h>

#include "common/error.h"
#include "common/special_ids.h"
#include "common/text/printable.h"
#include "model/storage/int8_weights.h"
#include "tensor/shape.h"

namespace gloss {
namespace {

bool is_number_type(const ForeignTensorInfo& info) {
  return info.quantized || info.type == ForeignType::kF32 || info.type == ForeignType::kF16 ||
         info.type == ForeignType::kBF16 || info.type == ForeignType::kF64;
}

/// Returns whether a tensor has the shape. A vector may have one axis or two.
bool has_shape(const ForeignTensorInfo& info, const std::vector<std::int64_t>& wanted, bool is_vector) {
  return info.shape == wanted || (is_vector && (info.shape == std::vector{wanted.back()} ||
                                                info.shape == std::vector{std::int64_t{1}, wanted.back()}));
}

/// Returns a matrix of int8 in the order of its shape.
at::Tensor int8_matrix(const ForeignTensor& tensor) {
  const auto rows = tensor.shape.at(0), columns = tensor.shape.at(1);
  auto values = at::empty(tensor.transposed ? std::vector{columns, rows} : std::vector{rows, columns}, at::kChar);
  std::memcpy(values.mutable_data_ptr(), tensor.bytes.data(), tensor.bytes.size());
  return tensor.transposed ? values.t() : values;
}

}  // namespace

at::Tensor float_tensor(const ForeignTensor& tensor) {
  const auto values = float_values(tensor);
  auto result = at::empty(tensor.shape, at::kFloat);
  if (!values.empty()) std::memcpy(result.mutable_data_ptr(), values.data(), values.size() * sizeof(float));
  return result;
}

ImportedWeights::ImportedWeights(std::shared_ptr<const ForeignTensors> file, WeightMap map, ImportRules rules)
    : file_(std::move(file)),
      map_(std::move(map)),
      rules_(std::move(rules)),
      network_(network_weights(map_.config(), map_.vocabularies())) {}

std::optional<ImportedWeights::Place> ImportedWeights::place_of(const std::string& weight) const {
  const auto source = rules_.source(weight);
  if (source.empty()) return std::nullopt;
  for (const auto& name : map_.names(source))
    if (file_->has(name.name)) return Place{name, file_->info(name.name)};
  return std::nullopt;
}

std::vector<std::int64_t> ImportedWeights::wanted_shape(const std::string& weight, const ForeignName& name) const {
  return map_.foreign_shape(weight, name, network_.at(weight).shape);
}

std::string ImportedWeights::weight_of_missing_rows(const std::string& tensor) const {
  if (!rules_.ignored(tensor) || !tensor.starts_with(kMissingRows) || !file_->has(tensor)) return {};
  auto weight = tensor.substr(kMissingRows.size());
  return network_.contains(weight) && piece_axis(weight) ? weight : std::string();
}

std::vector<std::int64_t> ImportedWeights::shape_of_missing_rows(const std::string& weight) const {
  auto shape = network_.at(weight).shape;
  shape.front() = 2;
  return shape;
}

void ImportedWeights::compare(ImportReport& report) const {
  std::set<std::string> used;
  std::vector<std::string> unfit;
  for (const auto& [weight, info] : network_) {
    const auto place = place_of(weight);
    if (!place) {
      const auto names = map_.names(rules_.source(weight));
      if (rules_.absent(weight) != AbsentWeight::kRefused)
        report.found.push_back({weight, "", "", {}});
      else
        report.missing.push_back(names.empty() ? "the tensor of " + weight : names.front().name);
      continue;
    }
    used.insert(place->name.name);
    report.found.push_back(
        {weight, place->name.name, std::string(foreign_type_name(place->info.type)), place->info.shape});
    const auto wanted = wanted_shape(weight, place->name);
    if (!has_shape(place->info, wanted, info.shape.size() == 1))
      unfit.push_back(place->name.name + " is " + shown_shape(place->info) + ", wanted " + shape_text(wanted));
    else if (!is_number_type(place->info))
      unfit.push_back(place->name.name + " is " + shown_shape(place->info) + ", wanted numbers with a fraction");
  }
  for (const auto& name : file_->names()) {
    if (used.contains(name)) continue;
    if (const auto weight = weight_of_missing_rows(name); !weight.empty()) {
      const auto& found = report.found.emplace_back(
          FoundTensor{weight, name, std::string(foreign_type_name(file_->info(name).type)), file_->info(name).shape});
      if (found.shape != shape_of_missing_rows(weight) || !is_number_type(file_->info(name)))
        unfit.push_back(name + " is " + shown_shape(file_->info(name)) + ", wanted numbers of the shape " +
                        shape_text(shape_of_missing_rows(weight)));
      continue;
    }
    (rules_.ignored(name) ? report.ignored : report.unknown).push_back(printable(name));
  }
  const auto refuse = [&](const std::string& what, std::vector<std::string> names) {
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    report.refusals.require(names.empty(), what + ": " + shown_list(names));
  };
  refuse("tensors of the network that are missing", report.missing);
  refuse("tensors that do not belong to the network of the configuration", report.unknown);
  refuse("tensors of another shape or type", unfit);
}

at::Tensor ImportedWeights::absent_values(const std::string& weight) const {
  const auto& shape = network_.at(weight).shape;
  if (rules_.absent(weight) == AbsentWeight::kRefused) throw ModelError(file_->name() + ": has no tensor of " + weight);
  const auto names = map_.names(weight);
  const auto name = names.empty() ? ForeignName{weight} : names.front();
  const auto foreign_shape = map_.foreign_shape(weight, name, shape);
  if (rules_.absent(weight) == AbsentWeight::kZeros || foreign_shape.size() != 2 ||
      foreign_shape[0] != foreign_shape[1])
    return map_.to_gloss(weight, name, at::zeros(foreign_shape));
  return map_.to_gloss(weight, name, at::eye(foreign_shape[0]));
}

StoredWeight ImportedWeights::read(const std::string& weight, bool keeps_int8) const {
  const auto place = place_of(weight);
  StoredWeight result;
  if (!place) {
    result = absent_values(weight);
  } else {
    const auto tensor = file_->tensor(place->name.name);
    const bool is_matrix = network_.at(weight).shape.size() == 2;
    if (keeps_int8 && is_matrix && tensor.quantized && tensor.type == ForeignType::kI8 &&
        !weight.ends_with("_positions.weight")) {
      const auto values = int8_matrix(tensor);
      if (values.min().item<std::int8_t>() >= -static_cast<std::int8_t>(kMaxInt8)) {
        const auto rows = map_.to_gloss(weight, place->name, values);
        return {rows, at::full({rows.size(0)}, 1 / tensor.multiplier, at::kFloat)};
      }
    }
    result = map_.to_gloss(weight, place->name, float_tensor(tensor));
  }
  if (const auto name = std::string(kMissingRows) + weight; !weight_of_missing_rows(name).empty()) {
    const auto rows = float_tensor(file_->tensor(name));
    result.values[kPad] = rows[0];
    result.values[kBos] = rows[1];
  }
  if (weight == "generator.bias")
    for (const auto id : rules_.suppressed) result.values[id] = PieceRows::kNoRowBias;
  if (!at::isfinite(result.values).all().item<bool>())
    throw ModelError(file_->name() + ": tensor " + printable(place ? place->name.name : weight) +
                     " holds values that are not finite");
  return result;
}

}  // namespace gloss
