#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gloss {

/// A key of a client. The server knows its hash only.
struct ApiKey {
  std::string sha256;                    ///< of the key: 64 digits in small letters
  std::string name;                      ///< for logs and limits
  std::int64_t requests_per_minute = 0;  ///< 0: the server's limit
  std::int64_t characters = 0;           ///< that it may have translated since the server started; 0: no limit
};

/// The keys of a file: a line for each, SHA-256 of the key, a name, and limits: "<sha256> anna requests=60
/// characters=500000". Empty lines and lines that begin with # do not count.
class ApiKeys {
 public:
  ApiKeys() = default;
  /// Throws DataError naming the line that is not of this form, or names a hash or a name again; IoError.
  static ApiKeys read(const std::filesystem::path& file);

  /// Returns the entry of a key. Takes the same time for each key of a length, whichever entry it has, if any.
  const ApiKey* find(std::string_view key) const;
  bool empty() const { return keys_.empty(); }
  std::size_t size() const { return keys_.size(); }

 private:
  std::vector<ApiKey> keys_;
};

}  // namespace gloss
