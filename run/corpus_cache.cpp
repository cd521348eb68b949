#include "run/corpus_cache.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "common/config/setting.h"
#include "common/error.h"
#include "common/files/line_reader.h"
#include "common/files/mapped_file.h"
#include "common/files/sha256.h"
#include "common/log/log.h"
#include "common/system/stop.h"
#include "common/text/printable.h"
#include "common/version.h"
#include "tokenizer/sentencepiece_library.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxTextsFile = 1 << 24;

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

// Returns the list "texts" of the contents of a texts file; an empty list if they have another form.
Json known_texts(const std::string& contents) {
  try {
    auto texts = value_at(parse_json(contents), "texts");
    if (texts.is_array()) return texts;
  } catch (const std::invalid_argument&) {
  }
  return Json::array();
}

// Returns the hash that a texts file has for a side of a text; absent if the file may have changed.
std::optional<TextHash> known_hash(const Json& texts, std::size_t text, const char* side, const fs::path& path) {
  if (text >= texts.size() || !texts[text].is_object()) return std::nullopt;
  const auto known = read_text_hash(texts[text].value(side, Json()));
  return known && known->is_current(path) ? known : std::nullopt;
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
constexpr int kEncoding = 2;

// The version of the choice of held-out pairs, which is a function of the texts. Raise it when the choice changes.
constexpr int kHoldOut = 2;

// Returns the settings with which the tokenizer was trained, or null if it was given.
Json settings_of(const RunConfig& config) {
  if (!config.trains_tokenizer()) return nullptr;
  auto settings = to_json(config.tokenizer);
  for (const auto* key : {"model_file", "shared_ids", "source_tag", "target_tag"}) settings.erase(key);
  if (config.tokenizer.symbols.empty()) settings.erase("symbols");  // earlier versions had none
  return settings;
}

// Returns the filters that skip pairs. Which repetitions are skipped depends on the texts of each stage.
Json filters_of(const DataConfig& data) {
  auto filters = Json::object();
  if (data.filters.max_ratio > 0) filters["max_ratio"] = data.filters.max_ratio;
  if (data.filters.skip_copied) filters["skip_copied"] = true;
  if (data.filters.skip_repeated) filters["skip_repeated"] = earlier_texts_of_stages(texts_of(data.training_stages()));
  return filters;
}

}  // namespace

bool TextHash::is_current(const std::filesystem::path& path) const { return lasting && stamp == FileStamp::of(path); }

TextHash hash_of(const ScannedText& text) {
  return {.sha256 = text.sha256, .stamp = text.stamp, .lasting = text.settled};
}

Json to_json(const TextHash& hash) {
  const auto& stamp = hash.stamp;
  return {{"sha256", hash.sha256}, {"lasting", hash.lasting},    {"device", stamp.device},  {"inode", stamp.inode},
          {"size", stamp.size},    {"modified", stamp.modified}, {"changed", stamp.changed}};
}

