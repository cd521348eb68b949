#include "serve/api/deepl.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "common/text/letter_case.h"
#include "common/text/utf8.h"
#include "documents/markup/html.h"
#include "serve/api/api_routes.h"
#include "serve/api/detect.h"
#include "serve/api/xml_text.h"
#include "serve/http/api_error.h"
#include "serve/service/text_service.h"

namespace gloss {
namespace {

constexpr std::size_t kMaxTexts = 50;
constexpr std::int64_t kNoLimit = 1'000'000'000'000;  ///< what DeepL answers for a key without a limit

ApiError wrong(std::string_view field, std::string_view wanted) {
  return {400, "Invalid request: " + std::string(field) + ": wanted " + std::string(wanted)};
}

/// Returns one of some values, the first if the field is absent. Numbers may stand for their digits.
std::string choice(const RequestFields& fields, std::string_view name, std::initializer_list<std::string_view> values) {
  const auto* field = fields.find(name);
  if (field == nullptr) return std::string(*values.begin());
  const auto value = field->is_number() ? field->dump() : fields.text(name).value_or("");
  if (std::ranges::find(values, value) != values.end()) return value;
  std::string names;
  for (const auto each : values)
    if (!each.empty()) names.append(names.empty() ? "" : ", ").append(each);
  throw wrong(name, "one of " + names);
}

/// Returns the names of tags: a list, texts with commas between names, or both.
std::vector<std::string> tags(const RequestFields& fields, std::string_view name) {
  std::vector<std::string> names;
  for (const auto& text : fields.texts(name)) std::ranges::move(comma_list(text), std::back_inserter(names));
  return names;
}

/// Sets how a job reads texts.
void set_reader(const RequestFields& fields, TextJob& job) {
  const auto tag_handling = choice(fields, "tag_handling", {"", "xml", "html"});
  const auto split = choice(fields, "split_sentences", {"", "0", "1", "nonewlines"});
  const bool is_wrapped = split == "nonewlines" || (split.empty() && tag_handling == "html");
  job.mode = is_wrapped ? SentenceMode::kWrapped : split == "0" ? SentenceMode::kLine : SentenceMode::kParagraph;
  auto ignored = tags(fields, "ignore_tags");
  if (tag_handling == "xml")
    job.read = [rules = XmlTextRules{.mode = job.mode,
                                     .splitting = tags(fields, "splitting_tags"),
                                     .non_splitting = tags(fields, "non_splitting_tags"),
                                     .ignored = std::move(ignored),
                                     .finds_outline = fields.flag("outline_detection", true)}](
                   std::string text, const auto&) { return read_tagged_text(std::move(text), rules); };
  if (tag_handling != "html") return;
  for (auto& tag : ignored) tag = lower_ascii(tag);
  job.read = [mode = job.mode, ignored = std::move(ignored)](std::string text, DocumentOptions options) {
    options.kept_elements = ignored;
    auto passage = read_html(std::move(text), options);
    for (auto& unit : passage.units)
      if (unit.mode == SentenceMode::kWrapped) unit.mode = mode;
    return passage;
  };
}

}  // namespace

bool is_for_deepl(const HttpRequest& request) {
  return request.path.starts_with("/v2/") || request.path.starts_with("/v3/");
}

void expect_possible_fields(const RequestFields& fields) {
  const auto formality =
      choice(fields, "formality", {"default", "prefer_more", "prefer_less", "more", "less", "formal", "informal"});
  if (formality != "default" && !formality.starts_with("prefer_"))
    throw wrong("formality", "default, prefer_more or prefer_less, because no model here has another one");
  for (const std::string_view name : {"style_id", "translation_memory_id", "custom_instructions"})
    if (const auto* field = fields.find(name); field != nullptr && !field->empty())
      throw wrong(name, "none, because this server has nothing of the kind");
  choice(fields, "model_type", {"", "quality_optimized", "prefer_quality_optimized", "latency_optimized"});
  choice(fields, "tag_handling_version", {"", "v1", "v2"});
  fields.flag("preserve_formatting", false);
}

void deepl_translate(ApiCall& call) {
  const auto& fields = call.fields();
  const auto& models = *call.context().models;
  TextJob job{.texts = fields.texts("text")};
  const auto& texts = job.texts;
  if (!fields.has("text")) throw ApiError(400, "Invalid request: missing text parameter");
  if (texts.empty()) throw wrong("text", "at least one text");
  if (texts.size() > kMaxTexts)
    throw wrong("text", "at most " + std::to_string(kMaxTexts) + " texts, got " + std::to_string(texts.size()));
  call.expect_within_limits(texts, "text");
  const auto target_lang = fields.text("target_lang").value_or("");
  if (target_lang.empty()) throw wrong("target_lang", "a language");
  const auto source_lang = fields.text("source_lang").value_or("");
  expect_possible_fields(fields);
  set_reader(fields, job);
  job.glossary = deepl_glossary(call, source_lang, target_lang);
  call.attach(job);
  const auto source = source_lang.empty() ? "" : served_source(models, source_lang);
  const auto [answers, sources, hashes] = translate_by_source(call, job, source, served_target(models, target_lang));

  std::vector<Json> translations;
  const bool shows_billed = fields.flag("show_billed_characters", false);
  const auto model_type = fields.text("model_type").value_or("");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    translations.push_back(
        {{"detected_source_language", in_capitals(primary_language(sources[i].code))}, {"text", answers[i].text}});
    if (!fields.text("tag_handling").value_or("").empty())
      translations[i]["tag_handling_version"] = fields.text("tag_handling_version").value_or("v1");
    if (shows_billed) translations[i]["billed_characters"] = count_code_points(texts[i]);
    if (!model_type.empty())
      translations[i]["model_type_used"] = model_type.starts_with("prefer_") ? model_type.substr(7) : model_type;
  }
  call.respond({{"translations", translations}}, {{"Gloss-Model", hashes}});
}

void deepl_usage(ApiCall& call) {
  const auto* const key = call.key();
  call.respond({{"character_count", call.context().use.of(call.owner())},
                {"character_limit", key == nullptr || key->characters == 0 ? kNoLimit : key->characters}});
}

}  // namespace gloss
