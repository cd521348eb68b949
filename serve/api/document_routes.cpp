#include "serve/api/document_routes.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "common/files/sha256.h"
#include "common/text/format.h"
#include "common/text/letter_case.h"
#include "common/text/utf8.h"
#include "common/unicode/unassigned_and_control.h"
#include "documents/document.h"
#include "serve/api/detect.h"
#include "serve/http/api_error.h"

namespace gloss {
namespace {

bool is_ascii_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

/// A name of a client's file without folders: a stem for the name of the translation, and a checked ending.
struct FileName {
  std::string stem, ending;
};

/// Throws ApiError 400 unless the name has the ending of a format.
FileName read_file_name(std::string_view name) {
  name.remove_prefix(std::min(name.find_last_of("/\\") + 1, name.size()));  // npos + 1 is 0
  const auto dot = std::min(name.rfind('.'), name.size());
  const auto endings = document_endings();
  const auto ending = std::ranges::find(endings, lower_ascii(name.substr(dot)));
  if (ending == endings.end()) {
    if (const auto reason = why_refused(lower_ascii(name.substr(dot))); !reason.empty())
      throw ApiError(400, "The format of the file is not supported: " + std::string(reason));
    std::string list;
    for (const auto& each : endings) list += (list.empty() ? "" : ", ") + each;
    throw ApiError(400, "The format of the file is not supported: wanted a name that ends in one of " + list);
  }
  constexpr std::size_t kMaxBytes = 150;
  FileName result{{}, *ending};
  for_each_character(name.substr(0, dot), [&](std::optional<char32_t> c, std::string_view spelling) {
    constexpr std::string_view kSpecial = "\"*:<>?|%;'";
    const bool is_safe = c && !is_unassigned_or_control(*c) && kSpecial.find(spelling) == kSpecial.npos;
    if (result.stem.size() + spelling.size() <= kMaxBytes) result.stem += is_safe ? spelling : "_";
  });
  if (result.stem.find_first_not_of(". ") == result.stem.npos) result.stem = "document";
  if (result.stem.front() == '.') result.stem.front() = '_';
  return result;
}

/// Returns the field Content-Disposition (RFC 6266) of a name in UTF-8 without quotes and control characters.
std::string attachment(std::string_view name) {
  std::string ascii, encoded;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 || byte >= 0xC0) ascii += byte < 0x80 ? c : '_';  // one for each character
    encoded += is_ascii_word(c) || c == '.' ? std::string(1, c) : formatted("%%%02X", byte);
  }
  return "attachment; filename=\"" + ascii + "\"; filename*=UTF-8''" + encoded;
}

/// Stores the document of a request and returns it with the order to translate it.
std::pair<std::shared_ptr<DocumentJob>, DocumentOrder> read_document(ApiCall& call, std::string_view name,
                                                                     const std::string& source,
                                                                     const std::string& target) {
  const auto* const file = call.fields().file("file");
  const auto [stem, ending] = read_file_name(name);
  if (file->value.empty()) throw ApiError(400, "Invalid request: file: wanted a document, got no bytes");
  const auto job = call.context().documents.store(file->value, ending);
  const auto from = !source.empty() ? source : detect(call, job->sample(), target).code;
  return {job,
          {.owner = call.owner(),
           .models = call.context().models,
           .route = call.route(from, target),
           .file_name = stem + '_' + lower_ascii(target) + ending}};
}

/// Returns the name that was sent with a file. Throws ApiError 400 if there is no file.
std::string sent_name(ApiCall& call) {
  const auto* const file = call.fields().file("file");
  if (file == nullptr || (file->filename->empty() && file->value.empty()))
    throw ApiError(400, "Invalid request: missing file parameter");
  return *file->filename;
}

void send(ApiCall& call, const DocumentJob& job) {
  call.exchange().respond({.body = call.context().documents.translation(job),
                           .content_type = "application/octet-stream",
                           .headers = {{"Content-Disposition", attachment(job.order().file_name)},
                                       {"X-Content-Type-Options", "nosniff"},
                                       {"Cache-Control", "no-store"}}});
}

/// Returns the address of a path as the client sees this server; the path alone if its field Host is odd.
std::string address_of(const ApiCall& call, const std::string& path) {
  const auto host = call.request().header("host");
  const bool is_plain = std::ranges::all_of(
      host, [](char c) { return is_ascii_word(c) || c == '.' || c == ':' || c == '[' || c == ']'; });
  if (host.empty() || !is_plain) return path;
  const bool is_tls =
      !call.context().config.settings.tls_certificate.empty() || call.request().header("x-forwarded-proto") == "https";
  return std::string(is_tls ? "https://" : "http://").append(host).append(path);
}

constexpr std::string_view kDownload = "/download_file/", kDocument = "/v2/document/", kResult = "/result";

