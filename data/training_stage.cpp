#include "data/training_stage.h"

#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "common/config/setting.h"

namespace gloss {
namespace {

constexpr std::int64_t kMaxEpochs = 1'000'000'000;

std::string index(std::size_t i) { return '[' + std::to_string(i) + ']'; }

/// Returns the list of the stages. `json_of` writes a text, given its place (stage, text).
template <typename JsonOf>
Json list_of(std::span<const TrainingStage> stages, JsonOf json_of) {
  auto list = Json::array();
  for (std::size_t i = 0; i < stages.size(); ++i) {
    auto& stage = list.emplace_back(Json{{"sources", Json::array()}});
    for (std::size_t j = 0; j < stages[i].sources.size(); ++j) {
      Json text = json_of(i, j);
      text["weight"] = stages[i].sources[j].weight;
      stage["sources"].push_back(std::move(text));
    }
    if (stages[i].until_epochs) stage["until_epochs"] = *stages[i].until_epochs;
  }
  return list;
}

void validate(const TrainingStage& stage, std::size_t number) {
  require(!stage.sources.empty(), "data.stages" + index(number) + ".sources", "a text or more", Json::array());
  std::set<std::pair<std::string, std::string>> seen;
  for (std::size_t i = 0; i < stage.sources.size(); ++i) {
    const auto& [source, target, weight, alignment] = stage.sources[i];
    const auto text = key_of_text(number, i);
    require(!source.empty(), text + ".source", "the file of source sentences to train on", source);
    require(!target.empty(), text + ".target", "the file of their translations", target);
    require(between(StageText::kMinWeight, StageText::kMaxWeight).contains(weight), text + ".weight",
            "a number from 0.000001 to 1000", weight);
    require(seen.emplace(source, target).second, text, "each text once in a stage, since a weight repeats its pairs",
            Json{{"source", source}, {"target", target}});
  }
}

}  // namespace

std::vector<TrainingStage> read_training_stages(ConfigSection& section, std::string_view key) {
  std::vector<TrainingStage> stages;
  for (auto& object : section.sections(key)) {
    auto& stage = stages.emplace_back();
    for (auto& text_object : object.sections("sources")) {
      auto& text = stage.sources.emplace_back();
      text_object.read("source", text.source);
      text_object.read("target", text.target);
      text_object.read("alignment", text.alignment);
      text_object.read("weight", text.weight);
      text_object.finish();
    }
    object.read("until_epochs", stage.until_epochs);
    object.finish();
  }
  return stages;
}

Json to_json(std::span<const TrainingStage> stages) {
  return list_of(stages, [&](std::size_t stage, std::size_t text) {
    const auto& [source, target, weight, alignment] = stages[stage].sources[text];
    Json json{{"source", source}, {"target", target}};
    if (!alignment.empty()) json["alignment"] = alignment;
    return json;
  });
}

Json to_json_without_paths(std::span<const TrainingStage> stages) {
  const auto texts = texts_of(stages);
  return list_of(stages, [&](std::size_t stage, std::size_t text) {
    return Json{{"text", texts.of_stage[stage][text]}};
  });
}

void validate_stages(std::span<const TrainingStage> stages) {
  for (std::size_t i = 0; i < stages.size(); ++i) {
    validate(stages[i], i);
    const auto key = "data.stages" + index(i) + ".until_epochs";
    const auto& epochs = stages[i].until_epochs;
    const auto got = epochs ? Json(*epochs) : Json();
    if (i + 1 == stages.size())
      require(!epochs, key,
              {"no value, since the last stage lasts until the run ends (", Key{"training.max_epochs"}, ")"}, got);
    else
      require(epochs && *epochs >= 1 && *epochs <= kMaxEpochs, key,
              "the number of the stage's epochs, from 1 to 1000000000, since another stage follows", got);
  }
}

std::string place_of_text(std::size_t stage, std::size_t text) { return index(stage) + ".sources" + index(text); }

std::string key_of_text(std::size_t stage, std::size_t text) { return "data.stages" + place_of_text(stage, text); }

StageTexts texts_of(std::span<const TrainingStage> stages) {
  StageTexts texts;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places;
  for (const auto& stage : stages) {
    auto& numbers = texts.of_stage.emplace_back();
    for (const auto& [source, target, weight, alignment] : stage.sources) {
      const auto [place, is_new] = places.try_emplace({source, target, alignment}, texts.files.size());
      if (is_new) texts.files.push_back({source, target, alignment});
      numbers.push_back(place->second);
    }
  }
  return texts;
}

std::vector<std::vector<std::size_t>> earlier_texts_of_stages(const StageTexts& texts) {
  std::vector<std::set<std::size_t>> earlier(texts.files.size());
  for (const auto& stage : texts.of_stage)
    for (const auto text : stage)
      for (const auto other : stage)
        if (other < text) earlier[text].insert(other);
  std::vector<std::vector<std::size_t>> lists;
  for (const auto& others : earlier) lists.emplace_back(others.begin(), others.end());
  return lists;
}

}  // namespace gloss
