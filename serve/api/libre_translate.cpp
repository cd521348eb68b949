#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"
#include "serve/api/api_routes.h"
#include "serve/api/detect.h"
#include "serve/http/api_error.h"
#include "serve/service/language_names.h"
#include "serve/service/text_service.h"

namespace gloss {
namespace {

constexpr std::string_view kEventStream = "text/event-stream";

/// Returns whether a client asks for server-sent events (field Accept).
bool wants_events(const HttpRequest& request) {
  return request.header("accept").find(kEventStream) != std::string_view::npos;
}

/// Returns an event (WHATWG HTML, section 9.2) whose data is JSON in one line.
std::string event(std::string_view name, const Json& data) {
  return std::string("event: ").append(name).append("\ndata: ").append(to_text(data)).append("\n\n");
}

/// Reads the texts of a request, which are not empty. Throws LibreTranslate's errors.
std::vector<std::string> read_texts(ApiCall& call) {
  auto texts = call.fields().texts("q");
  if (texts.empty() || (!call.fields().is_list("q") && texts.front().empty()))
    throw ApiError(400, "Invalid request: missing q parameter");
  call.expect_within_limits(texts, {});
  return texts;
}

/// Reads {"phrase": "translation"}; a form has it as text.
std::vector<std::pair<std::string, std::string>> read_glossary(const RequestFields& fields) {
  std::vector<std::pair<std::string, std::string>> entries;
  const auto* field = fields.find("glossary");
  if (field == nullptr) return entries;
  const auto glossary = field->is_string() ? Json::parse(field->get_ref<const std::string&>(), nullptr, false) : *field;
  if (!glossary.is_object() || glossary.size() > GlossaryStore::kMaxEntries)
    throw ApiError(400, "Invalid request: glossary: wanted an object of phrases and their translations");
  for (const auto& [source, target] : glossary.items()) {
    if (!target.is_string()) throw ApiError(400, "Invalid request: glossary: wanted texts");
    entries.emplace_back(source, target.get<std::string>());
  }
  return entries;
}

/// Streams the sentences of a text; `source` empty: its language is detected.
void stream(ApiCall& call, const TextJob& job, const std::string& source, const std::string& target) {
  const auto& models = *call.context().models;
  const auto language = source.empty() ? detect(models, call.context().config.settings, job.texts.front(), target)
                                       : DetectedLanguage{source};
  const auto route = call.route(language.code, target);
  call.use_characters(job.texts);
  auto& exchange = call.exchange();
  bool begun = false;
  std::int64_t index = 0;
  const auto begin = [&] {
    if (std::exchange(begun, true)) return;
    exchange.begin_stream({.content_type = std::string(kEventStream),
                           .headers = {{"Cache-Control", "no-store"},
                                       {"X-Accel-Buffering", "no"},  // nginx passes on each sentence at once
                                       {"Gloss-Model", model_hashes(route)}}});
  };
  try {
    const auto send = [&](const StreamedSentence& sentence) {
      begin();
      exchange.send_part(event("sentence", {{"index", index++},
                                            {"before", sentence.before},
                                            {"source", sentence.source},
                                            {"text", sentence.text},
                                            {"confidence", sentence.confidence}}));
    };
    const auto text = stream_text(route, job, send);
    begin();
    Json done{{"after", text.after}, {"translatedText", text.whole}};
    if (source.empty()) done["detectedLanguage"] = to_json(language);
    exchange.send_part(event("done", done));
    call.succeed();
  } catch (const ApiError& error) {
    if (!begun) throw;
    exchange.send_part(event("error", {{"error", error.what()}, {"status", error.status}}));
  }
  exchange.end_stream();
}

}  // namespace

void libre_translate(ApiCall& call) {
  const auto& fields = call.fields();
  TextJob job{.texts = read_texts(call), .glossary = read_glossary(fields)};
  const auto source = fields.required_text("source");
  const bool is_auto = source == "auto";
  const auto target = fields.required_text("target");
  const auto format = fields.text("format").value_or("");
  if (!format.empty() && format != "text" && format != "html")
    throw ApiError(400, "The format is not supported: wanted text or html");
  job.format = format == "html" ? "html" : "txt";
  const auto alternatives = std::max<std::int64_t>(0, fields.number("alternatives", 0));
  if (alternatives > call.context().config.settings.max_alternatives)
    throw ApiError(400, "Invalid request: alternatives: wanted 0 to " +
                            std::to_string(call.context().config.settings.max_alternatives) + " (--max-alternatives)");
  job.alternatives = static_cast<std::size_t>(alternatives);
  call.attach(job);
  const auto known_source = is_auto ? "" : source;
  if (wants_events(call.request())) {
    if (job.alternatives > 0) throw ApiError(400, "Invalid request: alternatives: wanted 0 in a stream");
    if (job.format != "txt") throw ApiError(400, "Invalid request: format: wanted text in a stream");
    if (fields.is_list("q")) throw ApiError(400, "Invalid request: q: wanted one text in a stream");
    return stream(call, job, known_source, target);
  }

  const auto [answers, sources, hashes] = translate_by_source(call, std::move(job), known_source, target);
  const auto each = [&](const auto& of, const auto& value) {
    if (!fields.is_list("q")) return value(of.front());
    auto list = Json::array();
    for (const auto& one : of) list.push_back(value(one));
    return list;
  };
  Json body{{"translatedText", each(answers, [](const TextAnswer& answer) { return Json(answer.text); })}};
  if (alternatives > 0)
    body["alternatives"] = each(answers, [](const TextAnswer& answer) { return Json(answer.alternatives); });
  if (fields.flag("confidence", false))
    body["confidence"] = each(answers, [](const TextAnswer& answer) { return Json(answer.confidence); });
  if (is_auto)
    body["detectedLanguage"] = each(sources, [](const DetectedLanguage& language) { return to_json(language); });
  call.respond(body, {{"Gloss-Model", hashes}});
}

void libre_languages(ApiCall& call) {
  auto list = Json::array();
  for (const auto& language : call.context().models->languages())
    list.push_back({{"code", language.code}, {"name", language.name}, {"targets", language.targets}});
  call.respond(list);
}

void libre_settings(ApiCall& call) {
  const auto& config = call.context().config;
  const auto& first = call.context().models->models().front();
  const auto as_json = [](const std::string& code) { return Json{{"code", code}, {"name", language_name(code)}}; };
  const bool translates_files = call.context().documents.accepts();
  Json body{{"charLimit", config.settings.max_characters},
            {"maxAlternatives", config.settings.max_alternatives},
            {"frontendTimeout", 500},
            {"apiKeys", bool(call.context().keys)},
            {"keyRequired", bool(call.context().keys)},
            {"suggestions", false},
            {"filesTranslation", translates_files},
            {"supportedFilesFormat", translates_files ? Json(document_endings()) : Json::array()},
            {"language", {{"source", as_json(first.source)}, {"target", as_json(first.target)}}}};
  if (has_language_detector()) body["language"]["source"] = {{"code", "auto"}, {"name", "Auto Detect"}};
  call.respond(body);
}

void libre_detect(ApiCall& call) {
  const auto texts = read_texts(call);
  call.use_characters(texts);
  if (!has_language_detector()) throw ApiError(400, "Languages cannot be detected: this server is built without CLD2");
  auto list = Json::array();
  std::string joined;
  for (const auto& text : texts) joined += (joined.empty() ? "" : "\n") + text;
  for (const auto& language : detect_languages(joined, *call.context().models)) list.push_back(to_json(language));
  if (list.empty()) list.push_back(to_json(detect(*call.context().models, call.context().config.settings, joined, "")));
  call.respond(list);
}

void libre_suggest(ApiCall&) {
  throw ApiError(403, "Suggestions are disabled: a model learns from its training text only");
}

}  // namespace gloss
