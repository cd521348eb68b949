#include "pipeline/run/corpus_cache.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "common/error.h"
#include "common/files/mapped_file.h"
#include "common/files/sha256.h"
#include "common/log.h"
#include "common/system/stop.h"
#include "common/version.h"
#include "tokenizer/sentencepiece_version.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxTextsFile = 1 << 16;

std::optional<ParallelCorpus> open_cache(const fs::path& path) {
  try {
    if (!fs::exists(path)) return std::nullopt;
    const auto file = open_regular_file(path);
    if (!file) return std::nullopt;
    return ParallelCorpus::open(MappedFile(file->descriptor, path), path);
  } catch (const Error& fault) {
    log_warning(std::string(fault.what()) + "; the texts are encoded again");
    return std::nullopt;
  }
}

std::string read_texts_file(const fs::path& path) {
  try {
    return fs::exists(path) ? read_file(path, kMaxTextsFile) : "";
  } catch (const Error&) {
    return "";
  }
}

std::optional<TextHash> known_hash(const std::string& texts, const std::string& side) {
  try {
    const auto json = parse_json(texts);
    if (json.is_object() && json.contains(side)) return read_text_hash(json.at(side));
  } catch (const std::invalid_argument&) {
  }
  return std::nullopt;
}

// Returns the SHA-256 of each tokenizer by name.
Json hashes_of(const CorpusCache::Tokenizers& by_name) {
  auto hashes = Json::object();
  for (const auto& [name, tokenizer] : by_name) hashes[name] = sha256(tokenizer->serialized());
  return hashes;
}

// Returns the ids of the language tags in front of sources and targets.
Json tags_of(const Tokenizer& source, const Tokenizer& target) {
  auto tags = Json::object();
  if (const auto tag = source.tag()) tags["source"] = *tag;
  if (const auto tag = target.tag()) tags["target"] = *tag;
  return tags;
}

// The version of the encoding of texts. Raise it when texts become other ids.
constexpr int kEncoding = 1;

// The version of the choice of held-out pairs, which is a function of the texts. Raise it when the choice changes.
constexpr int kHoldOut = 1;

// Returns the settings with which the tokenizer was trained, or null if it was given.
Json settings_of(const RunConfig& config) {
  if (!config.tokenizer.model_file.empty() || !config.training.start_from.empty()) return nullptr;
  auto settings = to_json(config.tokenizer);
  for (const auto* key : {"model_file", "shared_ids", "source_tag", "target_tag"}) settings.erase(key);
  return settings;
}

}  // namespace

CorpusCache::CorpusCache(const RunConfig& config, const RunFolder& folder, std::shared_ptr<TrainingTexts> texts)
    : config_(&config),
      texts_(texts ? std::move(texts)
                   : std::make_shared<TrainingTexts>(config.data.train_source, config.data.train_target,
                                                     scan_options(config))),
      corpus_file_(folder.corpus_file()),
      texts_file_(folder.texts_file()),
      kept_texts_(read_texts_file(texts_file_)),
      cached_(open_cache(corpus_file_)),
      source_at_start_(FileStamp::of(config.data.train_source)),
      target_at_start_(FileStamp::of(config.data.train_target)) {
  if (!cached_) return;
  source_ = known_or_scanned(config.data.train_source, "source");
  target_ = known_or_scanned(config.data.train_target, "target");
  const auto& kept = cached_->key();
  const auto wanted = key({});
  const auto equal = [&](const char* name) { return kept.is_object() && kept.value(name, Json()) == wanted.at(name); };
  if (!equal("program") || !equal("source_text") || !equal("target_text")) cached_.reset();
}

TextHash CorpusCache::known_or_scanned(const fs::path& path, const std::string& side) const {
  if (const auto known = known_hash(kept_texts_, side); known && known->is_current(path)) return *known;
  return hash_of(side == "source" ? texts_->scan().source : texts_->scan().target);
}

std::string CorpusCache::known_tokenizer(const std::string& name) const {
  if (!cached_ || settings_of(*config_).is_null()) return "";
  const auto& kept = cached_->key();
  if (kept.value("tokenizer_settings", Json()) != settings_of(*config_)) return "";
  const auto tokenizers = kept.value("tokenizers", Json::object());
  return tokenizers.is_object() && tokenizers.contains(name) && tokenizers.at(name).is_string()
             ? tokenizers.at(name).get<std::string>()
             : "";
}

void CorpusCache::load(const Tokenizers& by_name, const Tokenizer& source, const Tokenizer& target, int threads,
                       const HoldOut* held_out) {
  const auto wanted = [&] {
    auto json = key(hashes_of(by_name));
    if (const auto tags = tags_of(source, target); !tags.empty()) json["tags"] = tags;
    return json;
  };
  if (cached_ && cached_->key() == wanted()) {
    corpus_ = std::exchange(cached_, std::nullopt);
  } else {
    cached_.reset();
    source_ = known_or_scanned(config_->data.train_source, "source");
    target_ = known_or_scanned(config_->data.train_target, "target");
    encode(wanted(), source, target, threads, held_out);
  }
  corpus_->set_vocabularies(source.vocabulary_size(), target.vocabulary_size());
}

void CorpusCache::keep() {
  const auto is_unchanged = [](const fs::path& path, const FileStamp& at_start, const TextHash& hash) {
    std::error_code error;
    if (hash.stamp == at_start && fs::exists(path, error) && FileStamp::of(path) == at_start) return true;
    log_warning(printable(path.string()) +
                ": changed while it was read; training goes on with what was read, which is not kept, and to resume "
                "the run the text is needed as it was");
    return false;
  };
  const bool source_is = is_unchanged(config_->data.train_source, source_at_start_, source_);
  const bool target_is = is_unchanged(config_->data.train_target, target_at_start_, target_);
  if (!source_is || !target_is) return;
  if (made_) made_->commit();
  made_.reset();
  const auto texts = to_pretty_text({{"source", to_json(source_)}, {"target", to_json(target_)}});
  if (texts != kept_texts_) write_file(texts_file_, texts);
}

Json CorpusCache::key(const Json& tokenizers) const {
  Json key = {{"program", std::string(kVersion) + ", SentencePiece " + sentencepiece_version() + ", encoding " +
                              std::to_string(kEncoding)},
              {"source_text", source_.sha256},
              {"target_text", target_.sha256},
              {"tokenizers", tokenizers},
              {"tokenizer_settings", settings_of(*config_)},
              {"max_length", config_->data.max_length}};
  if (config_->data.hold_out) key["hold_out"] = kHoldOut;
  return key;
}

void CorpusCache::encode(const Json& key, const Tokenizer& source, const Tokenizer& target, int threads,
                         const HoldOut* held_out) {
  const auto& data = config_->data;
  made_ = std::make_unique<AtomicFile>(corpus_file_);
  CorpusWriter writer([&](std::span<const std::byte> bytes) { made_->write(bytes); },
                      std::max(source.vocabulary_size(), target.vocabulary_size()), data.max_length);
  EncodingOptions options{.max_length = data.max_length, .before_pair = stop_where_requested, .threads = threads};
  if (held_out != nullptr)
    options.holds_out = [held_out](std::string_view source_line, std::string_view target_line) {
      return held_out->contains(source_line, target_line);
    };
  const auto report = encode_corpus({data.train_source, data.train_target, &source, &target}, options, writer);
  writer.finish(key, report);
  corpus_ = ParallelCorpus::open(MappedFile(made_->open_for_reading(), corpus_file_), corpus_file_,
                                 ParallelCorpus::Check::kIndex);
}

}  // namespace gloss
