#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace gloss {

/// The entries of a glossary for one direction.
struct GlossaryDictionary {
  std::string source, target;                  ///< BCP 47, without a region: "en"
  std::map<std::string, std::string> entries;  ///< phrases and what they become
};

/// A glossary that a client has left on the server.
struct StoredGlossary {
  std::string name;
  std::vector<GlossaryDictionary> dictionaries = {};  ///< one of a direction
  std::string id = new_id();                          ///< a random UUID
  std::string created = now();                        ///< "2026-11-28T09:30:00.000Z"

  static std::string new_id(), now();
};

/// The glossaries of all clients, in memory: they end with the server. Each owner has its own. Thread-safe.
class GlossaryStore {
 public:
  static constexpr std::size_t kMaxGlossaries = 1000, kMaxBytes = 10 << 20;  ///< of an owner
  static constexpr std::size_t kMaxEntries = 10'000;                         ///< of a dictionary
  using Stored = std::shared_ptr<const StoredGlossary>;

  /// Adds a glossary. Throws ApiError 456 if the owner would have too many, or too long ones.
  void add(const std::string& owner, StoredGlossary glossary);
  /// Changes a glossary by a function, which no other change interrupts, and returns it. Throws ApiError 404 if the
  /// owner has none of the id, 456, and as the function, and changes nothing then.
  Stored change(const std::string& owner, std::string_view id, const std::function<void(StoredGlossary&)>& function);
  bool remove(const std::string& owner, std::string_view id);
  /// Returns the glossaries of an owner, the oldest first.
  std::vector<Stored> list(const std::string& owner) const;
  /// Returns one of them, or null.
  Stored find(const std::string& owner, std::string_view id) const;

 private:
  void replace(const std::string& owner, std::vector<Stored> glossaries);

  mutable std::mutex mutex_;
  std::map<std::string, std::vector<Stored>> glossaries_;  ///< of each owner
};

}  // namespace gloss