std::optional<TextHash> read_text_hash(const Json& json) {
  try {
    return TextHash{.sha256 = json.at("sha256").get<std::string>(),
                    .stamp = {.device = json.at("device").get<std::uint64_t>(),
                              .inode = json.at("inode").get<std::uint64_t>(),
                              .size = json.at("size").get<std::uint64_t>(),
                              .modified = json.at("modified").get<std::int64_t>(),
                              .changed = json.at("changed").get<std::int64_t>()},
                    .lasting = json.at("lasting").get<bool>()};
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

CorpusCache::CorpusCache(const RunConfig& config, const RunFolder& folder, std::shared_ptr<TrainingTexts> texts)
    : config_(&config),
      texts_(texts ? std::move(texts)
                   : std::make_shared<TrainingTexts>(config.data.training_texts(), scan_options(config))),
      corpus_file_(folder.files().corpus),
      links_file_(folder.files().links),
      texts_file_(folder.files().texts),
      kept_texts_(read_texts_file(texts_file_)),
      cached_(open_cache(corpus_file_)) {
  for (const auto& [source, target, alignment] : files())
    states_.push_back(
        {FileStamp::of(source), FileStamp::of(target), alignment.empty() ? FileStamp() : FileStamp::of(alignment)});
  if (!cached_) return;
  if (config.data.has_alignment()) cached_links_ = open_cache(links_file_);
  hash_texts();
  const auto& kept = cached_->key();
  const auto wanted = key({});
  const auto equal = [&](const char* name) { return kept.is_object() && kept.value(name, Json()) == wanted.at(name); };
  const bool has_links = !config.data.has_alignment() || (cached_links_ && cached_links_->key() == kept);
  if (!has_links || !equal("program") || !equal("source_texts") || !equal("target_texts")) cached_.reset();
}

// Takes the hash of each file from texts_file_ or, if the file may have changed, from reading the texts.
void CorpusCache::hash_texts() {
  const auto known = known_texts(kept_texts_);
  for (std::size_t i = 0; i < states_.size(); ++i) {
    auto source = known_hash(known, i, "source", files()[i].source);
    auto target = known_hash(known, i, "target", files()[i].target);
    states_[i].source = source ? *std::move(source) : hash_of(texts_->scan().texts[i].source);
    states_[i].target = target ? *std::move(target) : hash_of(texts_->scan().texts[i].target);
    if (files()[i].alignment.empty()) continue;
    auto alignment = known_hash(known, i, "alignment", files()[i].alignment);
    states_[i].alignment = alignment ? *std::move(alignment) : hash_of(*texts_->scan().texts[i].alignment);
  }
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
    if (cached_links_) corpus_->set_links(*std::exchange(cached_links_, std::nullopt));
  } else {
    cached_.reset();
    cached_links_.reset();
    hash_texts();
    encode(wanted(), source, target, threads, held_out);
  }
  corpus_->set_vocabularies(source.vocabulary_size(), target.vocabulary_size());
}

void CorpusCache::keep() {
  const auto is_unchanged = [](const fs::path& path, const FileStamp& at_start, const TextHash& hash) {
    std::error_code error;
    if (hash.stamp == at_start && fs::exists(TextPath::of(path).file, error) && FileStamp::of(path) == at_start)
      return true;
    log_warning(printable(path.string()) +
                ": changed while it was read; this run uses the text that was read and keeps no cache; resuming "
                "needs that text");
    return false;
  };
  bool all_are = true;
  auto texts_json = Json::array();
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const auto& state = states_[i];
    const bool source_is = is_unchanged(files()[i].source, state.source_at_start, state.source);
    const bool target_is = is_unchanged(files()[i].target, state.target_at_start, state.target);
    all_are = all_are && source_is && target_is;
    auto& text = texts_json.emplace_back(Json{{"source", to_json(state.source)}, {"target", to_json(state.target)}});
    if (files()[i].alignment.empty()) continue;
    all_are = is_unchanged(files()[i].alignment, state.alignment_at_start, state.alignment) && all_are;
    text["alignment"] = to_json(state.alignment);
  }
  if (!all_are) return;
  for (auto* made : {&made_links_, &made_}) {
    if (*made) (*made)->commit();
    made->reset();
  }
  const auto texts = to_pretty_text({{"texts", std::move(texts_json)}});
  if (texts != kept_texts_) write_file(texts_file_, texts);
}

Json CorpusCache::key(const Json& tokenizers) const {
  auto sources = Json::array(), targets = Json::array();
  for (const auto& state : states_) {
    sources.push_back(state.source.sha256);
    targets.push_back(state.target.sha256);
  }
  Json key = {{"program", std::string(kVersion) + ", SentencePiece " + sentencepiece_version() + ", encoding " +
                              std::to_string(kEncoding)},
              {"source_texts", std::move(sources)},
              {"target_texts", std::move(targets)},
              {"tokenizers", tokenizers},
              {"tokenizer_settings", settings_of(*config_)},
              {"max_length", config_->data.max_length}};
  if (config_->data.has_alignment())
    for (const auto& state : states_) key["alignments"].push_back(state.alignment.sha256);  // "": none
  if (config_->data.hold_out) key["hold_out"] = kHoldOut;
  if (auto filters = filters_of(config_->data); !filters.empty()) key["filters"] = std::move(filters);
  return key;
}

void CorpusCache::encode(const Json& key, const Tokenizer& source, const Tokenizer& target, int threads,
                         const HoldOut* held_out) {
  const auto& data = config_->data;
  made_ = std::make_unique<AtomicFile>(corpus_file_);
  CorpusWriter writer([&](std::span<const std::byte> bytes) { made_->write(bytes); },
                      std::max(source.vocabulary_size(), target.vocabulary_size()), data.max_length);
  auto repeated = data.repeated_pairs();
  EncodingOptions options{.max_length = data.max_length,
                          .before_pair = stop_where_requested,
                          .threads = threads,
                          .filters = data.filters,
                          .repeated = repeated ? &*repeated : nullptr};
  if (held_out != nullptr)
    options.holds_out = [held_out](std::string_view source_line, std::string_view target_line) {
      return held_out->contains(source_line, target_line);
    };
  std::optional<CorpusWriter> links;
  if (data.has_alignment()) {
    made_links_ = std::make_unique<AtomicFile>(links_file_);
    links.emplace([&](std::span<const std::byte> bytes) { made_links_->write(bytes); }, data.max_length, 0);
    options.links = &*links;
  }
  const auto reports = encode_corpus(files(), source, target, options, writer);
  const auto finish = [&](CorpusWriter& to, const AtomicFile& file, const fs::path& name) {
    to.finish(key, reports);
    return ParallelCorpus::open(MappedFile(file.open_for_reading(), name), name, ParallelCorpus::Check::kIndex);
  };
  corpus_ = finish(writer, *made_, corpus_file_);
  if (links) corpus_->set_links(finish(*links, *made_links_, links_file_));
}

}  // namespace gloss
