#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "common/config/settings.h"
#include "pipeline/run/run_config.h"

namespace gloss {
namespace {

constexpr std::array kDefaultsNames = {std::pair{std::string_view("fixed"), DefaultsKind::kFixed},
                                       std::pair{std::string_view("text"), DefaultsKind::kText}};

}  // namespace

const Settings<RunConfig>& top_settings() {
  static const Settings<RunConfig> settings(
      "", {{field(&RunConfig::seed),
            {.key = "seed",
             .help = "every random number of a run is a function of it",
             .range = at_least(0),
             .flag = "--seed",
             .group = "Training"}},
           {choice_field(&RunConfig::defaults, kDefaultsNames),
            {.key = "defaults",
             .help = "`text`: open keys get values chosen from the training text; `fixed`: those of the tables below",
             .shown_default = "`\"text\"` in a run file",
             .identity = Identity::kNever}}});
  return settings;
}

std::vector<SectionSettings> run_settings() {
  return {{"", top_settings().list()},
          {"tokenizer", tokenizer_settings().list()},
          {"data", data_settings().list()},
          {"model", model_settings().list()},
          {"training", training_settings().list()},
          {"decoding", decoding_settings().list()},
          {"evaluation", evaluation_settings().list()}};
}

}  // namespace gloss
