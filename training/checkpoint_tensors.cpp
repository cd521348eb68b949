#include "training/checkpoint_tensors.h"

#include <string>

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include "common/error.h"
#include "common/log.h"
#include "model/storage/tensor_names.h"
#include "model/storage/tensor_view.h"

namespace gloss {
namespace {

const TensorView& view_in(const SafetensorsFile& file, const std::string& name) {
  const auto found = file.tensors().find(name);
  if (found == file.tensors().end()) throw ModelError(file.name() + ": " + name + ": missing");
  return found->second;
}

}  // namespace

std::map<std::string, at::Tensor> checkpoint_tensors(const Adam& adam) {
  std::map<std::string, at::Tensor> tensors;
  for (const Adam::Slot& slot : adam.slots()) {
    tensors.emplace(slot.name, slot.parameter);
    if (!slot.is_trained()) continue;
    tensors.emplace(first_moment_name(slot.name), slot.m);
    tensors.emplace(second_moment_name(slot.name), slot.v);
    if (slot.ema.defined()) tensors.emplace(ema_name(slot.name), slot.ema);
  }
  return tensors;
}

void restore(const Adam& adam, const SafetensorsFile& file) {
  const auto tensors = checkpoint_tensors(adam);
  for (const auto& [name, view] : file.tensors())
    if (!tensors.contains(name))
      throw ModelError(file.name() + ": " + printable(name) + ": the model has no such tensor");
  for (const auto& [name, tensor] : tensors) copy_into(tensor, view_in(file, name), file.name(), name);
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
