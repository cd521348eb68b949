#include "training/checkpoint.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <system_error>

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/safetensors.h"
#include "common/files/sha256.h"
#include "common/log/log.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "model/storage/model_file.h"
#include "model/storage/stored_weights.h"
#include "model/storage/tensor_names.h"

namespace gloss {
namespace {

constexpr std::string_view kPrefix = "step-";
constexpr std::string_view kSuffix = ".safetensors";
constexpr std::size_t kDigits = 8;

namespace fs = std::filesystem;

constexpr int kFormatVersion = 1;

// Returns the steps of the checkpoints in the folder, newest first.
std::vector<std::int64_t> steps_in(const fs::path& folder) {
  std::vector<std::int64_t> steps;
  std::error_code error;
  if (!fs::exists(folder, error) && !error) return steps;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error))
    if (const auto step = checkpoint_step(entry->path().filename().string())) steps.push_back(*step);
  if (error) throw IoError(printable(folder.string(), 1000) + ": cannot list the folder: " + error.message());
  std::ranges::sort(steps, std::greater());
  return steps;
}

TrainingState state_of(const SafetensorsFile& file, const std::string& file_name) {
  TrainingState state = read_checkpoint_state(file);
  if (checkpoint_step(file_name) != state.step)
    throw ModelError(file.name() + ": wanted the step of its name, got step " + std::to_string(state.step));
  return state;
}

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

std::string checkpoint_name(std::int64_t step) {
  const std::string digits = std::to_string(step);
  const std::string zeros(kDigits - std::min(kDigits, digits.size()), '0');
  return std::string(kPrefix) + zeros + digits + std::string(kSuffix);
}

std::optional<std::int64_t> checkpoint_step(std::string_view name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  name.remove_suffix(kSuffix.size());
  std::int64_t step = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step);
  if (error != std::errc() || end != name.data() + name.size() || step < 0 || name.size() < kDigits)
    return std::nullopt;
  return step;
}

TrainingState read_checkpoint_state(const SafetensorsFile& file) {
  expect_format(file, kCheckpointFormat, kFormatVersion);
  const std::string& text = metadata_value(file, "state");
  if (sha256(text) != metadata_value(file, "state_sha256"))
    throw ModelError(file.name() + ": state: its sum is not the one stated; the file is damaged");
  return read_training_state(metadata_json(file, "state"), file.name());
}

CheckpointFolder::CheckpointFolder(std::filesystem::path folder, std::int64_t keep)
    : folder_(std::move(folder)), keep_(keep) {}

void CheckpointFolder::save(const std::map<std::string, TensorView>& tensors, const TrainingState& state) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw IoError(printable(folder_.string(), 1000) + ": cannot make the folder: " + error.message());
  const std::string text = to_text(to_json(state));
  write_safetensors(folder_ / checkpoint_name(state.step), tensors,
                    {{"format", std::string(kCheckpointFormat)},
                     {"format_version", std::to_string(kFormatVersion)},
                     {"state", text},
                     {"state_sha256", sha256(text)}});
  link_best(state);
  try {
    remove_superfluous(state);
  } catch (const IoError& fault) {
    log_warning(fault.what() + std::string("; older checkpoints stay"));
  }
}

std::optional<CheckpointFolder::Loaded> CheckpointFolder::newest() const {
  std::error_code error;
  if (!fs::exists(folder_, error) && !error) return std::nullopt;
  remove_stray_temporaries(folder_);

  std::vector<std::pair<std::int64_t, std::string>> damaged;  // step and fault, newest first
  for (const std::int64_t step : steps_in(folder_)) {
    std::optional<SafetensorsFile> file;
    try {
      file = SafetensorsFile::open(folder_ / checkpoint_name(step));
    } catch (const ModelError& fault) {
      damaged.emplace_back(step, fault.what());
      continue;
    }
    // Intact, but of another format: resuming from an older checkpoint would lose work.
    expect_format(*file, kCheckpointFormat, kFormatVersion);
    std::optional<TrainingState> state;
    try {
      state = state_of(*file, checkpoint_name(step));
    } catch (const ModelError& fault) {
      damaged.emplace_back(step, fault.what());
      continue;
    }
    for (const auto& [lost, reason] : damaged)
      log_warning(reason + "; going on from step " + std::to_string(step) + ", " + counted(lost - step, "step") +
                  " lost");
    return Loaded{std::move(*file), std::move(*state)};
  }
  if (damaged.empty()) return std::nullopt;
  throw ModelError(printable(folder_.string(), 1000) + ": wanted a whole checkpoint, got " +
                   counted(damaged.size(), "damaged checkpoint") + "; the newest: " + damaged.front().second +
                   "; start afresh with --overwrite");
}

bool CheckpointFolder::has_any() const { return !steps_in(folder_).empty(); }

SafetensorsFile CheckpointFolder::open(const std::string& file_name) const {
  std::error_code error;
  if (!fs::exists(folder_ / file_name, error) && !error)
    throw ModelError(printable((folder_ / file_name).string(), 1000) + ": is not there any more");
  SafetensorsFile file = SafetensorsFile::open(folder_ / file_name);
  expect_format(file, kCheckpointFormat, kFormatVersion);
  return file;
}

// The link is for users only; file systems without links do without it.
void CheckpointFolder::link_best(const TrainingState& state) const {
  const fs::path link = folder_ / kBestCheckpoint, best = checkpoint_name(state.best_step);
  std::error_code error;
  if (state.best_step == 0) return;
  if (!fs::exists(folder_ / best, error)) {
    if (fs::is_symlink(link, error)) fs::remove(link, error);
    return;
  }
  if (fs::is_symlink(link, error)) {
    if (fs::read_symlink(link, error) == best) return;
    fs::remove(link, error);
  }
  fs::create_symlink(best, link, error);
}

void CheckpointFolder::remove_superfluous(const TrainingState& state) const {
  std::int64_t kept = 0;
  for (const std::int64_t step : steps_in(folder_)) {
    const std::string name = checkpoint_name(step);
    if (step <= state.step && kept++ < keep_) continue;
    if (step > 0 && step == state.best_step) continue;
    if (std::ranges::find(state.averaged, name) != state.averaged.end()) continue;
    std::error_code error;
    if (!fs::remove(folder_ / name, error) && error)
      log_warning(printable((folder_ / name).string(), 1000) + ": cannot be removed: " + error.message());
  }
}

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
