#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/config/settings.h"

namespace gloss {

/// The settings of a server: the keys of the file of --config, each of which is an option, too.
struct ServeSettings {
  std::string listen = "127.0.0.1:5000";           ///< addresses, separated by commas
  std::string api_keys = {};                       ///< file (ApiKeys)
  bool no_auth = false;                            ///< other machines are served without keys
  std::string tls_certificate = {}, tls_key = {};  ///< files in PEM
  std::string allow_host = {}, allow_origin = {};  ///< separated by commas
  std::int64_t cache_mib = 0;                      ///< of translations of sentences; 0: none are kept
  std::string default_language = {};               ///< the answer for a text whose language is not detected
  std::int64_t max_header_kib = 16;                ///< of a request
  std::int64_t max_body_kib = 1024;                ///< of a request without a document
  std::int64_t max_file_kib = 10240;               ///< of a request with one
  std::string document_folder = {};                ///< for documents and translations; empty: a temporary one
  std::int64_t document_minutes = 60;              ///< that a translated document is kept
  std::int64_t document_quota_mib = 1024;          ///< of all documents on disk; 0: none are translated
  std::int64_t max_texts = 1000;                   ///< of a request
  std::int64_t max_characters = 100'000;           ///< of the texts of a request
  std::int64_t max_alternatives = 8;               ///< of a text
  std::int64_t max_connections = 4096;             ///< at a time
  std::int64_t max_running = 128;                  ///< requests that wait for the model at a time
  std::int64_t max_waiting = 1024;                 ///< requests that wait for one of these
  std::int64_t requests_per_minute = 0;            ///< of a key, or of an address without keys; 0: no limit
  std::int64_t deadline_ms = 60'000;               ///< of a request; 0: none
  std::int64_t header_seconds = 10;                ///< for a client to send the header of a request
  std::int64_t body_seconds = 60;                  ///< to send the body
  std::int64_t idle_seconds = 60;                  ///< between two requests
  std::int64_t write_seconds = 30;                 ///< to take a part of an answer
  std::int64_t drain_seconds = 30;                 ///< to answer what runs when the server ends
};

/// Returns the declarations of the keys, in the section "serve".
const Settings<ServeSettings>& serve_settings();

/// Returns the settings of a file of JSON: an object of keys. Throws DataError, which names the file, for text that
/// is no JSON and for faulty keys and values, and IoError.
ServeSettings read_serve_settings(const std::filesystem::path& file);

/// Returns the parts of a text between commas, without spaces around them.
std::vector<std::string> comma_list(std::string_view text);

}  // namespace gloss
