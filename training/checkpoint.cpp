#include "training/checkpoint.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "common/atomic_file.h"
#include "common/config_section.h"
#include "common/error.h"
#include "common/log.h"
#include "common/sha256.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFormat = "gloss-checkpoint";
constexpr std::string_view kVersion = "1";
constexpr std::string_view kPrefix = "step-";
constexpr std::string_view kSuffix = ".safetensors";
constexpr std::size_t kDigits = 8;

std::optional<std::int64_t> step_of(std::string_view name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  name.remove_suffix(kSuffix.size());
  std::int64_t step = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step);
  if (error != std::errc() || end != name.data() + name.size() || step < 0 || name.size() < kDigits)
    return std::nullopt;
  return step;
}

// Steps of the checkpoints in the folder, the newest first.
std::vector<std::int64_t> steps_in(const fs::path& folder) {
  std::vector<std::int64_t> steps;
  std::error_code error;
  if (!fs::exists(folder, error) && !error) return steps;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error))
    if (const auto step = step_of(entry->path().filename().string())) steps.push_back(*step);
  if (error) throw IoError(printable(folder.string(), 1000) + ": cannot list the folder: " + error.message());
  std::ranges::sort(steps, std::greater());
  return steps;
}

const std::string& metadata_value(const SafetensorsFile& file, const std::string& key) {
  const auto found = file.metadata().find(key);
  if (found == file.metadata().end())
    throw ModelError(file.name() + ": wanted a checkpoint, got a file without \"" + key + "\" in its metadata");
  return found->second;
}

void check_format(const SafetensorsFile& file) {
  const std::string& format = metadata_value(file, "format");
  if (format != kFormat)
    throw ModelError(file.name() + ": wanted format " + std::string(kFormat) + ", got " + printable(format));
  const std::string& version = metadata_value(file, "format_version");
  if (version != kVersion)
    throw ModelError(file.name() + ": wanted format version " + std::string(kVersion) + ", got " + printable(version) +
                     "; use the gloss that wrote it");
  metadata_value(file, "sha256");  // without it nothing would have been compared
}

TrainingState state_of(const SafetensorsFile& file, const std::string& file_name) {
  const std::string& text = metadata_value(file, "state");
  if (sha256(text) != metadata_value(file, "state_sha256"))
    throw ModelError(file.name() + ": state: its sum is not the one stated; the file is damaged");
  Json json;
  try {
    json = parse_json(text);
  } catch (const std::invalid_argument& fault) {
    throw ModelError(file.name() + ": state: " + fault.what());
  }
  TrainingState state = read_training_state(json, file.name());
  if (step_of(file_name) != state.step)
    throw ModelError(file.name() + ": wanted the step of its name, got step " + std::to_string(state.step));
  return state;
}

}  // namespace

Json to_json(const TrainingState& state) {
  return {
      {"step", state.step},
      {"position", {{"epoch", state.position.epoch}, {"batch", state.position.batch}}},
      {"validated_step", state.validated_step},
      {"best_score", state.best_score ? Json(*state.best_score) : Json()},
      {"validations_without_gain", state.validations_without_gain},
      {"skipped_updates", state.skipped_updates},
      {"skipped_in_a_row", state.skipped_in_a_row},
      {"unreported_nll", state.unreported_nll},
      {"unreported_tokens", state.unreported_tokens},
      {"averaged", state.averaged},
      {"threads", state.threads},
      {"hashes", state.hashes},
  };
}

