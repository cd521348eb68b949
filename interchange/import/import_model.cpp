#include "interchange/import/import_model.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/files/safetensors.h"
#include "common/files/same_file.h"
#include "common/files/sha256.h"
#include "common/text/printable.h"
#include "common/version.h"
#include "interchange/formats/huggingface_weights.h"
#include "interchange/formats/packed_file.h"
#include "interchange/formats/settings_file.h"
#include "interchange/import/imported_model.h"
#include "model/model_config.h"
#include "model/storage/model_file.h"
#include "translation/models/translation_model.h"

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

namespace fs = std::filesystem;

bool is_file_of_gloss(const fs::path& path) {
  try {
    return is_of_gloss(SafetensorsFile::open_header(path));
  } catch (const Error&) {
    return false;
  }
}

/// Refuses a model file or a run of gloss, and a folder of Hugging Face without config.json.
void expect_importable_format(const fs::path& path) {
  const bool is_folder = fs::is_directory(path);
  const auto model = model_path(path);
  const auto name = printable(path.string()) + ": ";
  if (model.extension() == ".safetensors" && is_file_of_gloss(model))
    throw UsageError(name + "is " + (is_folder ? "the folder of a run of gloss" : "a file of gloss") +
                     "; the commands of gloss take it as it is");
  if (!is_folder) return;
  const auto has = [&](const char* file) { return fs::exists(path / file); };
  if (has("adapter_config.json")) {
    const auto adapter = read_json_object(path / "adapter_config.json", kMaxSettingsFile);
    throw UsageError(
        name + "is an adapter (LoRA) of the model " +
        printable(value_text(adapter.value("base_model_name_or_path", Json())), 80) +
        "; merge it into the model first (peft: merge_and_unload, then save_pretrained to another folder)");
  }
  if (find_huggingface_weights(path) && !has("config.json"))
    throw UsageError(name + "wanted the folder of a Hugging Face model, found no config.json in it");
}

ModelFamily family_of(const ImportSettings& settings) {
  const auto& path = settings.path;
  if (path.empty() || !fs::exists(path))
    throw UsageError("there is no " + printable(path.string()) +
                     "; name a .npz or .bin file of Marian, the folder of a model, or an Argos package");
  expect_importable_format(path);
  if (settings.from) return *settings.from;
  if (path.extension() == ".argosmodel" || (fs::is_directory(path) && is_ctranslate2(path)))
    return ModelFamily::kCtranslate2;
  if (fs::is_directory(path))
    return fs::exists(path / "config.json") ? ModelFamily::kHuggingFace : ModelFamily::kMarian;
  if (path.extension() == ".npz" || unpacked_path(path).extension() == ".bin") return ModelFamily::kMarian;
  const auto hint = path.extension() == ".zip"           ? "unpack the archive and name its folder"
                    : path.extension() == ".safetensors" ? "name the folder, which also has config.json"
                                                         : "name a .npz or .bin file, or the folder of a model";
  throw UsageError(printable(path.string()) + ": wanted a model of Marian, Hugging Face or CTranslate2; " + hint);
}

ImportedModel open_model(const ImportSettings& settings) {
  const auto family = family_of(settings);
  if (family == ModelFamily::kHuggingFace && !fs::exists(settings.path / "config.json"))
    throw UsageError(printable(settings.path.string()) +
                     ": wanted a folder with config.json, as Hugging Face's "
                     "transformers saves it");
  if (family == ModelFamily::kHuggingFace && !settings.vocabularies.empty())
    throw UsageError("--vocabulary: applies to models of Marian and CTranslate2, got " +
                     printable(settings.path.string()) +
                     ", which is a Hugging Face directory with its own; leave it out");
  if (family == ModelFamily::kCtranslate2 && settings.formulas)
    throw UsageError("--formulas: applies to models of Marian and Hugging Face, got " +
                     printable(settings.path.string()) + ", which states its own; leave it out");
  auto model = family == ModelFamily::kMarian        ? import_marian(settings)
               : family == ModelFamily::kCtranslate2 ? import_ctranslate2(settings)
                                                     : import_huggingface(settings);
  auto& config = model.config;
  auto& report = model.report;
  if (const auto limit = config.model.position_limit()) {
    config.max_length = std::min(config.max_length, *limit);
    config.decoding.max_length = std::min(config.decoding.max_length, *limit);
  }
  for (const auto& file : model.files) report.files.push_back(printable(file.string()));
  report.model = to_json(config.model);
  const auto usual = to_json(DecodingConfig()), search = to_json(config.decoding);
  for (const auto& [key, value] : search.items())
    if (usual.at(key) != value) report.decoding[key] = value;
  if (!report.importable()) return model;
  try {
    config.validate();
  } catch (const UsageError& error) {
    report.refusals.add(error.what());
  }
  return model;
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

ImportReport check_import(const ImportSettings& settings) {
  auto model = open_model(settings);
  auto& report = model.report;
  if (!report.importable()) return std::move(report);
  // The import itself without its file: what it would refuse is refused here.
  for (const auto& [weight, info] : model.weights->network()) try {
      model.weights->convert(weight, false, [](std::int64_t, const StoredWeight&) {});
    } catch (const ModelError& error) {
      report.refusals.add(error.what());
    }
  return std::move(report);
}

ImportReport import_model(const ImportSettings& settings, std::optional<WeightPrecision> given,
                          const fs::path& output) {
  auto model = open_model(settings);
  auto& report = model.report;
  const auto name = printable(settings.path.string());
  if (!report.importable())
    throw ModelError(name + ": cannot be imported: " + report.refusals.text() + "; gloss import --check shows more");
  for (const auto& file : model.files) expect_no_input({"--output", output}, {{"the model to import", file}});
  auto& hashes = model.provenance["files"] = Json::object();
  for (const auto& file : model.files) hashes[printable(file.filename().string())] = sha256_of_file(file);
  model.provenance["formulas"] = family_name(report.formulas);
  const auto& network = model.weights->network();
  const auto precision = given.value_or(report.precision);
  ModelFileWriter file(output, network, precision,
                       {.config = to_json(model.config),
                        .provenance = {{"program", "gloss " + std::string(kVersion)}, {"imported", model.provenance}},
                        .tokenizers = model.tokenizers,
                        .input_scales = model.input_scales,
                        .shortlist = model.shortlist});
  for (const auto& [weight, info] : network)
    model.weights->convert(
        weight, precision == WeightPrecision::kInt8,
        [&, &name = weight](std::int64_t first, const StoredWeight& rows) { file.write(name, first, rows); });
  file.commit();
  return std::move(report);
}

}  // namespace gloss
