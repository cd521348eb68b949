#include "serve/settings/serve_settings.h"

#include <stdexcept>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/text/printable.h"
#include "common/text/split.h"
#include "common/text/trimmed.h"

namespace gloss {

const Settings<ServeSettings>& serve_settings() {
  using Config = ServeSettings;
  static const Settings<Config> settings(
      "serve",
      {
          {field(&Config::listen),
           {.key = "listen",
            .help = "serve these addresses, ADDRESS:PORT, separated by commas; port 0: any that is free",
            .flag = "--listen",
            .group = "Network",
            .placeholder = "ADDRESS"}},
          {path_field(&Config::tls_certificate),
           {.key = "tls_certificate",
            .help = "serve HTTPS with the certificate chain of a PEM file",
            .flag = "--tls-certificate",
            .group = "Network"}},
          {path_field(&Config::tls_key),
           {.key = "tls_key",
            .help = "the private key of the certificate, a PEM file",
            .flag = "--tls-key",
            .group = "Network"}},
          {field(&Config::allow_host),
           {.key = "allow_host",
            .help = "further names of this server, separated by commas",
            .flag = "--allow-host",
            .group = "Network",
            .placeholder = "NAME"}},
          {field(&Config::allow_origin),
           {.key = "allow_origin",
            .help = "web pages that may use this server (CORS), separated by commas, or *",
            .flag = "--allow-origin",
            .group = "Network",
            .placeholder = "ORIGIN"}},
          {path_field(&Config::api_keys),
           {.key = "api_keys",
            .help = "demand keys, whose hashes this file has",
            .flag = "--api-keys",
            .group = "Access"}},
          {field(&Config::no_auth),
           {.key = "no_auth", .help = "serve other machines without keys", .flag = "--no-auth", .group = "Access"}},
          {field(&Config::requests_per_minute),
           {.key = "requests_per_minute",
            .help = "translate N requests a minute of a key, or of an address without keys; 0: no limit",
            .range = between(0, 1e6),
            .flag = "--requests-per-minute",
            .group = "Access"}},
          {field(&Config::cache_mib),
           {.key = "cache_mib",
            .help = "keep translations of sentences in N MiB of memory, and give them again; 0: keep none",
            .range = between(0, 1e6),
            .flag = "--cache-mib",
            .group = "Translation"}},
          {field(&Config::default_language),
           {.key = "default_language",
            .help = "the source language where a client asks to detect it and it is not found",
            .flag = "--default-language",
            .group = "Translation",
            .placeholder = "CODE"}},
          {field(&Config::deadline_ms),
           {.key = "deadline_ms",
            .help = "give a request up after N milliseconds; 0: never",
            .range = between(0, 1e9),
            .flag = "--deadline-ms",
            .group = "Translation"}},
          {field(&Config::max_running),
           {.key = "max_running",
            .help = "translate N requests at a time",
            .range = between(1, 10000),
            .flag = "--max-running",
            .group = "Limits"}},
          {field(&Config::max_waiting),
           {.key = "max_waiting",
            .help = "let N more requests wait; further ones are answered 503",
            .range = between(0, 1e6),
            .flag = "--max-waiting",
            .group = "Limits"}},
          {field(&Config::max_connections),
           {.key = "max_connections",
            .help = "keep N connections at a time",
            .range = between(1, 1e6),
            .flag = "--max-connections",
            .group = "Limits"}},
          {field(&Config::max_texts),
           {.key = "max_texts",
            .help = "accept N texts in a request",
            .range = between(1, 1e6),
            .flag = "--max-texts",
            .group = "Limits"}},
          {field(&Config::max_characters),
           {.key = "max_characters",
            .help = "accept N characters in a request",
            .range = between(1, 1e9),
            .flag = "--max-characters",
            .group = "Limits"}},
          {field(&Config::max_alternatives),
           {.key = "max_alternatives",
            .help = "find N alternatives of a text",
            .range = between(0, 100),
            .flag = "--max-alternatives",
            .group = "Limits"}},
          {field(&Config::max_header_kib),
           {.key = "max_header_kib",
            .help = "accept N KiB in the header of a request",
            .range = between(1, 1024),
            .flag = "--max-header-kib",
            .group = "Limits"}},
          {field(&Config::max_body_kib),
           {.key = "max_body_kib",
            .help = "accept N KiB in a request",
            .range = between(1, 1e6),
            .flag = "--max-body-kib",
            .group = "Limits"}},
          {field(&Config::max_file_kib),
           {.key = "max_file_kib",
            .help = "accept N KiB in a request with a document",
            .range = between(1, 1e7),
            .flag = "--max-file-kib",
            .group = "Limits"}},
          {field(&Config::header_seconds),
           {.key = "header_seconds",
            .help = "wait N seconds for the header of a request",
            .range = between(1, 3600),
            .flag = "--header-seconds",
            .group = "Limits"}},
          {field(&Config::body_seconds),
           {.key = "body_seconds",
            .help = "wait N seconds for its body",
            .range = between(1, 86400),
            .flag = "--body-seconds",
            .group = "Limits"}},
          {field(&Config::idle_seconds),
           {.key = "idle_seconds",
            .help = "keep a connection without a request N seconds",
            .range = between(1, 86400),
            .flag = "--idle-seconds",
            .group = "Limits"}},
          {field(&Config::write_seconds),
           {.key = "write_seconds",
            .help = "wait N seconds for a client that does not read",
            .range = between(1, 86400),
            .flag = "--write-seconds",
            .group = "Limits"}},
          {field(&Config::drain_seconds),
           {.key = "drain_seconds",
            .help = "answer requests for N seconds after SIGTERM",
            .range = between(0, 86400),
            .flag = "--drain-seconds",
            .group = "Limits"}},
          {field(&Config::document_quota_mib),
           {.key = "document_quota_mib",
            .help = "keep N MiB of documents and their translations on disk; 0: translate no documents",
            .range = between(0, 1e7),
            .flag = "--document-quota-mib",
            .group = "Documents"}},
          {field(&Config::document_minutes),
           {.key = "document_minutes",
            .help = "keep a translated document for N minutes",
            .range = between(1, 1e6),
            .flag = "--document-minutes",
            .group = "Documents"}},
          {path_field(&Config::document_folder),
           {.key = "document_folder",
            .help = "keep documents in a private folder of this one, not of the temporary one of the system",
            .flag = "--document-folder",
            .group = "Documents"}},
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
