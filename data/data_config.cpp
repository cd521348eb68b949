#include "data/data_config.h"

#include <algorithm>
#include <utility>

#include "common/config/settings.h"
#include "common/text/language_tag.h"

namespace gloss {
namespace {

void require_both(const std::string& source, const std::string& target, const std::string& key) {
  require(source.empty() == target.empty(), key + (source.empty() ? "_source" : "_target"),
          "a file, since the other side has one", "");
}

void require_language(const std::string& tag, std::string_view key) {
  require(tag.empty() || is_language_tag(tag), key, "a language tag, such as en, pt-BR or eng_Latn", tag);
}

Field<DataConfig> stages_field() {
  return {.type = SettingType::kObjects,
          .read = [](ConfigSection& section, std::string_view key,
                     DataConfig& config) { config.stages = read_training_stages(section, key); },
          .value = [](const DataConfig& config) { return to_json(config.stages); },
          .portable = [](const DataConfig& config) { return to_json_without_paths(config.stages); },
          .paths =
              [](DataConfig& config) {
                std::vector<PathKey> paths;
                for (std::size_t i = 0; i < config.stages.size(); ++i)
                  for (std::size_t j = 0; j < config.stages[i].sources.size(); ++j) {
                    auto& text = config.stages[i].sources[j];
                    const auto key = place_of_text(i, j);
                    paths.push_back({key + ".source", &text.source});
                    paths.push_back({key + ".target", &text.target});
                    paths.push_back({key + ".alignment", &text.alignment});
                  }
                return paths;
              }};
}

Settings<DataConfig>::Row augmentation_row(double AugmentationConfig::*member, std::string_view key,
                                           std::string_view help) {
  return {field(&DataConfig::augmentation, member),
          {.key = key, .help = help, .range = between(0, 1), .identity = Identity::kUnlessDefault}};
}

}  // namespace

const Settings<DataConfig>& data_settings() {
  using Config = DataConfig;
  static const Settings<Config> settings(
      "data", {{path_field(&Config::train_source),
                {.key = "train_source",
                 .help = "the text to train on, one sentence per line",
                 .flag = "--source",
                 .group = "Texts",
                 .shown_default = "needed"}},
               {path_field(&Config::train_target),
                {.key = "train_target",
                 .help = "its translations: line n is the translation of line n",
                 .flag = "--target",
                 .group = "Texts",
                 .shown_default = "needed"}},
               {path_field(&Config::train_alignment),
                {.key = "train_alignment",
                 .help = "links between the pieces of each pair, such as 0-0 1-2, for training.guided_alignment",
                 .shown_default = "none"}},
               {stages_field(),
                {.key = "stages",
                 .help = "several training texts with weights, stage by stage, in place of the keys above",
                 .wanted = "a list of stages",
                 .identity = Identity::kUnlessDefault}},
               {path_field(&Config::valid_source),
                {.key = "valid_source",
                 .help = "the text that training validates on",
                 .flag = "--valid-source",
                 .group = "Texts",
                 .shown_default = "none"}},
               {path_field(&Config::valid_target),
                {.key = "valid_target",
                 .help = "its translations",
                 .flag = "--valid-target",
                 .group = "Texts",
                 .shown_default = "none"}},
               {path_field(&Config::test_source),
                {.key = "test_source",
                 .help = "the text that scores the finished model",
                 .flag = "--test-source",
                 .group = "Texts",
                 .shown_default = "none"}},
               {path_field(&Config::test_target),
                {.key = "test_target",
                 .help = "its translations",
                 .flag = "--test-target",
                 .group = "Texts",
                 .shown_default = "none"}},
               {field(&Config::hold_out),
                {.key = "hold_out",
                 .help = "validate on pairs of the training text, which are left out of training",
                 .identity = Identity::kUnlessDefault}},
               {field(&Config::source_language),
                {.key = "source_language",
                 .help = "language tag (BCP 47), stored in the model file",
                 .shown_default = "from the name of the file",
                 .identity = Identity::kNever}},
               {field(&Config::target_language),
                {.key = "target_language",
                 .help = "language tag (BCP 47), stored in the model file",
                 .shown_default = "from the name of the file",
                 .identity = Identity::kNever}},
               {field(&Config::max_length),
                {.key = "max_length",
                 .help = "maximum pieces of a sentence, eos included; training skips longer pairs with a message",
                 .range = between(2, 1'000'000)}},
               {field(&Config::filters, &PairFilters::max_ratio),
                {.key = "max_ratio",
                 .help = "training skips a pair if one side has more than this many times the other's pieces; 0: off",
                 .range = between(0, 1000),
                 .wanted = "0, or 1 to 1000",
                 .identity = Identity::kUnlessDefault}},
               {field(&Config::filters, &PairFilters::skip_copied),
                {.key = "skip_copied",
                 .help = "training skips pairs whose source line equals the target line",
                 .identity = Identity::kUnlessDefault}},
               {field(&Config::filters, &PairFilters::skip_repeated),
                {.key = "skip_repeated",
                 .help = "training uses only the first of equal pairs in all texts of a stage",
                 .identity = Identity::kUnlessDefault}},
               {field(&Config::batch_tokens),
                {.key = "batch_tokens",
                 .help = "positions of a batch: max(source, target) times sentences, padding included",
                 .range = between(1, 1'000'000'000)}},
               {field(&Config::subword_sampling),
                {.key = "subword_sampling",
                 .help = "random segmentation in training: rate of BPE-dropout or alpha of unigram; 0: none",
                 .range = between(0, 1)}},
               augmentation_row(&AugmentationConfig::upper_case, "augment_upper_case",
                                "share of training pairs with both sides in upper case"),
               augmentation_row(&AugmentationConfig::title_case, "augment_title_case",
                                "share of training pairs with each word of both sides capitalized"),
               augmentation_row(&AugmentationConfig::lower_case, "augment_lower_case",
                                "share of training pairs with the source in lower case; the target stays"),
               augmentation_row(&AugmentationConfig::no_end_mark, "augment_no_end_mark",
                                "share of training pairs without the mark (. ! ?) at the ends of both sides"),
               augmentation_row(&AugmentationConfig::typos, "augment_typos",
                                "share of training pairs with typing errors in the source"),
               augmentation_row(&AugmentationConfig::placeholders, "augment_placeholders",
                                "share of training pairs with made-up placeholders, such as {name}, in both sides")});
  return settings;
}

std::vector<TrainingStage> DataConfig::training_stages() const {
  if (!stages.empty() || train_source.empty()) return stages;
  return {{.sources = {{.source = train_source, .target = train_target, .alignment = train_alignment}},
           .until_epochs = {}}};
}

bool DataConfig::has_alignment() const {
  return std::ranges::any_of(training_texts(), [](const auto& text) { return !text.alignment.empty(); });
}

std::vector<TextFiles> DataConfig::training_texts() const { return texts_of(training_stages()).files; }

std::optional<RepeatedPairs> DataConfig::repeated_pairs() const {
  if (!filters.skip_repeated) return std::nullopt;
  return RepeatedPairs(earlier_texts_of_stages(texts_of(training_stages())));
}

void DataConfig::validate() const {
  data_settings().validate(*this);
  if (!stages.empty() && !(train_source.empty() && train_target.empty() && train_alignment.empty()))
    throw UsageError({Key{"data.stages"}, ": names the training texts; leave out ", Key{"data.train_source"}, ", ",
                      Key{"data.train_target"}, " and ", Key{"data.train_alignment"}});
  require_both(train_source, train_target, "data.train");
  require(!has_alignment() || subword_sampling == 0, "data.subword_sampling",
          {"0 beside ", Key{"data.train_alignment"}, ", whose links are between the best pieces"}, subword_sampling);
  const auto& ratio = data_settings().at("max_ratio");
  require(filters.max_ratio == 0 || filters.max_ratio >= 1, ratio.name(), ratio.wanted_text(), filters.max_ratio);
  validate_stages(stages);
  require(augmentation.cases() <= 1, "data.augment_upper_case",
          {"a sum of at most 1 with ", Key{"data.augment_title_case"}, " and ", Key{"data.augment_lower_case"}},
          augmentation.cases());
  if (augmentation.cases() > 0)
    for (const auto& language : {source_language, target_language})
      require(!has_dotless_i(language), "data.augment_upper_case",
              {"0, as ", Key{"data.augment_title_case"}, " and ", Key{"data.augment_lower_case"},
               ", since the upper case of i in " + language + " is not I"},
              augmentation.upper_case);
  require_both(valid_source, valid_target, "data.valid");
  require_both(test_source, test_target, "data.test");
  require(!hold_out || valid_source.empty(), "data.hold_out",
          {"false beside ", Key{"data.valid_source"}, ", which is the validation set"}, hold_out);
  require_language(source_language, "data.source_language");
  require_language(target_language, "data.target_language");
}

DataConfig read_data_config(ConfigSection section) {
  auto config = data_settings().read(std::move(section));
  for (auto* language : {&config.source_language, &config.target_language}) *language = with_hyphens(*language);
  return config;
}

Json to_json(const DataConfig& config) { return data_settings().to_json(config); }

}  // namespace gloss
