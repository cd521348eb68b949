#include "translation/models/translation_model.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "common/files/safetensors.h"
#include "common/files/user_cache.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "decoding/scorers/make_scorer.h"
#include "model/inference/packed_linear.h"
#include "tensor/accelerator.h"
#include "tokenizer/tokenizer.h"

namespace gloss {
namespace {

std::shared_ptr<const Tokenizer> tokenizer_of(const ModelDescription& description, const std::string& tensor,
                                              std::int64_t vocabulary, const std::string& file) {
  const auto found = description.tokenizers.find(tensor);
  if (found == description.tokenizers.end()) throw ModelError(file + ": the tensor " + tensor + " is missing");
  auto tokenizer = make_tokenizer(found->second, file + ": " + tensor);
  if (tokenizer->vocabulary_size() != vocabulary)
    throw ModelError(file + ": " + tensor + " has " + std::to_string(tokenizer->vocabulary_size()) +
                     " pieces, the embedding " + std::to_string(vocabulary) + " rows; they do not belong together");
  return tokenizer;
}

/// Throws ModelError unless two tokenizers have the same pieces by id.
void expect_equal_pieces(const Tokenizer& source, const Tokenizer& target, const std::string& file) {
  if (source.vocabulary_size() != target.vocabulary_size())
    throw ModelError(file + ": wanted two tokenizers with one table of ids (tokenizer.shared_ids), got " +
                     std::to_string(source.vocabulary_size()) + " and " + std::to_string(target.vocabulary_size()) +
                     " pieces");
  for (Id id = kSpecialIds; id < source.vocabulary_size(); ++id)
    if (source.piece(id) != target.piece(id))
      throw ModelError(file + ": wanted two tokenizers with one table of ids (tokenizer.shared_ids), got \"" +
                       printable(source.piece(id), 80) + "\" and \"" + printable(target.piece(id), 80) + "\" for id " +
                       std::to_string(id));
}

/// Returns a scorer of targets up to the maximum length of a search, or up to the number of positions of the model.
std::shared_ptr<const Scorer> scorer_of(const LazyModel& model, const TranslatorConfig& config,
                                        WeightPrecision precision, bool plain) {
  const auto limit = std::min(DecodingConfig::kMaxTargetLength,
                              config.model.position_limit().value_or(DecodingConfig::kMaxTargetLength));
  return make_scorer(model, config.model, limit, precision, plain);
}

TranslatorConfig config_in(const ModelDescription& description, const std::string& file) {
  try {
    return read_translator_config(description.config);
  } catch (const UsageError& error) {
    throw ModelError(file + ": config: " + error.what());
  }
}

}  // namespace

TokenizerPair make_tokenizers(const ModelDescription& description, const Vocabularies& vocabularies,
                              const std::string& file) {
  const auto config = config_in(description, file).tokenizer;
  if (!config.joint) {
    TokenizerPair pair{tokenizer_of(description, kSourceTokenizer, vocabularies.source, file),
                       tokenizer_of(description, kTargetTokenizer, vocabularies.target, file)};
    if (config.shared_ids) expect_equal_pieces(*pair.first, *pair.second, file);
    return pair;
  }
  if (vocabularies.target != vocabularies.source)
    throw ModelError(file + ": one tokenizer for both languages, but embeddings of different sizes");
  const auto joint = tokenizer_of(description, kJointTokenizer, vocabularies.source, file);
  return {joint, joint};
}

void expect_same_tokenizers(const ModelDescription& first, const std::string& first_name, const ModelDescription& other,
                            const std::string& name) {
  if (first.tokenizers != other.tokenizers)
    throw ModelError(name + ": wanted the tokenizer of " + first_name +
                     ", got another, whose ids mean other pieces; models that are combined must have been trained with "
                     "the same one (tokenizer.model_file of the run file)");
  const auto wanted = to_json(config_in(first, first_name).tokenizer), got = to_json(config_in(other, name).tokenizer);
  for (const auto* key : {"shared_ids", "source_tag", "target_tag"})
    if (wanted.at(key) != got.at(key))
      throw ModelError(name + ": tokenizer." + key + ": wanted " + to_text(wanted.at(key)) + ", as in " + first_name +
                       ", got " + to_text(got.at(key)));
}

std::filesystem::path model_path(const std::filesystem::path& file_or_folder) {
  return std::filesystem::is_directory(file_or_folder) ? file_or_folder / kModelFileName : file_or_folder;
}

std::filesystem::path model_file_of(const std::filesystem::path& file_or_folder) {
  const auto file = model_path(file_or_folder);
  if (std::filesystem::exists(file_or_folder / kCheckpointsFolder) && !std::filesystem::exists(file))
    throw UsageError({Key{"model"}, ": the run in " + printable(file_or_folder.string()) +
                                        " has not ended; continue it with gloss train-translate --resume " +
                                        shell_quoted(file_or_folder) +
                                        ", or make a model of its checkpoints with gloss average " +
                                        shell_quoted(file_or_folder / kCheckpointsFolder) +
                                        "/step-*.safetensors --output model.safetensors"});
  if (file.empty() || !std::filesystem::exists(file))
    throw UsageError({Key{"model"}, ": there is no " + printable(file.string()) +
                                        "; name a model file, or the folder of a finished run"});
  if (const auto ending = file.extension(); ending == ".npz" || ending == ".bin")
    throw UsageError({Key{"model"}, ": " + printable(file.string()) +
                                        ": is a model of another program; gloss import makes a model file of it"});
  return file;
}

namespace {

TranslationModel translation_model(const SafetensorsFile& file, at::Device device) {
  const auto& name = file.name();
  if (format_of(file) == kCheckpointFormat)
    throw ModelError(name + ": is a checkpoint; gloss average FILE --output MODEL makes a model of it");
  auto stored = open_model_file(file, device);
  auto config = config_in(stored.description, name);
  auto [source, target] = make_tokenizers(stored.description, stored.vocabularies, name);
  return {std::move(stored), std::move(config), std::move(source), std::move(target)};
}

}  // namespace

TranslationModel load_translation_model(const std::filesystem::path& file_or_folder, at::Device device) {
  const auto cache = UserCache::of_user();
  auto result = translation_model(SafetensorsFile::open_in_place(model_file_of(file_or_folder), cache), device);
  result.file.model.cache = cache;
  return result;
}

TranslationModel load_translation_model(const SafetensorsFile& file, at::Device device) {
  auto result = translation_model(file, device);
  result.file.model = LazyModel(result.file.model.network());
  return result;
}

LineTranslator make_translator(const EncoderDecoder& model, const TranslatorConfig& config,
                               std::shared_ptr<const Tokenizer> source_tokenizer,
                               std::shared_ptr<const Tokenizer> target_tokenizer, bool plain,
                               WeightPrecision precision) {
  return LineTranslator(scorer_of(model, config, precision, plain), std::move(source_tokenizer),
                        std::move(target_tokenizer), config.max_source_length());
}

namespace {

std::vector<WeightPrecision> precisions_of(at::Device device) {
  using P = WeightPrecision;
  if (device.is_cpu()) return {P::kFloat32, P::kBfloat16, P::kInt8};
  if (has_bfloat16(device)) return {P::kFloat32, P::kBfloat16, P::kFloat16};
  return {P::kFloat32, P::kFloat16};
}

bool has_precision(at::Device device, WeightPrecision precision) {
  return std::ranges::count(precisions_of(device), precision) > 0;
}

}  // namespace

WeightPrecision translating_precision(WeightPrecision stored, at::Device device) {
  const bool fast = device.is_cpu() ? is_fast(stored) : has_precision(device, stored);
  return fast ? stored : WeightPrecision::kFloat32;
}

void expect_translating_precision(std::optional<WeightPrecision> precision, at::Device device, bool plain) {
  if (!precision || *precision == WeightPrecision::kFloat32) return;
  const auto got = ", got " + std::string(weight_precision_name(*precision));
  if (plain)
    throw UsageError({Key{"precision"}, ": wanted float32 beside ", Key{"plain"}, got + "; leave one of the two out"});
  if (has_precision(device, *precision)) return;
  std::string wanted;
  const auto all = precisions_of(device);
  for (const auto& each : all)
    wanted.append(wanted.empty() ? "" : &each == &all.back() ? " or " : ", ").append(weight_precision_name(each));
  throw UsageError({Key{"precision"}, ": wanted " + wanted + " on the device " + device.str() + got +
                                          (device.is_cpu() ? "" : "; leave it out, or take the device cpu")});
}

std::shared_ptr<const Scorer> TranslationModel::scorer(std::optional<WeightPrecision> precision, bool plain) const {
  expect_translating_precision(precision, file.model.device, plain);
  return scorer_of(file.model, config, precision.value_or(translating_precision(file.precision, file.model.device)),
                   plain);
}

Aligner TranslationModel::aligner(std::shared_ptr<const Scorer> scorer) const {
  return {std::move(scorer), default_attention_site(config.model, config.decoding.alignment_from)};
}

LineTranslator TranslationModel::translator(std::optional<WeightPrecision> precision, bool plain) const {
  const auto [source, target] = tagged_tokenizers();
  const auto scorer = this->scorer(precision, plain);
  return LineTranslator(scorer, source, target, config.max_source_length(), aligner(scorer));
}

TokenizerPair TranslationModel::tagged_tokenizers() const {
  return with_tags({source_tokenizer, target_tokenizer}, config, languages, "");
}

}  // namespace gloss
