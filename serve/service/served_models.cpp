#include "serve/service/served_models.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "common/error.h"
#include "common/files/sha256.h"
#include "common/text/language_match.h"
#include "common/text/language_tag.h"
#include "common/text/printable.h"
#include "documents/model_sentence_translator.h"
#include "serve/service/language_names.h"
#include "translation/models/translation_ensemble.h"

namespace gloss {
namespace {

/// Returns the directions of a model: those that the user or the file names, or all pairs of its tags.
std::vector<Languages> directions_of(const ModelSource& source, const TranslationModel& model) {
  if (!source.source.empty()) return {{source.source, source.target}};
  const auto& recorded = model.config.languages;
  if (!recorded.source.empty() && !recorded.target.empty()) return {recorded};
  std::vector<Languages> pairs;
  for (const auto& from : model.source_tokenizer->languages())
    for (const auto& to : model.target_tokenizer->languages())
      if (from != to) pairs.push_back({from, to});
  if (pairs.empty())
    throw UsageError({Key{"model"}, ": wanted languages in front of " + printable(source.path.string()) +
                                        ", which records none: en-de=" + printable(source.path.string())});
  return pairs;
}

/// Returns "pt" of "pt-BR".
std::string_view primary_part(std::string_view code) { return code.substr(0, code.find_first_of("-_")); }

bool is_language(std::string_view text) {
  const auto size = primary_part(text).size();
  return is_language_tag(text) && (size == 2 || size == 3);
}

}  // namespace

ModelSource parse_model_source(const std::string& text) {
  const auto equals = text.find('=');
  if (equals != text.npos && equals > 0) {
    const auto pair = text.substr(0, equals);
    for (auto hyphen = pair.rfind('-'); hyphen != pair.npos && hyphen > 0; hyphen = pair.rfind('-', hyphen - 1)) {
      // "pt-BR-de": the last part that is a language in small letters begins the target.
      const auto source = pair.substr(0, hyphen), target = pair.substr(hyphen + 1);
      if (target.empty() || target[0] < 'a' || target[0] > 'z') continue;
      if (is_language(source) && is_language(target) && equals + 1 < text.size())
        return {source, target, text.substr(equals + 1)};
    }
    if (!std::filesystem::exists(text))
      throw UsageError(
          {Key{"model"}, ": wanted SOURCE-TARGET=PATH, such as en-de=runs/en-de, got " + printable(text, 120)});
  }
  return {{}, {}, text};
}

ServedModels::ServedModels(const std::vector<ModelSource>& sources, const ServingOptions& options)
    : runner_(
          std::make_shared<TranslationRunner>(options.threads, TranslationRunner::Callers::kWait, options.on_batch)) {
  std::map<std::string, std::shared_ptr<const SentenceSplitter>> splitters;
  for (const auto& source : sources) {
    const auto model = load_translation_model(source.path, options.device);
    const auto untagged = TranslationEnsemble{{model}}
                              .untagged_translator(options.precision, /*aligns=*/true, options.plain)
                              .with_runner(runner_);
    const auto path = model_path(source.path);
    const auto sum = sha256_of_file(path);
    const auto name = source.path.filename().empty() ? source.path.parent_path().filename() : source.path.filename();
    for (const auto& languages : directions_of(source, model)) {
      const auto exists = std::ranges::any_of(models_, [&](const auto& other) {
        return other.source == with_hyphens(languages.source) && other.target == with_hyphens(languages.target);
      });
      if (exists)
        throw UsageError({Key{"model"}, ": wanted one model from " + printable(languages.source) + " to " +
                                            printable(languages.target) + ", got several"});
      auto& splitter = splitters[languages.source];
      if (!splitter) splitter = rule_splitter(languages.source);
      auto tagged = model;
      tagged.languages = languages_of_tags(languages, model.config);
      const auto [from, to] = tagged.tagged_tokenizers();
      models_.push_back({with_hyphens(languages.source), with_hyphens(languages.target), name.string(), sum,
                         untagged.with_tokenizers(from, to), model.config,
                         options_for(languages.source, languages.target, splitter), std::move(tagged)});
    }
  }
  std::set<std::string> codes;
  for (const auto& model : models_) codes.insert({model.source, model.target});
  for (const auto& code : codes) {
    ServedLanguage language{code, language_name(code), {}};
    for (const auto& target : codes)
      if (const auto way = route(code, target); way && !way->empty()) language.targets.push_back(target);
    languages_.push_back(std::move(language));
  }
}

const ServedModel* ServedModels::direct(std::string_view source, std::string_view target) const {
  const ServedModel* best = nullptr;
  int best_match = 0;
  for (const auto& model : models_) {
    const auto from = language_match(source, model.source), to = language_match(target, model.target);
    if (from > 0 && to > 0 && from + to > best_match) best = &model, best_match = from + to;
  }
  return best;
}

bool ServedModels::has_language(std::string_view code) const {
  return std::ranges::any_of(models_, [&](const auto& model) {
    return language_match(code, model.source) > 0 || language_match(code, model.target) > 0;
  });
}

std::optional<ModelRoute> ServedModels::route(std::string_view source, std::string_view target) const {
  if (const auto* model = direct(source, target)) return ModelRoute{model};
  if (language_match(primary_part(source), primary_part(target)) == 2 && has_language(source)) return ModelRoute();
  std::optional<ModelRoute> best;
  for (const auto& first : models_) {
    if (language_match(source, first.source) == 0) continue;
    for (const auto& second : models_)
      if (language_match(first.target, second.source) > 0 && language_match(target, second.target) > 0) {
        if (language_match(first.source, second.target) > 0) continue;  // back to the source
        const bool is_english = first.target.starts_with("en");
        if (!best || (is_english && !best->front()->target.starts_with("en"))) best = {&first, &second};
      }
  }
  return best;
}

}  // namespace gloss
