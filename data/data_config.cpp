#include "data/data_config.h"

#include "data/language_tag.h"

namespace gloss {
namespace {

constexpr std::int64_t kLongest = 1'000'000;
constexpr std::int64_t kLargestBatch = 1'000'000'000;

void require_both(const std::string& source, const std::string& target, const std::string& key) {
  require(source.empty() == target.empty(), key + (source.empty() ? "_source" : "_target"),
          "a file, since the other side has one", "");
}

void require_language(const std::string& tag, std::string_view key) {
  require(tag.empty() || is_language_tag(tag), key, "a language tag, such as en or pt-BR", tag);
}

}  // namespace

void DataConfig::validate() const {
  require_both(train_source, train_target, "data.train");
  require_both(valid_source, valid_target, "data.valid");
  require_both(test_source, test_target, "data.test");
  require(max_length >= 2 && max_length <= kLongest, "data.max_length", "2 to " + std::to_string(kLongest), max_length);
  require(batch_tokens >= 1 && batch_tokens <= kLargestBatch, "data.batch_tokens",
          "1 to " + std::to_string(kLargestBatch), batch_tokens);
  require(subword_sampling >= 0 && subword_sampling <= 1, "data.subword_sampling", "0 to 1", subword_sampling);
  require(!hold_out || valid_source.empty(), "data.hold_out",
          {"false beside ", Key{"data.valid_source"}, ", which is the validation set"}, hold_out);
  require_language(source_language, "data.source_language");
  require_language(target_language, "data.target_language");
}

DataConfig read_data_config(ConfigSection section) {
  DataConfig config;
  section.read("train_source", config.train_source);
  section.read("train_target", config.train_target);
  section.read("valid_source", config.valid_source);
  section.read("valid_target", config.valid_target);
  section.read("test_source", config.test_source);
  section.read("test_target", config.test_target);
  section.read("hold_out", config.hold_out);
  section.read("source_language", config.source_language);
  section.read("target_language", config.target_language);
  section.read("max_length", config.max_length);
  section.read("batch_tokens", config.batch_tokens);
  section.read("subword_sampling", config.subword_sampling);
  section.finish();
  return config;
}

Json to_json(const DataConfig& config) {
  return {{"train_source", config.train_source},
          {"train_target", config.train_target},
          {"valid_source", config.valid_source},
          {"valid_target", config.valid_target},
          {"test_source", config.test_source},
          {"test_target", config.test_target},
          {"hold_out", config.hold_out},
          {"source_language", config.source_language},
          {"target_language", config.target_language},
          {"max_length", config.max_length},
          {"batch_tokens", config.batch_tokens},
          {"subword_sampling", config.subword_sampling}};
}

}  // namespace gloss
