#include "interchange/import/import_report.h"

#include <algorithm>

#include "common/text/printable.h"
#include "model/model_config.h"

namespace gloss {
namespace {

Json to_json(const FoundTensor& tensor) {
  Json json = {{"weight", tensor.weight}, {"tensor", tensor.tensor.empty() ? Json() : Json(tensor.tensor)}};
  if (tensor.tensor.empty()) return json;
  json["type"] = tensor.type;
  json["shape"] = tensor.shape;
  return json;
}

Json to_json(const FoundTokenizer& tokenizer) {
  return {{"name", tokenizer.name},
          {"sentencepiece", tokenizer.sentencepiece},
          {"vocabulary", tokenizer.vocabulary},
          {"pieces", tokenizer.pieces},
          {"unknown_pieces", tokenizer.unknown_pieces},
          {"normalizer", tokenizer.normalizer},
          {"languages", tokenizer.languages}};
}

template <typename Items>
Json list_of(const Items& items) {
  auto list = Json::array();
  for (const auto& item : items) list.push_back(to_json(item));
  return list;
}

std::string line(const std::string& label, const std::string& text) {
  return label + ": " + printable(text, std::string::npos) + '\n';
}

/// Returns the sizes and the keys whose values are not the defaults: "heads 4, norm post".
std::string network_text(const Json& model) {
  const auto defaults = to_json(ModelConfig());
  std::string text;
  for (const auto& [key, value] : model.items()) {
    const bool is_size = value.is_number_integer() && key != "max_positions" && key != "first_position";
    if (!is_size && defaults.contains(key) && defaults[key] == value) continue;
    text += (text.empty() ? "" : ", ") + key + ' ' + value_text(value);
  }
  return text;
}

std::string tokenizer_text(const FoundTokenizer& tokenizer) {
  auto text = tokenizer.name + " of " + tokenizer.sentencepiece;
  if (tokenizer.vocabulary != tokenizer.sentencepiece) text += " with " + tokenizer.vocabulary;
  text += ", " + std::to_string(tokenizer.pieces) + " pieces";
  if (!tokenizer.normalizer.empty()) text += ", normalizer " + tokenizer.normalizer;
  if (!tokenizer.languages.empty()) text += ", language tags:";
  for (const auto& language : tokenizer.languages) text += ' ' + language;
  return text;
}

}  // namespace

std::string shown_list(const std::vector<std::string>& texts) {
  std::string list;
  for (std::size_t i = 0; i < std::min(kMaxShown, texts.size()); ++i) list.append(i == 0 ? "" : ", ").append(texts[i]);
  if (texts.size() > kMaxShown) list += " and " + std::to_string(texts.size() - kMaxShown) + " others";
  return list;
}

Json to_json(const ImportReport& report) {
  return {{"format", report.format},
          {"files", report.files},
          {"formulas", family_name(report.formulas)},
          {"importable", report.importable()},
          {"model", report.model},
          {"decoding", report.decoding},
          {"tokenizers", list_of(report.tokenizers)},
          {"tensors",
           {{"found", list_of(report.found)},
            {"missing", report.missing},
            {"unknown", report.unknown},
            {"ignored", report.ignored}}},
          {"notes", report.notes},
          {"refusals", report.refusals.reasons()}};
}

std::string to_lines(const ImportReport& report) {
  auto lines = line("format", report.format);
  for (const auto& file : report.files) lines += line("file", file);
  lines += line("formulas", std::string(family_name(report.formulas)));
  if (!report.model.empty()) lines += line("network", network_text(report.model));
  for (const auto& tokenizer : report.tokenizers) lines += line("tokenizer", tokenizer_text(tokenizer));
  const auto count = [](const auto& list) { return std::to_string(list.size()); };
  const auto made = std::ranges::count_if(report.found, [](const auto& found) { return found.tensor.empty(); });
  lines += line("weights", std::to_string(std::ssize(report.found) - made) + " found, " + count(report.missing) +
                               " missing, " + std::to_string(made) + " that the formulas give; of the file's tensors " +
                               count(report.unknown) + " unknown, " + count(report.ignored) + " not used");
  for (const auto& name : report.missing) lines += line("missing", name);
  for (const auto& name : report.unknown) lines += line("unknown", name);
  for (const auto& note : report.notes) lines += line("note", note);
  for (const auto& reason : report.refusals.reasons()) lines += line("refused", reason);
  const auto reasons = report.refusals.reasons().size();
  return lines + (reasons == 0 ? "can be imported\n"
                               : "cannot be imported, for " + std::to_string(reasons) +
                                     (reasons == 1 ? " reason\n" : " reasons\n"));
}

}  // namespace gloss
