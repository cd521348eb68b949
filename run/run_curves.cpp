#include "run/run_curves.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "common/config/json.h"
#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/system/descriptor.h"
#include "common/text/printable.h"
#include "run/config/run_files.h"

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

constexpr std::size_t kMaxLineBytes = std::size_t{1} << 29;  // 20 sentences of a large network have 200 MB
constexpr JsonLimits kLineLimits{.values = 32'000'000};
constexpr double kMaxNumber = std::numeric_limits<float>::max();

/// Throws std::invalid_argument unless `holds`. The caller adds the file and the line.
void expect(bool holds, const std::string& wanted) {
  if (!holds) throw std::invalid_argument("wanted " + wanted);
}

std::int64_t step_of(const Json& event) {
  const auto step = event.find("step");
  expect(step != event.end() && step->is_number_integer() && step->get<std::int64_t>() >= 0,
         "a whole number as its step");
  return step->get<std::int64_t>();
}

void expect_numbers(const Json& event, const Columns& columns) {
  for (const auto& [name, key] : columns)
    if (const auto value = event.find(key); value != event.end())
      expect(value->is_number() || value->is_null(), std::string("a number as its ") + key);
}

/// Expects that all arrays of numbers (number_array.h) in the value have as many values as their shapes require.
void expect_arrays(const Json& value) {
  if (value.is_structured())
    for (const auto& child : value) expect_arrays(child);
  if (!value.is_object() || !value.contains("shape") || !value.contains("values")) return;
  const auto &shape = value["shape"], &values = value["values"];
  expect(shape.is_array() && values.is_array(), "an array with a shape and values");
  std::uint64_t count = 1;
  for (const auto& size : shape) {
    expect(size.is_number_unsigned(), "an array whose shape fits its values");
    const auto number = size.get<std::uint64_t>();
    count = number > 0 && count > values.size() / number ? values.size() + 1 : count * number;
  }
  expect(count == values.size(), "an array whose shape fits its values");
  for (const auto& number : values)
    expect(number.is_number() && std::abs(number.get<double>()) <= kMaxNumber, "numbers as values of an array");
}

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

/// Returns the value of a line, or nothing if the line begins as an object but was not written to its end. A process
/// that is killed and a full disk leave such lines.
std::optional<Json> parse_line(const std::string& line) {
  try {
    return parse_json(line, kLineLimits);
  } catch (const std::invalid_argument&) {
    if (!line.starts_with('{')) throw;
    return std::nullopt;
  }
}

/// Calls `take` with each object of a file of one object per line. A last line without a line feed is left out: the run
/// is writing it. Throws DataError with the line if `take` throws std::invalid_argument.
void read_lines(const std::filesystem::path& path, const std::function<void(Json)>& take) {
  const auto file = open_regular_file(path);
  if (!file) throw DataError(printable(path.string()) + ": wanted a regular file, got a folder, a pipe or a device");
  std::vector<char> buffer(std::size_t{1} << 16);
  std::string line;
  std::int64_t number = 1;
  const auto end_line = [&] {
    try {
      if (auto object = parse_line(line)) {
        expect(object->is_object(), "an object");
        take(std::move(*object));
      }
    } catch (const std::invalid_argument& error) {
      throw DataError(printable(path.string()) + ", line " + std::to_string(number) +
                      ": wanted an event of gloss, got " + printable(line, 60) + " (" + error.what() + ")");
    }
    line.clear();
    ++number;
  };
  while (const auto size = read_up_to(file->descriptor, std::as_writable_bytes(std::span(buffer)), path)) {
    for (std::string_view rest(buffer.data(), size); !rest.empty();) {
      const auto end = rest.find('\n');
      line += rest.substr(0, end);
      if (line.size() > kMaxLineBytes)
        throw DataError(printable(path.string()) + ", line " + std::to_string(number) + ": wanted at most " +
                        std::to_string(kMaxLineBytes) + " bytes, got more");
      if (end == rest.npos) break;
      end_line();
      rest.remove_prefix(end + 1);
    }
  }
}

bool is_missing(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::status(path, error).type() == std::filesystem::file_type::not_found;
}

/// Events of a log by step; of repeated steps of a resumed run the last ones.
struct RunLog {
  Events steps, validations;
  bool finished = false;
};

void add_event(Json event, RunLog& log) {
  const auto kind = event.find("event");
  if (kind == event.end()) return;
  expect(kind->is_string(), "a name as its event");
  if (*kind == "model") log.finished = true;
  const bool is_step = *kind == "step";
  if (!is_step && *kind != "validation") return;
  const auto step = step_of(event);
  expect_numbers(event, is_step ? kTraining : kValidation);
  if (const auto samples = event.find("samples"); !is_step && samples != event.end())
    expect(samples->is_array() && std::ranges::all_of(*samples, [](const Json& sample) { return sample.is_object(); }),
           "objects as its samples");
  log.finished = false;
  (is_step ? log.steps : log.validations).insert_or_assign(step, std::move(event));
}

RunLog read_log(const std::filesystem::path& folder) {
  const auto path = RunFiles(folder).log;
  if (is_missing(path))
    throw UsageError("--run: wanted the folder of a run, with a log.jsonl, got " + printable(folder.string()));
  RunLog log;
  read_lines(path, [&](Json event) { add_event(std::move(event), log); });
  return log;
}

/// Returns the items of each step; an empty list if the run has no lens.jsonl.
Json read_lens(const std::filesystem::path& folder) {
  const auto path = RunFiles(folder).lens;
  Events looks;
  if (!is_missing(path))
    read_lines(path, [&](Json look) {
      const auto step = step_of(look);
      const auto items = look.find("items");
      expect(items != look.end() && items->is_array(), "a list of items");
      expect_arrays(*items);
      looks.insert_or_assign(step, std::move(*items));
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
