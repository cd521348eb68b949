#include "interchange/formats/ctranslate2_bin.h"

#include <algorithm>
#include <array>
#include <utility>

#include <ATen/Functions.h>

#include "common/files/file_kind.h"
#include "common/text/printable.h"

namespace gloss {
namespace {

constexpr std::uint32_t kOldestVersion = 2, kNewestVersion = 6;
// In the order of CTranslate2's enumeration.
constexpr std::array<at::ScalarType, 6> kTypes{at::kFloat, at::kChar, at::kShort, at::kInt, at::kHalf, at::kBFloat16};
const std::string kScale = "_scale";
constexpr float kOldInt16Multiplier = 1000;  // of int16 without a scale, as CTranslate2 1 wrote it

}  // namespace

Ctranslate2Bin::Ctranslate2Bin(RegularFile file, const std::string& name)
    : ForeignTensors(name), reader_(std::move(file), name) {
  read_structure();
}

void Ctranslate2Bin::fail(const std::string& what) const { reader_.fail(what); }

std::string Ctranslate2Bin::take_name(const char* part) {
  return reader_.take_name(reader_.take<std::uint16_t>(part), kMaxForeignNameBytes, part);
}

std::uint32_t Ctranslate2Bin::take_count(const char* part) {
  const auto count = reader_.take<std::uint32_t>(part);
  if (count > kMaxForeignTensors)
    fail(std::string(part) + ": wanted at most " + std::to_string(kMaxForeignTensors) + ", got " +
         std::to_string(count) + "; the file is damaged");
  return count;
}

void Ctranslate2Bin::read_structure() {
  version_ = reader_.take<std::uint32_t>("the version");
  if (version_ < kOldestVersion || version_ > kNewestVersion) {
    std::string start(std::min<std::uint64_t>(reader_.size(), 8), '\0');
    reader_.read(0, std::as_writable_bytes(std::span(start)));
    const auto kind = file_kind(start);
    fail("wanted a model.bin of CTranslate2, version 2 to 6, got " +
         (kind.empty() ? "version " + std::to_string(version_) : std::string(kind)));
  }
  spec_ = printable(take_name("the name of the specification"), 80);
  revision_ = reader_.take<std::uint32_t>("the revision of the specification");
  for (auto left = take_count("the number of variables"); left > 0; --left) read_variable();
  if (version_ >= 3)
    for (auto left = take_count("the number of aliases"); left > 0; --left) read_alias();
  reader_.expect_end("the aliases");
  add_variables();
}

void Ctranslate2Bin::read_variable() {
  const auto variable = take_name("the name of a variable");
  const auto where = "variable " + printable(variable, 80) + ": ";
  Variable read;
  const auto rank = reader_.take<std::uint8_t>("the shape of a variable");
  if (rank > kMaxForeignDimensions)
    fail(where + "wanted at most " + std::to_string(kMaxForeignDimensions) + " dimensions, got " +
         std::to_string(rank));
  for (int axis = 0; axis < rank; ++axis) {
    read.info.shape.push_back(reader_.take<std::uint32_t>("the shape of a variable"));
    if (read.info.shape.back() == 0) fail(where + "wanted sizes from 1, got 0; the file is damaged");
  }
  // Before version 4 a type was the size of an element.
  const auto code = reader_.take<std::uint8_t>("the type of a variable");
  const bool is_code = version_ >= 4, is_known = is_code ? code < kTypes.size() : code == 1 || code == 2 || code == 4;
  if (!is_known) fail(where + "wanted a type of CTranslate2, got number " + std::to_string(code));
  read.info.type = is_code ? kTypes.at(code) : code == 4 ? at::kFloat : code == 2 ? at::kShort : at::kChar;
  const auto stated = std::uint64_t{reader_.take<std::uint32_t>("the size of a variable")} * (is_code ? 1 : code);
  const auto bytes = checked_byte_count(read.info, name() + ": variable " + printable(variable, 80));
  if (stated != bytes)
    fail(where + "wanted " + std::to_string(bytes) + " bytes for " + shown_shape(read.info) + ", got " +
         std::to_string(stated) + "; the file is damaged");
  read.offset = reader_.position();
  reader_.skip(bytes, "variable " + printable(variable, 80));
  if (!variables_.emplace(variable, std::move(read)).second)
    fail(where + "wanted each name once, got it twice; the file is damaged");
}

void Ctranslate2Bin::read_alias() {
  const auto alias = take_name("an alias"), target = take_name("the variable of an alias");
  const auto earlier = aliases_.find(target);
  const auto& variable = earlier == aliases_.end() ? target : earlier->second;
  if (!variables_.contains(variable) || variables_.contains(alias) || !aliases_.emplace(alias, variable).second)
    fail("alias " + printable(alias, 80) + ": wanted a new name of a variable, got one of " + printable(target, 80) +
         "; the file is damaged");
}

void Ctranslate2Bin::add_variables() {
  const auto is_integer = [](const Variable& variable) {
    return variable.info.type == at::kChar || variable.info.type == at::kShort;
  };
  for (auto& [variable, stored] : variables_) {
    auto& info = stored.info;
    if (variable.ends_with(kScale)) {
      const auto base = variables_.find(variable.substr(0, variable.size() - kScale.size()));
      if (base != variables_.end() && is_integer(base->second) && !base->second.info.shape.empty()) continue;
    }
    if (info.shape.empty()) {
      numbers_[variable] = values_of(stored).item();
      continue;
    }
    if (const auto scale = variables_.find(variable + kScale); is_integer(stored) && scale != variables_.end()) {
      const auto& of_scale = scale->second.info;
      const bool is_single = of_scale.shape.empty();
      if (of_scale.type != at::kFloat || info.shape.size() != 2 ||
          (!is_single && of_scale.shape != std::vector{info.shape.front()}))
        fail("variable " + printable(scale->first, 80) + ": wanted float32, one or one for each row of " +
             shown_shape(info) + ", got " + shown_shape(of_scale));
      info.has_row_divisors = !is_single;
      if (is_single) info.multiplier = values_of(scale->second).item<float>();
    } else if (info.type == at::kShort && variable.ends_with("weight")) {
      info.multiplier = kOldInt16Multiplier;
    }
    if (info.multiplier && !is_divisor(*info.multiplier))
      fail("variable " + printable(variable, 80) + ": wanted a positive scale, got " +
           std::to_string(*info.multiplier));
    add(variable, info);
  }
  for (const auto& [alias, variable] : aliases_) {
    if (const auto found = numbers_.find(variable); found != numbers_.end())
      numbers_[alias] = found->second;
    else if (has(variable))
      add(alias, info(variable));
  }
}

std::optional<at::Scalar> Ctranslate2Bin::number(std::string_view name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> Ctranslate2Bin::text(std::string_view name) const {
  if (!has(name) || info(name).type != at::kChar || info(name).shape.size() != 1) return std::nullopt;
  const auto characters = tensor(name);
  return std::string(reinterpret_cast<const char*>(characters.const_data_ptr<std::int8_t>()), characters.nbytes());
}

const std::string& Ctranslate2Bin::original(const std::string& tensor) const {
  const auto found = aliases_.find(tensor);
  return found == aliases_.end() ? tensor : found->second;
}

at::Tensor Ctranslate2Bin::divisors(std::string_view tensor) const {
  if (!info(tensor).has_row_divisors) return ForeignTensors::divisors(tensor);
  const auto variable = original(std::string(tensor)) + kScale;
  auto values = values_of(variables_.find(variable)->second);
  const std::span numbers(values.const_data_ptr<float>(), static_cast<std::size_t>(values.numel()));
  if (!std::ranges::all_of(numbers, is_divisor))
    fail("variable " + printable(variable, 80) + ": wanted positive numbers, got another one");
  return values;
}

at::Tensor Ctranslate2Bin::values_of(const Variable& variable) const {
  auto values = at::empty(variable.info.shape, variable.info.type);
  reader_.read(variable.offset, bytes_of(values));
  return values;
}

at::Tensor Ctranslate2Bin::read(const std::string& tensor, const ForeignTensorInfo&) const {
  return values_of(variables_.find(original(tensor))->second);
}

}  // namespace gloss
