#include "training/checkpoint_tensors.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include "common/error.h"
#include "common/text/printable.h"
#include "model/storage/tensor_names.h"
#include "model/storage/tensor_view.h"

namespace gloss {
namespace {

const TensorView& view_in(const SafetensorsFile& file, const std::string& name) {
  const auto found = file.tensors().find(name);
  if (found == file.tensors().end()) throw ModelError(file.name() + ": " + name + ": missing");
  return found->second;
}

using KindOfState = std::pair<Adam::State, std::string (*)(const std::string&)>;

// Returns the state of a trained parameter with the functions that name it in a file.
std::vector<KindOfState> kinds_of_state(const Adam& adam) {
  std::vector<KindOfState> kinds = {{Adam::State::kM, first_moment_name}, {Adam::State::kV, second_moment_name}};
  if (adam.has_ema()) kinds.emplace_back(Adam::State::kEma, ema_name);
  return kinds;
}

void expect_names(const Adam& adam, const std::vector<KindOfState>& kinds, const SafetensorsFile& file) {
  std::set<std::string> names;
  for (const Adam::Slot& slot : adam.slots()) {
    names.insert(slot.name);
    for (const auto& [kind, name_of] : kinds)
      if (slot.is_trained) names.insert(name_of(slot.name));
  }
  for (const auto& [name, view] : file.tensors())
    if (!names.contains(name))
      throw ModelError(file.name() + ": " + printable(name) + ": the model has no such tensor");
}

}  // namespace

std::map<std::string, at::Tensor> checkpoint_tensors(const Adam& adam) {
  std::map<std::string, at::Tensor> tensors;
  for (const Adam::Slot& slot : adam.slots_with_state()) {
    tensors.emplace(slot.name, slot.parameter);
    if (!slot.m.defined()) continue;
    tensors.emplace(first_moment_name(slot.name), slot.m);
    tensors.emplace(second_moment_name(slot.name), slot.v);
    if (slot.ema.defined()) tensors.emplace(ema_name(slot.name), slot.ema);
  }
  return tensors;
}

void restore(Adam& adam, const SafetensorsFile& file) {
  const auto kinds = kinds_of_state(adam);
  expect_names(adam, kinds, file);
  for (std::size_t i = 0; i < adam.slots().size(); ++i) {
    const Adam::Slot& slot = adam.slots()[i];
    copy_into(slot.parameter, view_in(file, slot.name), file.name(), slot.name);
    if (!slot.is_trained) continue;
    const auto values =
        at::empty_like(slot.parameter, slot.parameter.options().requires_grad(false), at::MemoryFormat::Contiguous);
    for (const auto& [kind, name_of] : kinds) {
      copy_into(values, view_in(file, name_of(slot.name)), file.name(), name_of(slot.name));
      adam.set_state(kind, i, values);
    }
  }
}

void restore_weights(const Adam& adam, const SafetensorsFile& file) {
  for (const Adam::Slot& slot : adam.slots()) {
    const auto name = file.tensors().contains(ema_name(slot.name)) ? ema_name(slot.name) : slot.name;
    copy_into(slot.parameter, view_in(file, name), file.name(), name);
  }
}

void expect_finite(const Adam& adam, std::int64_t step) {
  for (const Adam::Slot& slot : adam.slots())
    if (!slot.parameter.isfinite().all().item<bool>())
      throw DivergedError("step " + std::to_string(step) + ": " + slot.name +
                          ": wanted finite weights, got NaN or infinity; lower training.learning_rate; "
                          "the checkpoints before are kept");
}

}  // namespace gloss
