#include "app/output/inspect_text.h"

#include <algorithm>
#include <initializer_list>

#include "app/output/text_layout.h"
#include "common/config/setting.h"
#include "common/text/format.h"
#include "common/text/printable.h"

namespace gloss {
namespace {

constexpr const char* kUnknown = "not recorded";

/// Returns "before 12 after", or an empty text if the value is no number.
std::string with_number(const std::string& before, const Json& value, const std::string& after) {
  if (value.is_number_integer()) return before + value.dump() + after;
  if (value.is_number()) return before + number_text(value.get<double>()) + after;
  return {};
}

/// Returns the non-empty ones, separated by commas.
std::string joined(std::initializer_list<std::string> parts) {
  std::string text;
  for (const auto& part : parts)
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string summary_line(const std::string& label, const std::string& text) {
  constexpr std::size_t kWidth = 11;
  return labeled_line(label, text.empty() ? kUnknown : text, kWidth);
}

bool is_recurrent(const Json& description) { return value_at(description, "config.model.architecture") == "recurrent"; }

std::string kind_text(const Json& description, std::uintmax_t bytes) {
  const auto size = bytes_text(bytes);
  const auto precision = value_at(description, "precision");
  if (!precision.is_string()) return "checkpoint of a training run, " + size;
  const std::string network = is_recurrent(description) ? "recurrent encoder-decoder" : "encoder-decoder Transformer";
  return network + " that translates, " + precision.get<std::string>() + " matrices, " + size;
}

std::string languages_text(const Json& description) {
  const auto source = value_at(description, "config.data.source_language");
  const auto target = value_at(description, "config.data.target_language");
  const auto text = [](const Json& language) {
    const auto name = language.is_string() ? language.get<std::string>() : "";
    return name.empty() ? "unknown" : printable(name);
  };
  const bool unknown = text(source) == "unknown" && text(target) == "unknown";
  const auto tags = value_at(description, "languages");
  return joined({unknown ? "" : text(source) + " to " + text(target),
                 tags.is_array() ? "tags of " + std::to_string(tags.size()) + " languages" : ""});
}

std::string size_text(const Json& description) {
  const auto model = [&](const char* key) { return value_at(description, std::string("config.model.") + key); };
  const auto source = value_at(description, "vocabulary.source");
  const auto target = value_at(description, "vocabulary.target");
  return joined(
      {with_number("parameters ", value_at(description, "parameters"), ""),
       with_number("encoder layers ", model("encoder_layers"), ""),
       with_number("decoder layers ", model("decoder_layers"), ""), with_number("d_model ", model("d_model"), ""),
       is_recurrent(description) ? "" : with_number("d_ff ", model("d_ff"), ""),
       with_number("heads ", model("heads"), ""),
       source == target
           ? with_number("vocabulary ", source, "")
           : joined({with_number("source vocabulary ", source, ""), with_number("target vocabulary ", target, "")})});
}

std::string training_text(const Json& description) {
  const auto provenance = [&](const char* key) { return value_at(description, std::string("provenance.") + key); };
  const auto averaged = provenance("averaged");
  return joined({with_number("steps ", value_at(description, "state.step"), ""),
                 with_number("steps ", provenance("steps"), ""), with_number("epochs ", provenance("epochs"), ""),
                 with_number("sentence pairs ", provenance("training_pairs"), ""),
                 averaged.is_array() ? "mean of " + counted(averaged.size(), "file") : ""});
}

std::string scores_text(const Json& description) {
  const auto score = [&](const char* part, const char* key) {
    return value_at(description, std::string("provenance.") + part + "." + key);
  };
  return joined({with_number("test BLEU ", score("test", "bleu"), ""),
                 with_number("validation BLEU ", score("validation", "greedy_bleu"), " (greedy)"),
                 with_number("validation perplexity ", score("validation", "perplexity"), "")});
}

/// Returns the names as "de, en, fr".
std::string listed(const Json& names) {
  std::string text;
  for (const auto& name : names) text.append(text.empty() ? "" : ", ").append(printable(name.get<std::string>()));
  return text;
}

std::string row(const std::string& name, std::int64_t parameters) {
  const auto number = std::to_string(parameters);
  const auto fill = [](std::size_t width, std::size_t used) { return std::string(width - std::min(width, used), ' '); };
  return "  " + name + fill(50, name.size()) + ' ' + fill(14, number.size()) + number + '\n';
}

}  // namespace

std::string summary_lines(const Json& description, std::uintmax_t bytes) {
  return summary_line("file:", kind_text(description, bytes)) +
         summary_line("languages:", languages_text(description)) + summary_line("size:", size_text(description)) +
         summary_line("training:", training_text(description)) + summary_line("scores:", scores_text(description));
}

std::string description_lines(const Json& description) {
  std::string lines = "format: " + description.at("format").get<std::string>() + '\n';
  if (description.contains("precision"))
    lines += "precision of the matrices: " + description.at("precision").get<std::string>() + '\n';
  if (description.contains("shortlist"))
    lines += "shortlist: " + with_number("", value_at(description, "shortlist.tokens"), " tokens of source tokens, ") +
             with_number("", value_at(description, "shortlist.always"), " of every sentence") + '\n';
  if (description.contains("input_scales"))
    lines += with_number("matrices with a scale of their inputs: ", description.at("input_scales"), "\n");
  for (const auto* part : {"config", "provenance", "vocabulary", "state"})
    if (description.contains(part)) lines += std::string(part) + ": " + to_pretty_text(description.at(part));
  if (description.contains("languages")) lines += "languages with a tag: " + listed(description.at("languages")) + '\n';
  if (description.contains("moving_mean"))
    lines += std::string("moving mean of the weights: ") + (description.at("moving_mean") ? "yes" : "no") + '\n';
  lines += "modules and their parameters:\n";
  for (const auto& module : description.at("modules")) lines += row(module.at("name"), module.at("parameters"));
  return lines + row("all", description.at("parameters"));
}

}  // namespace gloss
