#include "pipeline/interchange/import/imported_weights.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <ATen/Functions.h>

#include "common/error.h"
#include "common/text/printable.h"
#include "model/storage/int8_weights.h"
#include "tensor/shape.h"

namespace gloss {
namespace {

std::string described(const ForeignTensorInfo& info) {
  return std::string(foreign_type_name(info.type)) + ' ' + shape_text(info.shape);
}

bool is_number_type(const ForeignTensorInfo& info) {
  return info.quantized || info.type == ForeignType::kF32 || info.type == ForeignType::kF16 ||
         info.type == ForeignType::kBF16 || info.type == ForeignType::kF64;
}

/// The shape without axes of size one in front of the last `dimensions` ones.
std::vector<std::int64_t> squeezed(std::vector<std::int64_t> shape, std::size_t dimensions) {
  while (shape.size() > dimensions && shape.front() == 1) shape.erase(shape.begin());
  return shape;
}

/// A matrix of int8 in the order of its shape.
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
  for (const auto& name : map_.names(rules_.source(weight)))
    if (file_->has(name.name)) return Place{name, file_->info(name.name)};
  return std::nullopt;
}

std::vector<std::int64_t> ImportedWeights::wanted_shape(const std::string& weight, const ForeignName& name) const {
  return map_.foreign_shape(weight, name, network_.at(weight).shape);
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
    const auto dimensions = info.shape.size();
    if (squeezed(place->info.shape, dimensions) != squeezed(wanted, dimensions))
      unfit.push_back(place->name.name + " is " + described(place->info) + ", wanted " + shape_text(wanted));
    else if (!is_number_type(place->info))
      unfit.push_back(place->name.name + " is " + described(place->info) + ", wanted numbers with a fraction");
  }
  for (const auto& name : file_->names()) {
    if (used.contains(name)) continue;
    (rules_.ignored(name) ? report.ignored : report.unknown).push_back(printable(name));
  }
  const auto refuse = [&](const std::string& what, std::vector<std::string> names) {
    constexpr std::size_t kShown = 20;
    if (names.empty()) return;
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    auto text = what + ": ";
    for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i) text.append(i == 0 ? "" : ", ").append(names[i]);
    if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " others";
    report.refusals.add(std::move(text));
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
  if (weight == "generator.bias")
    for (const auto id : rules_.silent) result.values[id] = PieceRows::kNoRowBias;
  if (!at::isfinite(result.values).all().item<bool>())
    throw ModelError(file_->name() + ": tensor " + printable(place ? place->name.name : weight) +
                     " holds values that are not finite");
  return result;
}

}  // namespace gloss
