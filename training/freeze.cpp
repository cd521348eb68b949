#include "training/freeze.h"

#include <algorithm>
#include <map>

#include "common/config/config_section.h"
#include "common/error.h"
#include "common/text/printable.h"
#include "model/weights.h"
#include "training/adam.h"

namespace gloss {
namespace {

/// Maps every tensor name that a model can have, including tied ones, to its parameter.
std::map<std::string, std::string> tensors_of(std::span<const std::string> names) {
  std::map<std::string, std::string> tensors;
  for (const auto& name : names) tensors[name] = name;
  const auto tie = !tensors.contains(kTargetEmbedding)   ? TieEmbeddings::kAll
                   : !tensors.contains(kGeneratorMatrix) ? TieEmbeddings::kDecoder
                                                         : TieEmbeddings::kNone;
  for (const auto* name : {kTargetEmbedding, kGeneratorMatrix}) tensors[name] = stored_name(name, tie);
  return tensors;
}

bool belongs(const std::string& name, const std::string& part) {
  return name.starts_with(part) && (name.size() == part.size() || name[part.size()] == '.');
}

std::string unknown_part(const std::string& part, const std::map<std::string, std::string>& tensors) {
  std::set<std::string> known, first;
  for (const auto& [name, parameter] : tensors) {
    first.insert(name.substr(0, name.find('.')));
    for (auto dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1)) known.insert(name.substr(0, dot));
    known.insert(name);
  }
  const std::vector<std::string> candidates(known.begin(), known.end());
  const auto nearest = nearest_name(part, candidates);
  if (nearest) return "; did you mean \"" + *nearest + "\"?";
  std::string list;
  for (const auto& name : first) list += (list.empty() ? "; it has " : ", ") + name;
  return list;
}

}  // namespace

std::set<std::string> frozen_parameters(std::span<const std::string> parts, std::span<const std::string> names) {
  std::set<std::string> frozen;
  const auto tensors = tensors_of(names);
  for (const auto& part : parts) {
    bool any = false;
    for (const auto& [name, parameter] : tensors) {
      if (!belongs(name, part)) continue;
      any = true;
      frozen.insert(parameter);
    }
    if (!any)
      throw UsageError("training.freeze: the model has no part \"" + printable(part) + '"' +
                       unknown_part(part, tensors));
  }
  if (!names.empty() && frozen.size() == names.size())
    throw UsageError("training.freeze: wanted a part of the model left to train, got every one frozen");
  return frozen;
}

std::vector<std::pair<std::string, at::Tensor>> freeze(EncoderDecoder& model, std::span<const std::string> parts) {
  auto parameters = named_parameters(model);
  std::vector<std::string> names;
  for (const auto& [name, parameter] : parameters) names.push_back(name);
  const auto frozen = frozen_parameters(parts, names);
  std::erase_if(parameters, [&](const auto& item) { return !frozen.contains(item.first); });
  for (auto& [name, parameter] : parameters) parameter.requires_grad_(false);
  return parameters;
}

}  // namespace gloss
