#include <algorithm>

#include "common/error.h"
#include "common/files/term_files.h"
#include "common/text/utf8.h"
#include "serve/api/api_routes.h"
#include "serve/api/deepl.h"
#include "serve/http/api_error.h"
#include "translation/glossary_phrases.h"

namespace gloss {
namespace {

constexpr std::size_t kMaxGlossaries = 5;  ///< of a request
constexpr std::size_t kMaxName = 1024;

ApiError not_found() { return {404, "Glossary not found"}; }

bool is_line(std::string_view text) {
  bool is_line = !text.empty();
  for_each_character(text, [&](auto value, auto) {
    const auto c = value.value_or(0);
    is_line &= c >= 0x20 && (c < 0x7F || c >= 0xA0) && c != 0x2028 && c != 0x2029;
  });
  return is_line;
}

void expect_few(const std::map<std::string, std::string>& entries) {
  constexpr auto kMax = GlossaryStore::kMaxEntries;
  if (entries.size() > kMax)
    throw ApiError(413, "Invalid request: entries: wanted at most " + std::to_string(kMax) + " of two languages");
}

/// Reads rows of a source and a target phrase; in CSV two columns for the languages may follow.
std::map<std::string, std::string> read_entries(std::string_view text, std::string_view format) {
  if (format != "tsv" && format != "csv") throw ApiError(400, "Invalid request: entries_format: wanted tsv or csv");
  std::map<std::string, std::string> entries;
  std::size_t place = 0;
  for (int row = 1; place < text.size(); ++row) {
    const auto cells = next_table_row(text, format == "tsv" ? '\t' : ',', place);
    if (cells.size() == 1 && cells[0].empty()) continue;
    const auto expect = [row](bool is_so, const char* wanted) {
      if (!is_so) throw ApiError(400, "Invalid request: entries: row " + std::to_string(row) + ": wanted " + wanted);
    };
    if (format == "tsv")
      expect(cells.size() == 2, "a phrase, a tab and its translation");
    else
      expect(cells.size() == 2 || cells.size() == 4, "a phrase, a comma and its translation");
    expect(is_line(cells[0]) && is_line(cells[1]), "a phrase and its translation without control characters");
    expect(entries.emplace(cells[0], cells[1]).second, "a phrase that no row before has");
  }
  if (entries.empty()) throw ApiError(400, "Invalid request: entries: wanted at least one");
  expect_few(entries);
  return entries;
}

/// Reads the fields of a dictionary. Its phrases must be such that the model can write them.
GlossaryDictionary read_dictionary(const ApiCall& call, const Json& fields) {
  const auto text = [&](const char* name) {
    const auto field = fields.find(name);
    const auto* const value = field == fields.end() ? nullptr : field->get_ptr<const std::string*>();
    return value != nullptr && is_text(*value) ? *value : std::string();
  };
  GlossaryDictionary dictionary{primary_language(text("source_lang")), primary_language(text("target_lang")), {}};
  const auto& models = *call.context().models;
  const auto route = call.route(served_source(models, dictionary.source), served_target(models, dictionary.target));
  if (route.size() != 1) throw ApiError(400, "Unsupported glossary languages: see /v2/glossary-language-pairs");
  dictionary.entries = read_entries(text("entries"), text("entries_format"));
  try {
    const std::vector<std::pair<std::string, std::string>> pairs(dictionary.entries.begin(), dictionary.entries.end());
    const GlossaryPhrases phrases(TermList::from_entries(pairs), route.front()->translator.target_tokenizer());
  } catch (const DataError& error) {
    throw ApiError(400, std::string("Invalid request: ") + error.what());  // "glossary: entry 1: ..."
  }
  return dictionary;
}

/// Reads the dictionary that the fields of a request are.
GlossaryDictionary read_dictionary(ApiCall& call) {
  Json fields;
  for (const auto* const name : {"source_lang", "target_lang", "entries", "entries_format"})
    fields[name] = call.fields().text(name).value_or("");
  return read_dictionary(call, fields);
}

auto place_of(auto& glossary, const GlossaryDictionary& wanted) {
  return std::ranges::find_if(glossary.dictionaries, [&](const auto& other) {
    return other.source == wanted.source && other.target == wanted.target;
  });
}

/// Adds a dictionary, or its entries to the one of its direction.
void merge(StoredGlossary& glossary, const GlossaryDictionary& added) {
  auto place = place_of(glossary, added);
  if (place == glossary.dictionaries.end())
    place = glossary.dictionaries.insert(place, {added.source, added.target, {}});
  for (const auto& [source, target] : added.entries) place->entries[source] = target;
  expect_few(place->entries);
}

/// Reads the fields "name" and "dictionaries", as far as a request has them.
StoredGlossary read_fields(ApiCall& call) {
  StoredGlossary glossary;
  if (const auto name = call.fields().text("name")) {
    if (!is_line(*name) || name->size() > kMaxName)
      throw ApiError(400, "Invalid request: name: wanted a line of at most " + std::to_string(kMaxName) + " bytes");
    glossary.name = *name;
  }
  const auto* const list = call.fields().find("dictionaries");
  if (list == nullptr) return glossary;
  const auto is_object = [](const Json& value) { return value.is_object(); };
  if (!list->is_array() || !std::ranges::all_of(*list, is_object))
    throw ApiError(400, "Invalid request: dictionaries: wanted a list of objects");
  for (const auto& each : *list) merge(glossary, read_dictionary(call, each));
  return glossary;
}

std::string to_tsv(const GlossaryDictionary& dictionary) {
  std::string text;
  for (const auto& [source, target] : dictionary.entries)
    text.append(text.empty() ? "" : "\n").append(source).append("\t").append(target);
  return text;
}

Json info(const GlossaryDictionary& dictionary) {
  return {{"source_lang", dictionary.source},
          {"target_lang", dictionary.target},
          {"entry_count", dictionary.entries.size()}};
}

Json info(const StoredGlossary& glossary, bool is_multilingual) {
  Json json{{"glossary_id", glossary.id}, {"name", glossary.name}, {"creation_time", glossary.created}};
  if (!is_multilingual) {
    json.update(info(glossary.dictionaries.front()));
    json["ready"] = true;
    return json;
  }
  json["dictionaries"] = Json::array();
  for (const auto& dictionary : glossary.dictionaries) json["dictionaries"].push_back(info(dictionary));
  return json;
}

/// Answers a request for all glossaries of a key, or for a new one.
void answer_all(ApiCall& call, bool is_multilingual) {
  if (call.request().method == "POST") {
    auto glossary = read_fields(call);
    if (glossary.name.empty()) throw ApiError(400, "Invalid request: name: wanted one");
    if (!is_multilingual) glossary.dictionaries = {read_dictionary(call)};
    call.context().glossaries.add(call.owner(), glossary);
    return call.exchange().respond({.status = 201, .body = to_text(info(glossary, is_multilingual))});
  }
  auto list = Json::array();
  for (const auto& glossary : call.context().glossaries.list(call.owner()))
    if (is_multilingual || glossary->dictionaries.size() == 1) list.push_back(info(*glossary, is_multilingual));
  call.respond({{"glossaries", list}});
}

/// Answers a request for one glossary, or a part of it: "", "/entries", "/dictionaries".
void answer_one(ApiCall& call, bool is_multilingual, std::string_view id, std::string_view part) {
  const auto method = call.request().method == "HEAD" ? "GET" : call.request().method;
  auto& glossaries = call.context().glossaries;
  const auto stored = glossaries.find(call.owner(), id);
  if (!stored || (!is_multilingual && stored->dictionaries.size() != 1)) throw not_found();
  const auto named_dictionary = [&](auto& glossary) {
    const auto text = [&](const char* name) { return primary_language(call.fields().text(name).value_or("")); };
    const auto place = place_of(glossary, {text("source_lang"), text("target_lang"), {}});
    if (place == glossary.dictionaries.end()) throw ApiError(404, "Glossary dictionary not found");
    return place;
  };
  const auto change = [&](const auto& function) { return glossaries.change(call.owner(), id, function); };
  const auto respond_empty = [&] { call.exchange().respond({.status = 204, .content_type = ""}); };
  if (method == "DELETE" && part.empty()) {
    if (!glossaries.remove(call.owner(), id)) throw not_found();
    respond_empty();
  } else if (method == "DELETE" && part == "/dictionaries" && is_multilingual) {
    change([&](StoredGlossary& glossary) { glossary.dictionaries.erase(named_dictionary(glossary)); });
    respond_empty();
  } else if (method == "PUT" && part == "/dictionaries") {
    const auto dictionary = read_dictionary(call);
    change([&](StoredGlossary& glossary) {
      if (const auto place = place_of(glossary, dictionary); place != glossary.dictionaries.end())
        place->entries.clear();
      merge(glossary, dictionary);
    });
    call.respond(info(dictionary));
  } else if (method == "PATCH" && part.empty()) {
    const auto fields = read_fields(call);
    const auto changed = change([&](StoredGlossary& glossary) {
      if (!fields.name.empty()) glossary.name = fields.name;
      for (const auto& dictionary : fields.dictionaries) merge(glossary, dictionary);
    });
    call.respond(info(*changed, is_multilingual));
  } else if (method == "GET" && part.empty()) {
    call.respond(info(*stored, is_multilingual));
  } else if (method == "GET" && part == "/entries" && is_multilingual) {
    const auto& named = *named_dictionary(*stored);
    auto dictionary = info(named);
    dictionary["entries"] = to_tsv(named);
    dictionary["entries_format"] = "tsv";
    call.respond({{"dictionaries", Json::array({dictionary})}});
  } else if (method == "GET" && part == "/entries") {
    call.exchange().respond(
        {.body = to_tsv(stored->dictionaries.front()), .content_type = "text/tab-separated-values; charset=utf-8"});
  } else {
    throw ApiError(404, "There is nothing under this path");
  }
}

void answer(ApiCall& call, bool is_multilingual) {
  constexpr std::string_view kParent = "/v2/glossaries";
  const auto rest = std::string_view(call.request().path).substr(kParent.size());
  if (rest.empty()) return answer_all(call, is_multilingual);
  const auto slash = std::min(rest.find('/', 1), rest.size());
  answer_one(call, is_multilingual, rest.substr(1, slash - 1), rest.substr(slash));
}

}  // namespace

void deepl_glossaries(ApiCall& call) { answer(call, /*is_multilingual=*/false); }

void deepl_multilingual_glossaries(ApiCall& call) { answer(call, /*is_multilingual=*/true); }

std::vector<std::pair<std::string, std::string>> deepl_glossary(ApiCall& call, std::string_view source,
                                                                std::string_view target) {
  auto ids = call.fields().texts("glossary_id");
  for (const auto& text : call.fields().texts("glossary_ids"))
    std::ranges::move(comma_list(text), std::back_inserter(ids));
  if (ids.size() > kMaxGlossaries || (ids.size() > 1 && call.fields().has("glossary_id")))
    throw ApiError(400, "Invalid request: glossary_ids: wanted at most " + std::to_string(kMaxGlossaries) +
                            ", and none beside glossary_id");
  if (!ids.empty() && source.empty()) throw ApiError(400, "Invalid request: source_lang: wanted beside a glossary");
  std::map<std::string, std::string> entries;
  for (const auto& id : ids) {
    const auto glossary = call.context().glossaries.find(call.owner(), id);
    if (!glossary) throw not_found();
    const auto place = place_of(*glossary, {primary_language(source), primary_language(target), {}});
    if (place == glossary->dictionaries.end())
      throw ApiError(400, "Invalid request: glossary_id: the glossary has other languages");
    entries.insert(place->entries.begin(), place->entries.end());
  }
  return {entries.begin(), entries.end()};
}

}  // namespace gloss
