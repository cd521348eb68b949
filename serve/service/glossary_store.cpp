#include "serve/service/glossary_store.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include "common/system/random_digits.h"
#include "common/text/format.h"
#include "serve/http/api_error.h"

namespace gloss {

/// Returns a UUID of version 4 (RFC 9562, section 5.4).
std::string StoredGlossary::new_id() {
  auto id = random_digits(16);
  id[12] = '4';  // version
  id[16] = '8';  // variant
  for (const std::size_t hyphen : {8, 13, 18, 23}) id.insert(hyphen, "-");
  return id;
}

/// Returns the time as clients of DeepL read it, which demand a fraction of the second.
std::string StoredGlossary::now() {
  const auto time = std::chrono::system_clock::now();
  const auto seconds = std::chrono::system_clock::to_time_t(time);
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  return formatted("%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                   parts.tm_hour, parts.tm_min, parts.tm_sec, static_cast<int>(milliseconds % 1000));
}

void GlossaryStore::add(const std::string& owner, StoredGlossary glossary) {
  const std::lock_guard lock(mutex_);
  auto changed = glossaries_[owner];
  changed.push_back(std::make_shared<const StoredGlossary>(std::move(glossary)));
  replace(owner, std::move(changed));
}

GlossaryStore::Stored GlossaryStore::change(const std::string& owner, std::string_view id,
                                            const std::function<void(StoredGlossary&)>& function) {
  const std::lock_guard lock(mutex_);
  auto changed = glossaries_[owner];
  const auto place =
      std::ranges::find(changed, id, [](const auto& glossary) -> std::string_view { return glossary->id; });
  if (place == changed.end()) throw ApiError(404, "Glossary not found");
  auto glossary = **place;
  function(glossary);
  const auto result = *place = std::make_shared<const StoredGlossary>(std::move(glossary));
  replace(owner, std::move(changed));
  return result;
}

void GlossaryStore::replace(const std::string& owner, std::vector<Stored> glossaries) {
  std::size_t bytes = 0;
  for (const auto& each : glossaries)
    for (const auto& dictionary : each->dictionaries)
      for (const auto& [source, target] : dictionary.entries) bytes += source.size() + target.size();
  if (glossaries.size() > kMaxGlossaries || bytes > kMaxBytes)
    throw ApiError(456, "Quota exceeded: a key may have " + std::to_string(kMaxGlossaries) + " glossaries, of " +
                            std::to_string(kMaxBytes >> 20) + " MiB together");
  glossaries_[owner] = std::move(glossaries);
}

bool GlossaryStore::remove(const std::string& owner, std::string_view id) {
  const std::lock_guard lock(mutex_);
  return std::erase_if(glossaries_[owner], [&](const auto& glossary) { return glossary->id == id; }) > 0;
}

std::vector<GlossaryStore::Stored> GlossaryStore::list(const std::string& owner) const {
  const std::lock_guard lock(mutex_);
  const auto of_owner = glossaries_.find(owner);
  return of_owner == glossaries_.end() ? std::vector<Stored>() : of_owner->second;
}

GlossaryStore::Stored GlossaryStore::find(const std::string& owner, std::string_view id) const {
  for (const auto& glossary : list(owner))
    if (glossary->id == id) return glossary;
  return nullptr;
}

}  // namespace gloss
