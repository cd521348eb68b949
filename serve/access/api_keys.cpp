#include "serve/access/api_keys.h"

#include <cstddef>

#include <openssl/crypto.h>

#include "common/error.h"
#include "common/files/line_reader.h"
#include "common/files/sha256.h"
#include "common/text/printable.h"
#include "common/text/split.h"
#include "common/text/trimmed.h"

namespace gloss {
namespace {

bool is_hash(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

/// Reads a line; absent if it is not of the form.
std::optional<ApiKey> read_key(std::string_view line) {
  std::vector<std::string_view> words;
  for (const auto word : split_text(line, ' '))
    if (!word.empty()) words.push_back(word);
  const auto is_name = [](std::string_view word) {
    return word != "-" && word.find('=') == word.npos;
  };  // sha256sum's -
  if (words.size() < 2 || !is_hash(words[0]) || !is_name(words[1])) return std::nullopt;
  ApiKey key{std::string(words[0]), std::string(words[1])};
  for (std::size_t i = 2; i < words.size(); ++i) {
    const auto equals = words[i].find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const auto number = parse_number<std::int64_t>(words[i].substr(equals + 1));
    auto* const limit = words[i].starts_with("requests=")     ? &key.requests_per_minute
                        : words[i].starts_with("characters=") ? &key.characters
                                                              : nullptr;
    if (!number || *number < 1 || limit == nullptr) return std::nullopt;
    *limit = *number;
  }
  return key;
}

}  // namespace

ApiKeys ApiKeys::read(const std::filesystem::path& file) {
  ApiKeys keys;
  LineReader reader(file);
  for (std::string line; reader.next(line);) {
    const auto entry = trimmed(line);
    if (entry.empty() || entry.starts_with('#')) continue;
    const auto where = printable(file.string()) + ", line " + std::to_string(reader.line_number());
    auto key = read_key(entry);
    if (!key)
      throw DataError(where + ": wanted the SHA-256 of a key, a name, and requests=N or characters=N if it has limits");
    for (const auto& other : keys.keys_)
      if (other.sha256 == key->sha256 || other.name == key->name)
        throw DataError(where + ": wanted another key and name than in the lines before");
    keys.keys_.push_back(std::move(*key));
  }
  if (keys.empty()) throw DataError(printable(file.string()) + ": wanted at least one key");
  return keys;
}

const ApiKey* ApiKeys::find(std::string_view key) const {
  const auto hash = sha256(key);
  const ApiKey* found = nullptr;
  for (const auto& entry : keys_)
    if (CRYPTO_memcmp(entry.sha256.data(), hash.data(), hash.size()) == 0) found = &entry;  // in constant time
  return found;
}

}  // namespace gloss
