#include "run/run_tokenizers.h"

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/sha256.h"
#include "common/log/log.h"
#include "common/text/printable.h"
#include "model/storage/model_file.h"
#include "run/config/initial_weights.h"
#include "tokenizer/sentencepiece_tokenizer.h"
#include "tokenizer/tokenizer.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

// Returns whether the file can be read and has this SHA-256.
bool has_sum(const fs::path& file, const std::string& wanted) {
  try {
    return !wanted.empty() && sha256(read_file(file, kMaxTokenizerBytes)) == wanted;
  } catch (const Error&) {
    return false;
  }
}

std::shared_ptr<const Tokenizer> load_or_train(const TokenizerConfig& config, const std::string& name,
                                               TrainingTexts& texts, TrainingTexts::Sides sides) {
  if (!config.model_file.empty()) return load_named_tokenizer(config);
  if (config.shared_ids)
    throw UsageError(
        "tokenizer.shared_ids: wanted training.start_from with a model that has such tokenizers, got a run that trains "
        "its own; set it to false");
  log_info("training " + name + ", " + std::to_string(config.vocabulary_size) + " pieces");
  return std::make_shared<SentencePieceTokenizer>(texts.train_tokenizer(sides, config), name);
}

}  // namespace

RunTokenizers::RunTokenizers(const RunConfig& config, const RunFolder& folder, const CorpusCache& cache,
                             const std::map<std::string, std::string>& given) {
  for (const auto& [name, bytes] : given) by_name_[name] = make_tokenizer(bytes, name);
  const auto add = [&](const std::string& name, TrainingTexts::Sides sides) {
    const auto kept = folder.tokenizer_file(name);
    const auto& named = config.tokenizer.model_file;
    const bool is_kept = (named.empty() || (folder.resumes() && !fs::exists(named))) && fs::exists(kept);
    const bool takes_kept = is_kept && (folder.resumes() || has_sum(kept, cache.known_tokenizer(name)));
    by_name_[name] = takes_kept ? load_tokenizer(kept) : load_or_train(config.tokenizer, name, cache.texts(), sides);
  };
  if (!given.empty()) {
  } else if (config.tokenizer.joint) {
    add(kJointTokenizer, TrainingTexts::Sides::kBoth);
  } else {
    add(kSourceTokenizer, TrainingTexts::Sides::kSource);
    add(kTargetTokenizer, TrainingTexts::Sides::kTarget);
  }
  const bool is_joint = by_name_.contains(kJointTokenizer);
  tagged_ = with_tags({by_name_.at(is_joint ? kJointTokenizer : kSourceTokenizer),
                       by_name_.at(is_joint ? kJointTokenizer : kTargetTokenizer)},
                      config.translator(), {}, "data.");
}

void RunTokenizers::save(const RunFolder& folder) const {
  for (const auto& [name, tokenizer] : by_name_) {
    const auto file = folder.tokenizer_file(name);
    if (folder.resumes() && fs::exists(file) && !has_sum(file, sha256(tokenizer->serialized())))
      log_warning(printable(file.string()) + ": was not the tokenizer of this run, which replaces it");
    write_file(file, tokenizer->serialized());
  }
}

}  // namespace gloss
