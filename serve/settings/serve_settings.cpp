#include "serve/settings/serve_settings.h"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/text/printable.h"
#include "common/text/split.h"
#include "common/text/trimmed.h"

namespace gloss {
namespace {

/// Returns a row whose option follows from its key.
Settings<ServeSettings>::Row row(std::string_view group, std::string_view key, Field<ServeSettings> field,
                                 std::string_view help, Range range = {}, std::string_view placeholder = {}) {
  static std::deque<std::string> flags;  // of the one table
  auto& flag = flags.emplace_back("--" + std::string(key));
  std::ranges::replace(flag, '_', '-');
  return {std::move(field),
          {.key = key, .help = help, .range = range, .flag = flag, .group = group, .placeholder = placeholder}};
}

}  // namespace

const Settings<ServeSettings>& serve_settings() {
  using Config = ServeSettings;
  static const Settings<Config> settings(
      "serve",
      {
          row("Network", "listen", field(&Config::listen),
              "serve these addresses, ADDRESS:PORT or one of the two, separated by commas; port 0: any that is free",
              {}, "ADDRESS"),
          row("Network", "tls_certificate", path_field(&Config::tls_certificate),
              "serve HTTPS with the certificate chain of a PEM file"),
          row("Network", "tls_key", path_field(&Config::tls_key), "the private key of the certificate, a PEM file"),
          row("Network", "allow_host", field(&Config::allow_host), "further names of this server, separated by commas"),
          row("Network", "allow_origin", field(&Config::allow_origin),
              "web pages that may use this server (CORS), separated by commas, or *", {}, "ORIGIN"),
          row("Access", "api_keys", path_field(&Config::api_keys), "demand keys, whose hashes this file has"),
          row("Access", "no_auth", field(&Config::no_auth), "serve other machines without keys"),
          row("Access", "requests_per_minute", field(&Config::requests_per_minute),
              "translate N requests a minute of a key, or of an address without keys; 0: no limit", between(0, 1e6)),
          row("Translation", "cache_mib", field(&Config::cache_mib),
              "keep translations of sentences in N MiB of memory, and give them again; 0: keep none", between(0, 1e6)),
          row("Translation", "default_language", field(&Config::default_language),
              "the source language where a client asks to detect it and it is not found", {}, "CODE"),
          row("Translation", "deadline_ms", field(&Config::deadline_ms),
              "give a request up after N milliseconds; 0: never", between(0, 1e9)),
          row("Limits", "max_running", field(&Config::max_running), "translate N requests at a time",
              between(1, 10000)),
          row("Limits", "max_waiting", field(&Config::max_waiting),
              "let N more requests wait; further ones are answered 503", between(0, 1e6)),
          row("Limits", "max_connections", field(&Config::max_connections), "keep N connections at a time",
              between(1, 1e6)),
          row("Limits", "max_texts", field(&Config::max_texts), "accept N texts in a request", between(1, 1e6)),
          row("Limits", "max_characters", field(&Config::max_characters), "accept N characters in a request",
              between(1, 1e9)),
          row("Limits", "max_alternatives", field(&Config::max_alternatives), "find N alternatives of a text",
              between(0, 100)),
          row("Limits", "max_header_kib", field(&Config::max_header_kib), "accept N KiB in the header of a request",
              between(1, 1024)),
          row("Limits", "max_body_kib", field(&Config::max_body_kib), "accept N KiB in a request", between(1, 1e6)),
          row("Limits", "max_file_kib", field(&Config::max_file_kib), "accept N KiB in a request with a document",
              between(1, 1e7)),
          row("Limits", "header_seconds", field(&Config::header_seconds), "wait N seconds for the header of a request",
              between(1, 3600)),
          row("Limits", "body_seconds", field(&Config::body_seconds), "wait N seconds for its body", between(1, 86400)),
          row("Limits", "idle_seconds", field(&Config::idle_seconds), "keep a connection without a request N seconds",
              between(1, 86400)),
          row("Limits", "write_seconds", field(&Config::write_seconds),
              "wait N seconds for a client that does not read", between(1, 86400)),
          row("Limits", "drain_seconds", field(&Config::drain_seconds), "answer requests for N seconds after SIGTERM",
              between(0, 86400)),
          row("Documents", "document_quota_mib", field(&Config::document_quota_mib),
              "keep N MiB of documents and their translations on disk; 0: translate no documents", between(0, 1e7)),
          row("Documents", "document_minutes", field(&Config::document_minutes),
              "keep a translated document for N minutes", between(1, 1e6)),
          row("Documents", "document_folder", path_field(&Config::document_folder),
              "keep documents in a private folder of this one, not of the temporary one of the system"),
      });
  return settings;
}

ServeSettings read_serve_settings(const std::filesystem::path& file) {
  constexpr std::size_t kMaxBytes = 1 << 20;
  const auto text = read_file(file, kMaxBytes);
  try {
    auto settings = serve_settings().read(ConfigSection(parse_json(text), ""));
    serve_settings().validate(settings);
    return settings;
  } catch (const std::exception& error) {
    throw DataError(printable(file.string()) + ": " + error.what());
  }
}

std::vector<std::string> comma_list(std::string_view text) {
  std::vector<std::string> parts;
  for (const auto part : split_text(text, ','))
    if (const auto word = trimmed(part); !word.empty()) parts.emplace_back(word);
  return parts;
}

}  // namespace gloss
