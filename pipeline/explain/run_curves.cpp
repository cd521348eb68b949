#include "pipeline/explain/run_curves.h"

#include <cstdint>
#include <fstream>
#include <functional>
#include <istream>
#include <map>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/descriptor.h"
#include "common/text/printable.h"
#include "pipeline/config/run_files.h"

namespace gloss {
namespace {

/// Names in the document and in the events of the log.
using Columns = std::vector<std::pair<const char*, const char*>>;
const Columns kTraining{{"time", "time"},
                        {"epoch", "epoch"},
                        {"loss", "loss"},
                        {"perplexity", "perplexity"},
                        {"learning_rate", "learning_rate"},
                        {"gradient_norm", "gradient_norm"},
                        {"speed", "target_tokens_per_second"}};
const Columns kValidation{{"time", "time"}, {"loss", "loss"}, {"perplexity", "perplexity"}, {"bleu", "greedy_bleu"}};

using Events = std::map<std::int64_t, Json>;  // by step

/// Returns the columns of events, each an array of numbers, and the steps.
Json table_of(const Events& events, const Columns& columns) {
  Json table{{"step", Json::array()}};
  for (const auto& [name, key] : columns) table[name] = Json::array();
  for (const auto& [step, event] : events) {
    table["step"].push_back(step);
    for (const auto& [name, key] : columns) table[name].push_back(event.value(key, Json()));
  }
  return table;
}

Json samples_of(const Events& validations) {
  Json result = Json::array();
  for (const auto& [step, event] : validations) {
    for (auto sample : event.value("samples", Json::array())) {
      sample["step"] = step;
      result.push_back(std::move(sample));
    }
  }
  return result;
}

/// Returns the object of a line, or null if the line begins as an object but was not written to its end. A process that
/// is killed and a full disk leave such lines.
Json parse_line(const std::string& line) {
  try {
    return parse_json(line);
  } catch (const std::invalid_argument&) {
    if (!line.starts_with('{')) throw;
    return nullptr;
  }
}

/// Calls `take` with each object of a file of one object per line.
void read_lines(const std::filesystem::path& path, std::istream& file, const std::function<void(Json)>& take) {
  std::string line;
  for (std::int64_t number = 1; std::getline(file, line); ++number) {
    if (file.eof()) break;  // without a line feed: the run is writing it
    try {
      if (auto object = parse_line(line); !object.is_null()) take(std::move(object));
    } catch (const std::exception& error) {
      throw DataError(printable(path.string()) + ", line " + std::to_string(number) +
                      ": wanted an event of gloss, got " + printable(line.substr(0, 60)) + " (" + error.what() + ")");
    }
  }
  if (file.bad()) throw IoError(printable(path.string()) + ": cannot be read");
}

/// Events of a log by step; of repeated steps of a resumed run the last ones.
struct RunLog {
  Events steps, validations;
  bool finished = false;
};

void add_event(Json event, RunLog& log) {
  const auto kind = event.value("event", "");
  if (kind == "model") log.finished = true;
  if (kind != "step" && kind != "validation") return;
  const auto step = event.at("step").get<std::int64_t>();
  auto& events = kind == "step" ? log.steps : log.validations;
  log.finished = false;
  events.insert_or_assign(step, std::move(event));
}

RunLog read_log(const std::filesystem::path& folder) {
  const auto path = RunFiles(folder).log;
  std::ifstream file(path);
  if (!file) throw UsageError("--run: wanted the folder of a run, with a log.jsonl, got " + printable(folder.string()));
  RunLog log;
  read_lines(path, file, [&](Json event) { add_event(std::move(event), log); });
  return log;
}

/// Returns the items of each step; an empty list if the run has no lens.jsonl.
Json read_lens(const std::filesystem::path& folder) {
  const auto path = RunFiles(folder).lens;
  std::ifstream file(path);
  std::error_code error;
  if (!file && std::filesystem::exists(path, error)) throw_io_error(path, "open");
  Events looks;
  if (file)
    read_lines(path, file, [&](Json look) {
      const auto step = look.at("step").get<std::int64_t>();
      looks.insert_or_assign(step, std::move(look.at("items")));
    });
  Json lens = Json::array();
  for (auto& [step, items] : looks) lens.push_back({{"step", step}, {"items", std::move(items)}});
  return lens;
}

/// Returns the settings of a run by dotted keys, without the names of its files; empty if they cannot be read.
Json read_settings(const std::filesystem::path& folder) {
  constexpr std::size_t kMaxBytes = 1 << 20;
  Json settings = Json::object();
  try {
    const auto config = parse_json(read_file(RunFiles(folder).config, kMaxBytes));
    const std::function<void(const Json&, const std::string&)> add = [&](const Json& section, const std::string& name) {
      for (const auto& [key, value] : section.items())
        if (value.is_object())
          add(value, name + key + '.');
        else
          settings[name + key] = value;
    };
    if (config.is_object()) add(config, "");
  } catch (const std::exception&) {
    return Json::object();
  }
  return settings;
}

}  // namespace

Json run_curves(std::span<const std::filesystem::path> folders) {
  Json result{{"format", "gloss.run"}, {"version", 1}, {"runs", Json::array()}};
  for (const auto& folder : folders) {
    const auto log = read_log(folder);
    result["runs"].push_back({{"name", folder.string()},
                              {"finished", log.finished},
                              {"settings", read_settings(folder)},
                              {"training", table_of(log.steps, kTraining)},
                              {"validation", table_of(log.validations, kValidation)},
                              {"samples", samples_of(log.validations)},
                              {"lens", read_lens(folder)}});
  }
  return result;
}

}  // namespace gloss
