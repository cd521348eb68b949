#include "run/config/start_model.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "common/error.h"
#include "common/files/safetensors.h"
#include "common/text/printable.h"
#include "model/storage/model_file.h"
#include "run/config/run_files.h"
#include "training/checkpoint.h"
#include "translation/models/translation_model.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

// Keys of dropout. The model gives their values only if the run file sets none of them: the last two follow the first.
constexpr std::array kDropouts{"dropout", "attention_dropout", "feed_forward_dropout"};

SafetensorsFile open_with(SafetensorsFile (*open)(const fs::path&), const std::string& path) {
  const auto file = model_path(path);
  expect_named_file("training.start_from", file);
  warn_of_earlier_model(file);
  auto opened = open(file);
  if (format_of(opened) == kCheckpointFormat)
    throw ModelError(opened.name() + ": training.start_from names a checkpoint; wanted a model file, which gloss " +
                     "average FILE --output MODEL makes of it");
  expect_format(opened, kModelFormat, kModelFormatVersion);
  return opened;
}

}  // namespace

SafetensorsFile open_start_model(const std::string& path) { return open_with(&SafetensorsFile::open, path); }

RunConfig config_of_start_model(const SafetensorsFile& start_model) {
  try {
    return parse_run_config(metadata_json(start_model, "config"));
  } catch (const UsageError& error) {
    throw ModelError(start_model.name() + ": config: " + error.what());
  }
}

RunConfig config_of_start_model(const std::string& path) {
  return config_of_start_model(open_with(&SafetensorsFile::open_header, path));
}

void complete_from(const RunConfig& start, Json& run_file) {
  auto there = to_json(start);
  there["tokenizer"].erase("model_file");  // compared by its contents (initial_weights.cpp)
  if (!start.model.position_limit()) there["model"].erase("max_positions");
  there["model"]["d_ff_decoder"] = start.model.decoder_d_ff();  // not written if it is d_ff

  std::string differences;
  const auto complete = [&](const char* section, bool must_agree) {
    auto& here = run_file[section];
    if (here.is_null()) here = Json::object();
    if (!here.is_object()) return;  // parse_run_config reports the error
    for (const auto& [key, value] : there[section].items()) {
      if (!here.contains(key))
        here[key] = value;
      else if (must_agree && here[key] != value)
        differences += (differences.empty() ? "" : ", ") + std::string(section) + '.' + key + " is " + to_text(value) +
                       " there and " + printable(to_text(here[key]), 80) + " here";
    }
  };
  auto& model = run_file["model"];
  const auto is_set = [&](const char* key) { return model.is_object() && model.contains(key); };
  if (std::ranges::any_of(kDropouts, is_set))
    for (const auto* key : kDropouts) there["model"].erase(key);
  complete("model", true);
  complete("tokenizer", true);
  complete("decoding", false);
  complete("evaluation", false);
  if (!differences.empty())
    throw UsageError("training.start_from: " + differences +
                     "; remove these keys from the run file, or start from another model");
}

std::string warn_of_direction(const RunConfig& start, const DataConfig& data) {
  const auto &from = start.data.source_language, &to = start.data.target_language;
  if (from.empty() || to.empty() || from == to || from != data.target_language || to != data.source_language) return {};
  return "training.start_from: the model translates from " + from + " to " + to + ", this run trains from " +
         data.source_language + " to " + data.target_language + "; are the texts swapped?";
}

}  // namespace gloss