TrainingState read_training_state(const Json& json, const std::string& file) {
  const auto check = [&](bool holds, const std::string& key, const std::string& wanted) {
    if (!holds) throw ModelError(file + ": state: " + key + ": wanted " + wanted + "; the file is damaged");
  };
  const auto member = [&](const Json& object, const std::string& key) -> const Json& {
    check(object.is_object() && object.contains(key), key, "a value, got none");
    return object.at(key);
  };
  const auto count = [&](const Json& object, const std::string& key) {
    const Json& value = member(object, key);
    check(value.is_number_integer() && value.get<std::int64_t>() >= 0, key, "a whole number from 0 on");  // below 2^63
    return value.get<std::int64_t>();
  };

  TrainingState state;
  state.step = count(json, "step");
  const Json& position = member(json, "position");
  check(position.is_object(), "position", "an object");
  state.position = {count(position, "epoch"), count(position, "batch")};
  state.validated_step = count(json, "validated_step");
  const Json& best = member(json, "best_score");
  check(best.is_null() || best.is_number(), "best_score", "a number or null");
  if (best.is_number()) state.best_score = best.get<double>();
  state.validations_without_gain = count(json, "validations_without_gain");
  state.skipped_updates = count(json, "skipped_updates");
  state.skipped_in_a_row = count(json, "skipped_in_a_row");
  check(member(json, "unreported_nll").is_number(), "unreported_nll", "a number");
  state.unreported_nll = json.at("unreported_nll").get<double>();
  state.unreported_tokens = count(json, "unreported_tokens");
  check(member(json, "averaged").is_array(), "averaged", "a list of file names");
  for (const Json& name : json.at("averaged")) {
    check(name.is_string() && step_of(name.get<std::string>()).has_value(), "averaged", "a list of file names");
    state.averaged.push_back(name.get<std::string>());
  }
  state.threads = count(json, "threads");
  state.hashes = member(json, "hashes");
  check(state.hashes.is_object(), "hashes", "an object");
  check(json.size() == to_json(state).size(), "keys", "those of version " + std::string(kVersion));
  return state;
}

CheckpointFolder::CheckpointFolder(std::filesystem::path folder, std::int64_t keep)
    : folder_(std::move(folder)), keep_(keep) {}

std::string CheckpointFolder::file_name(std::int64_t step) {
  const std::string digits = std::to_string(step);
  const std::string zeros(kDigits - std::min(kDigits, digits.size()), '0');
  return std::string(kPrefix) + zeros + digits + std::string(kSuffix);
}

void CheckpointFolder::save(const std::map<std::string, TensorView>& tensors, const TrainingState& state) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw IoError(printable(folder_.string(), 1000) + ": cannot make the folder: " + error.message());
  const std::string text = to_text(to_json(state));
  write_safetensors(folder_ / file_name(state.step), tensors,
                    {{"format", std::string(kFormat)},
                     {"format_version", std::string(kVersion)},
                     {"state", text},
                     {"state_sha256", sha256(text)}});
  remove_superfluous(state);
}

std::optional<CheckpointFolder::Loaded> CheckpointFolder::newest() const {
  std::error_code error;
  if (!fs::exists(folder_, error) && !error) return std::nullopt;
  remove_stray_temporaries(folder_);

  std::vector<std::pair<std::int64_t, std::string>> damaged;  // step and what is wrong, the newest first
  for (const std::int64_t step : steps_in(folder_)) {
    std::optional<SafetensorsFile> file;
    try {
      file = SafetensorsFile::open(folder_ / file_name(step));
    } catch (const ModelError& fault) {
      damaged.emplace_back(step, fault.what());
      continue;
    }
    check_format(*file);  // whole, but of another format: going back behind it would lose work that is not damaged
    std::optional<TrainingState> state;
    try {
      state = state_of(*file, file_name(step));
    } catch (const ModelError& fault) {
      damaged.emplace_back(step, fault.what());
      continue;
    }
    for (const auto& [lost, reason] : damaged)
      log_warning(reason + "; going on from step " + std::to_string(step) + ", " + std::to_string(lost - step) +
                  " steps are lost");
    return Loaded{std::move(*file), std::move(*state)};
  }
  if (damaged.empty()) return std::nullopt;
  throw ModelError(printable(folder_.string(), 1000) + ": none of the " + std::to_string(damaged.size()) +
                   " checkpoints is whole; the newest: " + damaged.front().second + "; start afresh with --overwrite");
}

SafetensorsFile CheckpointFolder::open(const std::string& file_name) const {
  SafetensorsFile file = SafetensorsFile::open(folder_ / file_name);
  check_format(file);
  return file;
}

void CheckpointFolder::remove_superfluous(const TrainingState& state) const {
  std::int64_t kept = 0;
  for (const std::int64_t step : steps_in(folder_)) {
    const std::string name = file_name(step);
    if (step <= state.step && kept++ < keep_) continue;
    if (std::ranges::find(state.averaged, name) != state.averaged.end()) continue;
    std::error_code error;
    if (!fs::remove(folder_ / name, error) && error)
      log_warning(printable((folder_ / name).string(), 1000) + ": cannot be removed: " + error.message());
  }
}

}  // namespace gloss