/// Returns the job of a link. Throws ApiError 404.
std::shared_ptr<DocumentJob> linked_job(const ApiCall& call) {
  const std::string_view path = call.request().path;
  const auto file = path.substr(kDownload.size());
  const auto job = call.context().documents.find(file.substr(0, file.find('.')));
  const bool is_own = job && job->order().has_link && file == job->name() + job->ending() &&
                      (call.owner().empty() || call.owner() == job->order().owner);
  if (!is_own) throw ApiError(404, "There is no such file, or no longer");
  return job;
}

/// Returns the job of a path of DeepL's. Throws ApiError 400 without its key, 404 for another one's.
std::shared_ptr<DocumentJob> deepl_job(ApiCall& call, std::string_view id) {
  const auto key = call.fields().required_text("document_key");
  const auto job = call.context().documents.find(id);
  const bool is_own = job && !job->order().has_link && job->order().owner == call.owner() &&
                      sha256(key) == sha256(job->key());  // hashes, so that the time does not depend on the key
  if (!is_own) throw ApiError(404, "Document not found");
  return job;
}

std::string_view id_of(const ApiCall& call) { return std::string_view(call.request().path).substr(kDocument.size()); }

}  // namespace

std::vector<std::string> document_endings() {
  std::vector<std::string> endings;
  for (const auto& format : document_formats())
    endings.insert(endings.end(), format.endings.begin(), format.endings.end());
  endings.emplace_back(".xml");  // of Android
  return endings;
}

void libre_translate_file(ApiCall& call) {
  const auto name = sent_name(call);
  const auto source = call.fields().required_text("source");
  const auto target = call.fields().required_text("target");
  auto [job, order] = read_document(call, name, source == "auto" ? "" : source, target);
  const auto link = address_of(call, std::string(kDownload) + job->name() + job->ending());
  order.has_link = true;
  order.deadline = call.deadline();
  order.stop = call.exchange().left();
  order.on_end = [exchange = call.shared_exchange(), link, models = model_hashes(order.route),
                  &metrics = call.context().metrics](const DocumentStatus& status) {
    if (status.http_status == 200)
      return exchange->respond({.body = to_text({{"translatedFileUrl", link}}), .headers = {{"Gloss-Model", models}}});
    if (status.http_status == 504) metrics.add_deadline_exceeded();
    exchange->respond({.status = status.http_status, .body = to_text({{"error", status.error}})});
  };
  call.context().documents.start(job, std::move(order));
}

void libre_download_file(ApiCall& call) { send(call, *linked_job(call)); }

void libre_delete_file(ApiCall& call) {
  call.context().documents.remove(*linked_job(call));
  call.exchange().respond({.status = 204, .content_type = ""});
}

void deepl_upload_document(ApiCall& call) {
  const auto& fields = call.fields();
  auto name = sent_name(call);
  name = fields.text("filename").value_or(name);
  const auto target = fields.required_text("target_lang");
  for (const auto* const field : {"glossary_id", "glossary_ids", "style_id", "translation_memory_id"})
    if (fields.has(field))
      throw ApiError(400, std::string(field) + ": wanted none, for documents are translated without");
  const auto formality = fields.text("formality").value_or("default");
  if (formality != "default" && !formality.starts_with("prefer_"))
    throw ApiError(400, "formality: wanted default, prefer_more or prefer_less");
  auto [job, order] = read_document(call, name, fields.text("source_lang").value_or(""), target);
  if (const auto format = fields.text("output_format"); format && '.' + lower_ascii(*format) != job->ending())
    throw ApiError(400, "output_format: wanted that of the document");
  call.context().documents.start(job, std::move(order));
  call.respond({{"document_id", job->name()}, {"document_key", job->key()}});
}

void deepl_document(ApiCall& call) {
  auto id = id_of(call);
  const bool wants_result = id.ends_with(kResult);
  if (wants_result) id.remove_suffix(kResult.size());
  const auto job = deepl_job(call, id);
  auto& documents = call.context().documents;
  const auto status = documents.status(*job);
  if (!wants_result) {
    constexpr std::array kNames{"queued", "translating", "done", "error"};
    Json body{{"document_id", job->name()},
              {"status", kNames.at(static_cast<std::size_t>(status.state))},
              {"progress", status.progress}};
    if (status.seconds_left) body["seconds_remaining"] = *status.seconds_left;
    if (status.state == DocumentState::kDone) body["billed_characters"] = status.characters;
    if (status.state == DocumentState::kError) body["error_message"] = status.error;
    return call.respond(body);
  }
  if (status.state == DocumentState::kError) throw ApiError(404, "The document was not translated: " + status.error);
  if (status.state != DocumentState::kDone) throw ApiError(503, "The document is not translated yet");
  // The first one gets it.
  if (call.request().method != "HEAD" && !documents.remove(*job)) throw ApiError(404, "Document not found");
  send(call, *job);
}

void deepl_delete_document(ApiCall& call) {
  call.context().documents.remove(*deepl_job(call, id_of(call)));
  call.exchange().respond({.status = 204, .content_type = ""});
}

}  // namespace gloss
