#include "training/training_state.h"

#include <array>
#include <set>
#include <utility>

#include "common/error.h"
#include "common/log/log.h"
#include "common/text/printable.h"
#include "training/checkpoint.h"

namespace gloss {
namespace {

constexpr std::array kScores{
    std::pair{"start_loss", &ValidationScores::start_loss}, std::pair{"start_bleu", &ValidationScores::start_bleu},
    std::pair{"best_loss", &ValidationScores::best_loss}, std::pair{"best_bleu", &ValidationScores::best_bleu}};

constexpr std::array kCounts{std::pair{"step", &TrainingState::step},
                             std::pair{"validated_step", &TrainingState::validated_step},
                             std::pair{"best_step", &TrainingState::best_step},
                             std::pair{"validations_without_gain", &TrainingState::validations_without_gain},
                             std::pair{"skipped_updates", &TrainingState::skipped_updates},
                             std::pair{"skipped_in_a_row", &TrainingState::skipped_in_a_row},
                             std::pair{"unreported_tokens", &TrainingState::unreported_tokens}};

}  // namespace

Json to_json(const TrainingState& state) {
  Json json = {
      {"position", {{"epoch", state.position.epoch}, {"batch", state.position.batch}}},
      {"best_score", state.best_score ? Json(*state.best_score) : Json()},
      {"unreported_nll", state.unreported_nll},
      {"seconds", state.seconds},
      {"averaged", state.averaged},
      {"shards", state.shards},
      {"hashes", state.hashes},
  };
  for (const auto& [name, value] : kCounts) json[name] = state.*value;
  if (!state.device.empty()) json["device"] = state.device;
  for (const auto& [name, score] : kScores)
    if (const auto& scored = state.scores.*score)
      json["scores"][name] = {{"value", scored->value}, {"step", scored->step}};
  return json;
}

TrainingState read_training_state(const Json& json, const std::string& file) {
  const auto check = [&](bool holds, const std::string& key, const std::string& expected) {
    if (!holds) throw ModelError(file + ": state: " + key + ": wanted " + expected + "; the file is damaged");
  };
  const auto member = [&](const Json& object, const std::string& key) -> const Json& {
    check(object.is_object() && object.contains(key), key, "a value, got none");
    return object.at(key);
  };
  const auto count = [&](const Json& object, const std::string& key) {
    const Json& value = member(object, key);
    check(value.is_number_integer() && value.get<std::int64_t>() >= 0, key,
          "a whole number from 0 on");  // is below 2^63
    return value.get<std::int64_t>();
  };

  TrainingState state;
  for (const auto& [name, value] : kCounts) state.*value = count(json, name);
  const Json& position = member(json, "position");
  check(position.is_object(), "position", "an object");
  state.position = {count(position, "epoch"), count(position, "batch")};
  const Json& best = member(json, "best_score");
  check(best.is_null() || best.is_number(), "best_score", "a number or null");
  if (best.is_number()) state.best_score = best.get<double>();
  check(member(json, "unreported_nll").is_number(), "unreported_nll", "a number");
  state.unreported_nll = json.at("unreported_nll").get<double>();
  check(member(json, "seconds").is_number() && json.at("seconds") >= 0, "seconds", "a number from 0 on");
  state.seconds = json.at("seconds").get<double>();
  check(member(json, "averaged").is_array(), "averaged", "a list of file names");
  for (const Json& name : json.at("averaged")) {
    check(name.is_string() && checkpoint_step(name.get<std::string>()).has_value(), "averaged", "a list of file names");
    state.averaged.push_back(name.get<std::string>());
  }
  const bool is_old = json.contains("threads") && !json.contains("shards");
  state.shards = is_old ? 0 : count(json, "shards");
  if (json.contains("device")) {
    if (json.at("device").is_string()) state.device = json.at("device").get<std::string>();
    check(!state.device.empty(), "device", "a kind of device");
  }
  if (json.contains("scores"))
    for (const auto& [name, score] : kScores)
      if (json.at("scores").is_object() && json.at("scores").contains(name)) {
        const Json& scored = json.at("scores").at(name);
        check(member(scored, "value").is_number(), name, "a number");
        state.scores.*score = {scored.at("value").get<double>(), count(scored, "step")};
      }
  state.hashes = member(json, "hashes");
  check(state.hashes.is_object(), "hashes", "an object");
  check(json.size() == to_json(state).size(), "keys", "no others than those of this version");
  return state;
}

void warn_of_other_numbers(const TrainingState& saved, const TrainingState& now) {
  if (saved.shards == 0)
    log_warning(
        "the run was saved by an older version of gloss, which did not cut batches into shards: the last bits of "
        "the numbers will differ from those of a run of that version");
  if (!saved.device.empty() && saved.device != now.device)
    log_warning("the run was saved on device " + printable(saved.device) + " and continues with device " + now.device +
                ": dropout draws otherwise, and the numbers will differ");
}

void expect_equal_hashes(const Json& saved, const Json& now) {
  std::set<std::string> different;
  for (const auto& [name, hash] : saved.items())
    if (!now.contains(name) || (!now.at(name).is_null() && now.at(name) != hash)) different.insert(name);
  for (const auto& [name, hash] : now.items())
    if (!saved.contains(name)) different.insert(name);
  if (different.empty()) return;

  std::string names;
  for (const std::string& name : different) names += (names.empty() ? "" : ", ") + name;
  const bool of_texts = different.contains("training corpus") || different.contains("validation set");
  throw UsageError("cannot resume: changed since the checkpoint was saved: " + printable(names) +
                   "; undo the change, or start afresh with --overwrite" +
                   (of_texts ? "; if no text or setting was changed, another version of gloss began the run, which "
                               "encodes texts or chooses held-out pairs otherwise: resume with that version"
                             : ""));
}

}  // namespace gloss
