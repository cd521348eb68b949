#include "interchange/import/imported_weights.h"

#include <algorithm>
#include <utility>

#include <ATen/Functions.h>

#include "common/error.h"
#include "common/special_ids.h"
#include "common/text/printable.h"
#include "model/storage/stored_weights.h"
#include "tensor/shape.h"

namespace gloss {
namespace {

constexpr std::int64_t kBlock = std::int64_t{1} << 22;  // elements that are converted together
constexpr std::int64_t kMinRows = kSpecialIds;          // the first block has the rows of pad and bos

bool is_number_type(const ForeignTensorInfo& info) {
  return info.is_quantized() || info.type == at::kFloat || info.type == at::kHalf || info.type == at::kBFloat16;
}

/// Returns whether a tensor has the shape. A vector may have one axis or two.
bool has_shape(const ForeignTensorInfo& info, const std::vector<std::int64_t>& wanted, bool is_vector) {
  return info.shape == wanted || (is_vector && (info.shape == std::vector{wanted.back()} ||
                                                info.shape == std::vector{std::int64_t{1}, wanted.back()}));
}

bool is_in_range(const at::Tensor& values) {
  const auto [min, max] = at::aminmax(values);  // both are NaN if a value is
  return min.item<float>() >= -kMaxWeight && max.item<float>() <= kMaxWeight;
}

}  // namespace

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
  std::vector<std::string> unfit, other_types;
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
    const auto wanted = map_.foreign_shape(weight, place->name, info.shape);
    if (!has_shape(place->info, wanted, info.shape.size() == 1))
      unfit.push_back(place->name.name + " is " + shown_shape(place->info) + ", wanted " + shape_text(wanted));
    else if (!is_number_type(place->info))
      other_types.push_back(place->name.name + " is " + shown_shape(place->info));
  }
  for (const auto& name : file_->names()) {
    if (used.contains(name)) continue;
    if (const auto weight = weight_of_missing_rows(name); !weight.empty()) {
      const auto stored = file_->info(name);
      report.found.push_back({weight, name, std::string(foreign_type_name(stored.type)), stored.shape});
      if (stored.shape != shape_of_missing_rows(weight) || !is_number_type(stored) || stored.is_quantized())
        unfit.push_back(name + " is " + shown_shape(stored) + ", wanted numbers of the shape " +
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
  refuse("tensors of another type than float32, float16 and bfloat16", other_types);
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

void ImportedWeights::convert(const std::string& weight, bool keeps_int8, const TakeRows& take) const {
  const auto& shape = network_.at(weight).shape;
  const auto place = place_of(weight);
  const auto name = place ? place->name.name : weight;
  const auto pass = [&](std::int64_t first, const StoredWeight& rows, const StoredWeight& kept) {
    if (const auto missing = std::string(kMissingRows) + weight;
        first == 0 && !weight_of_missing_rows(missing).empty()) {
      const auto values = file_->tensor(missing);
      rows.values[kPad] = values[0];
      rows.values[kBos] = values[1];
    }
    if (weight == "generator.bias")
      for (const auto id : rules_.suppressed) rows.values[id] = PieceRows::kNoRowBias;
    if (!is_in_range(rows.values))
      throw ModelError(file_->name() + ": tensor " + printable(name) +
                       ": wanted finite values up to 1e30, got a larger one or NaN");
    take(first, kept.values.defined() ? kept : rows);
  };
  if (!place) return pass(0, absent_values(weight), {});
  const auto values = file_->tensor(name);
  const auto divisors = file_->divisors(name);
  const bool stays_int8 = keeps_int8 && shape.size() == 2 && divisors.defined() && place->info.type == at::kChar &&
                          !weight.ends_with("_positions.weight") &&
                          values.min().item<std::int8_t>() >= -static_cast<std::int8_t>(kMaxInt8);
  const auto count = shape.front();
  const auto step = piece_axis(weight) && shape.size() == 2 ? std::max(kMinRows, kBlock / shape.back()) : count;
  for (std::int64_t first = 0; first < count; first += step) {
    const RowRange range{first, std::min(step, count - first)};
    const auto rows = map_.to_gloss(weight, place->name, values, range);
    const auto floats = rows.to(at::kFloat);
    StoredWeight kept;
    if (divisors.defined()) {
      // The divisor of each element moves with it. Rows that to_gloss makes up have none.
      const auto moved = map_.to_gloss(weight, place->name, divisors.view({-1, 1}).expand_as(values), range);
      const auto of_elements = moved.masked_fill(moved == 0, 1);
      floats.div_(of_elements);
      if (stays_int8) kept = {rows, of_elements.select(1, 0).reciprocal()};
    }
    pass(first, floats, kept);
  }
}

}  // namespace gloss
