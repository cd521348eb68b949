#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "common/files/sha256.h"
#include "common/text/format.h"
#include "common/text/language_tag.h"
#include "common/text/letter_case.h"
#include "common/text/utf8.h"
#include "common/unicode/unassigned_and_control.h"
#include "documents/document.h"
#include "serve/api/api_routes.h"
#include "serve/api/deepl.h"
#include "serve/api/detect.h"
#include "serve/http/api_error.h"

namespace gloss {
namespace {

constexpr std::string_view kDownload = "/download_file/", kDocument = "/v2/document/", kResult = "/result";

bool is_ascii_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

/// A name of a client's file without folders: a stem that is safe in a field of a header, and the ending of a format.
struct FileName {
  std::string stem, ending;
};

/// Throws ApiError 400 for the ending of no format.
FileName read_file_name(std::string_view name) {
  name.remove_prefix(name.find_last_of("/\\") + 1);  // npos + 1 is 0
  const auto dot = std::min(name.rfind('.'), name.size());
  FileName result{{}, lower_ascii(name.substr(dot))};
  const auto endings = document_endings();
  if (std::ranges::find(endings, result.ending) == endings.end()) {
    std::string reason(why_refused(result.ending));
    for (const auto& ending : endings) {
      if (!why_refused(result.ending).empty()) break;
      reason += (reason.empty() ? "wanted a name that ends in one of " : ", ") + ending;
    }
    throw ApiError(400, "The format of the file is not supported: " + reason);
  }
  constexpr std::size_t kMaxBytes = 150;
  for_each_character(name.substr(0, dot), [&](std::optional<char32_t> c, std::string_view spelling) {
    const bool is_safe =
        c && !is_unassigned_or_control(*c) && std::string_view("\"*:<>?|%;'").find(spelling) == spelling.npos;
    if (result.stem.size() + spelling.size() <= kMaxBytes) result.stem += is_safe ? spelling : "_";
  });
  if (result.stem.find_first_not_of(". ") == result.stem.npos) result.stem = "document";
  if (result.stem.front() == '.') result.stem.front() = '_';
  return result;
}

/// Returns the field Content-Disposition (RFC 6266) of a name.
std::string attachment(std::string_view name) {
  std::string ascii, encoded;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = c >= ' ' && c != '\x7f' && c != '"' && c != '\\';
    if (byte < 0x80 || byte >= 0xC0) ascii += is_plain ? c : '_';  // one for each character
    encoded += is_ascii_word(c) || c == '.' ? std::string(1, c) : formatted("%%%02X", byte);
  }
  return "attachment; filename=\"" + ascii + "\"; filename*=UTF-8''" + encoded;
}

/// Stores the document of a request and returns it with the order to translate it; `source` empty: it is detected.
std::pair<std::shared_ptr<DocumentJob>, DocumentOrder> read_document(ApiCall& call, const std::string& source,
                                                                     const std::string& target) {
  const auto* const file = call.fields().file("file");
  if (file == nullptr || (file->filename->empty() && file->value.empty()))
    throw ApiError(400, "Invalid request: missing file parameter");
  const auto [stem, ending] = read_file_name(call.fields().text("filename").value_or(*file->filename));
  if (file->value.empty()) throw ApiError(400, "Invalid request: file: wanted a document, got no bytes");
  call.use_characters({});  // no key without any left
  const auto& context = call.context();
  const auto detected = [&settings = context.config.settings, target](const ServedModels& models,
                                                                      const std::string& sample) {
    return models.route(detect(models, settings, sample, target).code, target).value_or(ModelRoute());
  };
  // Without a source any language does at first, so that a wrong target is refused.
  const auto first = source.empty() ? detect(*context.models, context.config.settings, {}, target).code : source;
  const auto route = call.route(first, target);
  return {context.documents.store(file->value, ending),
          {.owner = call.owner(),
           .models = context.models,
           .route = route,
           .find_route = source.empty() ? detected : decltype(DocumentOrder::find_route)(),
           .stem = stem,
           .target = with_hyphens(target),
           .on_end = [&use = context.use, owner = call.owner()](const DocumentStatus& status) {
             if (status.http_status == 200) use.take(owner, status.characters, 0);
           }}};
}

/// Media types of endings (IANA); a text of the others could have any.
constexpr auto kMediaTypes = std::to_array<std::pair<std::string_view, std::string_view>>({
    {".txt", "text/plain; charset=utf-8"},
    {".md", "text/markdown; charset=utf-8"},
    {".html", "text/html"},
    {".htm", "text/html"},
    {".xhtml", "application/xhtml+xml"},
    {".srt", "application/x-subrip"},
    {".vtt", "text/vtt"},
    {".xlf", "application/xliff+xml"},
    {".xliff", "application/xliff+xml"},
    {".tmx", "application/xml"},
    {".po", "text/x-gettext-translation"},
    {".json", "application/json"},
    {".yaml", "application/yaml"},
    {".yml", "application/yaml"},
    {".docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    {".pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
    {".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    {".odt", "application/vnd.oasis.opendocument.text"},
    {".odp", "application/vnd.oasis.opendocument.presentation"},
    {".epub", "application/epub+zip"},
});

std::string media_type(std::string_view ending) {
  const auto found = std::ranges::find(kMediaTypes, ending, &std::pair<std::string_view, std::string_view>::first);
  return found == kMediaTypes.end() ? "application/octet-stream" : std::string(found->second);
}

void send(ApiCall& call, const DocumentJob& job) {
  call.exchange().respond({.body = DocumentJobs::translation(job),
                           .content_type = media_type(job.ending),
                           .headers = {{"Content-Disposition", attachment(job.file_name())},
                                       {"X-Content-Type-Options", "nosniff"},
                                       {"Cache-Control", "no-store"}}});
}

/// Returns the address of a path as the client sees this server; the path alone if its field Host is odd.
std::string address_of(const ApiCall& call, const std::string& path) {
  const auto host = call.request().header("host");
  const auto is_of_host = [](char c) { return is_ascii_word(c) || c == '.' || c == ':' || c == '[' || c == ']'; };
  if (host.empty() || !std::ranges::all_of(host, is_of_host)) return path;
  const bool is_tls =
      !call.context().config.settings.tls_certificate.empty() || call.request().header("x-forwarded-proto") == "https";
  return std::string(is_tls ? "https://" : "http://").append(host).append(path);
}

}  // namespace

std::vector<std::string> document_endings() {
  std::vector<std::string> endings;
  for (const auto& format : document_formats())
    endings.insert(endings.end(), format.endings.begin(), format.endings.end());
  endings.emplace_back(".xml");  // of Android
  return endings;
}

void libre_translate_file(ApiCall& call) {
  const auto source = call.fields().required_text("source"), target = call.fields().required_text("target");
  auto [job, order] = read_document(call, source == "auto" ? "" : source, target);
  order.has_link = true;
  order.deadline = call.deadline();
  order.stop = call.exchange().left();
  order.on_end = [exchange = call.shared_exchange(), &metrics = call.context().metrics, count = order.on_end,
                  link = address_of(call, std::string(kDownload) + job->name + job->ending)](
                     const DocumentStatus& status) {
    count(status);
    if (status.http_status == 504) metrics.add_deadline_exceeded();
    if (status.http_status != 200)
      return exchange->respond({.status = status.http_status, .body = to_text({{"error", status.error}})});
    exchange->respond(
        {.status = 200, .body = to_text({{"translatedFileUrl", link}}), .headers = {{"Gloss-Model", status.models}}});
  };
  call.context().documents.start(job, std::move(order));
}

void libre_download_file(ApiCall& call) {
  const auto file = std::string_view(call.request().path).substr(kDownload.size());
  const auto job = call.context().documents.find(file.substr(0, file.find('.')));
  if (!job || !job->order().has_link || file != job->name + job->ending ||
      (!call.owner().empty() && call.owner() != job->order().owner))
    throw ApiError(404, "There is no such file, or no longer");
  send(call, *job);
}

void deepl_upload_document(ApiCall& call) {
  const auto& fields = call.fields();
  const auto& models = *call.context().models;
  const auto source = fields.text("source_lang").value_or(""), target = fields.required_text("target_lang");
  expect_possible_fields(fields);
  auto glossary = deepl_glossary(call, source, target);
  auto [job, order] =
      read_document(call, source.empty() ? "" : served_source(models, source), served_target(models, target));
  if (const auto format = fields.text("output_format"); format && '.' + lower_ascii(*format) != job->ending)
    throw ApiError(400, "Invalid request: output_format: wanted " + job->ending.substr(1) + ", that of the document");
  expect_direct(order.route, glossary);
  order.glossary = std::move(glossary);
  call.context().documents.start(job, std::move(order));
  call.respond({{"document_id", job->name}, {"document_key", job->key}});
}

void deepl_document(ApiCall& call) {
  auto id = std::string_view(call.request().path).substr(kDocument.size());
  const bool wants_result = id.ends_with(kResult);
  if (wants_result) id.remove_suffix(kResult.size());
  const auto key = call.fields().required_text("document_key");
  auto& documents = call.context().documents;
  const auto job = documents.find(id);
  const ApiError not_found(404, "Document not found");
  if (!job || job->order().has_link || job->order().owner != call.owner() ||
      sha256(key) != sha256(job->key))  // the time does not depend on the key
    throw not_found;
  if (call.request().method == "DELETE") {
    documents.remove(*job);
    return call.exchange().respond({.status = 204, .content_type = ""});
  }
  const auto status = documents.status(*job);
  if (wants_result) {
    if (status.state == DocumentState::kError) throw ApiError(404, "The document was not translated: " + status.error);
    if (status.state != DocumentState::kDone) throw ApiError(503, "The document is not translated yet");
    // The first one gets it.
    if (call.request().method != "HEAD" && !documents.remove(*job)) throw not_found;
    return send(call, *job);
  }
  Json body{{"document_id", job->name},
            {"status", kDocumentStates.at(static_cast<std::size_t>(status.state))},
            {"progress", status.progress}};
  if (status.seconds_left) body["seconds_remaining"] = *status.seconds_left;
  if (status.state == DocumentState::kDone) body["billed_characters"] = status.characters;
  if (status.state == DocumentState::kError) body["error_message"] = status.error;
  call.respond(body);
}

}  // namespace gloss
