#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "interchange/formats/zip_file.h"
#include "interchange/import/import_model.h"
#include "interchange/weight_map.h"
#include "model/storage/stored_weights.h"
#include "model/weights.h"
#include "tests/interchange/export/ctranslate2_reader.h"
#include "tests/interchange/export/exported_model.h"
#include "tests/interchange/foreign_model.h"
#include "tests/interchange/formats/foreign_bytes.h"
#include "tests/support/small_model.h"
#include "translation/line_translator.h"
#include "translation/models/translation_model.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

constexpr auto kFormat = ExportFormat::kCtranslate2;

/// A folder of CTranslate2 that gloss has exported and a test changes.
class ImportCtranslate2Test : public testing::Test {
 protected:
  TranslationModel imported(const std::filesystem::path& path, WeightPrecision precision = WeightPrecision::kFloat32,
                            ImportSettings settings = {}) {
    settings.path = path;
    import_model(settings, precision, folder_ / "gloss.safetensors");
    return load_translation_model(folder_ / "gloss.safetensors", at::kCPU);
  }
  static std::vector<std::string> refusals(const std::filesystem::path& path, ImportSettings settings = {}) {
    settings.path = path;
    return check_import(settings).refusals.reasons();
  }
  /// Changes the variables of a model.bin.
  static void change(const std::filesystem::path& folder, const std::function<void(ReadModel&)>& edit) {
    auto model = read_ctranslate2_model(read_file(folder / "model.bin", 1 << 26));
    edit(model);
    std::vector<Ct2Variable> variables;
    for (const auto& [name, variable] : model.variables)
      variables.push_back({name, static_cast<std::uint8_t>(variable.type), variable.shape, variable.bytes});
    put_file(folder / "model.bin", ctranslate2_bytes(variables, {model.aliases.begin(), model.aliases.end()},
                                                     model.version, model.spec, model.revision));
  }
  static void change_json(const std::filesystem::path& file, const std::function<void(Json&)>& edit) {
    auto json = parse_json(read_file(file, 1 << 20));
    edit(json);
    put_text(file, to_text(json));
  }
  static void add_number(ReadModel& model, const std::string& name, std::int8_t value) {
    model.variables[name] = {{}, 1, raw(value)};
  }
  static std::filesystem::path written(const ExportedModel& model,
                                       WeightPrecision precision = WeightPrecision::kFloat32) {
    model.write(kFormat, precision);
    return model.output();
  }

  TemporaryFolder folder_;
};

void expect_equal_weights(const TranslationModel& found, const TranslationModel& wanted) {
  for (const auto& [name, info] : network_weights(wanted.config.model, wanted.file.vocabularies))
    EXPECT_TRUE(at::equal(found.file.model.weights(name).to_float(), wanted.file.model.weights(name).to_float()))
        << name << ": " << describe(wanted.config.model);
}

/// The section `model` without settings that change no translation.
Json formulas_of(const ModelConfig& config) {
  auto json = to_json(config);
  for (const auto* key : {"dropout", "attention_dropout", "feed_forward_dropout", "final_norm", "d_ff_decoder"})
    json.erase(key);
  if (config.positions != Positions::kLearned) json.erase("max_positions");
  if (config.positions != Positions::kSinusoidal) json.erase("first_position"), json.erase("position_frequencies");
  if (config.norm == NormPlace::kPost) json.erase("self_attention_norm");
  json["has_final_norm"] = config.has_final_norm();
  json["decoder_d_ff"] = config.decoder_d_ff();
  return json;
}

TEST_F(ImportCtranslate2Test, AnExportComesBackWithItsWeightsFormulasAndTokenizer) {
  int round_trips = 0;
  for (const auto& config : all_networks()) {
    const ExportedModel model([&](SmallJob& job) {
      job.config.model = config;
      job.config.data.max_length = config.max_positions;
    });
    if (!refusal(model, kFormat).empty()) continue;
    ++round_trips;
    const auto again = imported(model.output());
    const auto wanted = model.model();
    EXPECT_EQ(formulas_of(again.config.model), formulas_of(config));
    EXPECT_EQ(again.source_tokenizer->serialized(), wanted.source_tokenizer->serialized());
    expect_equal_weights(again, wanted);
  }
  EXPECT_GT(round_trips, 20);
}

TEST_F(ImportCtranslate2Test, BothVocabulariesComeBack) {
  for (const auto ties : {TieEmbeddings::kNone, TieEmbeddings::kDecoder}) {
    const ExportedModel model([&](SmallJob& job) { job.use_two_tokenizers(ties); });
    const auto again = imported(written(model));
    EXPECT_EQ(again.config.model.tie_embeddings, ties);
    EXPECT_FALSE(again.config.tokenizer.joint);
    EXPECT_EQ(again.target_tokenizer->serialized(), model.model().target_tokenizer->serialized());
    expect_equal_weights(again, model.model());
  }
}

TEST_F(ImportCtranslate2Test, Int8ValuesStayAndScalesMoveByOneRoundingAtMost) {
  const ExportedModel model;
  model.store_coarse_int8();
  const auto path = written(model, WeightPrecision::kInt8);
  const auto again = imported(path, WeightPrecision::kInt8), exact = model.model();
  int matrices = 0;
  for (const auto& [name, info] : network_weights(exact.config.model, exact.file.vocabularies)) {
    const auto found = again.file.model.weights(name), wanted = exact.file.model.weights(name);
    if (!wanted.scales.defined()) continue;
    ++matrices;
    const auto has_scale = (wanted.scales != 0).unsqueeze(1);
    EXPECT_TRUE(at::equal(found.values, wanted.values * has_scale)) << name;
    const auto difference = (found.scales - wanted.scales).abs() / wanted.scales;
    EXPECT_LE(difference.masked_select(wanted.scales != 0).max().item<float>(), std::numeric_limits<float>::epsilon());
  }
  EXPECT_GT(matrices, 10);
  const auto floats = imported(path);
  for (const auto& [name, info] : network_weights(exact.config.model, exact.file.vocabularies))
    EXPECT_TRUE(
        at::allclose(floats.file.model.weights(name).to_float(), again.file.model.weights(name).to_float(), 1e-6, 0))
        << name;
}

TEST_F(ImportCtranslate2Test, Bfloat16MatricesAreRoundedOnce) {
  const ExportedModel model;
  const auto name = "decoder.layers.0.cross_attention.value.weight";
  const auto again = imported(written(model, WeightPrecision::kBfloat16));
  EXPECT_TRUE(
      at::equal(again.file.model.weights(name).to_float(), model.weight(name).to(at::kBFloat16).to(at::kFloat)));
}

// Without a table CTranslate2 has sinusoids of its own: from position 1, all sines first. Rows of int8 keep their
// scales when the channels of the residual stream get gloss's order.
TEST_F(ImportCtranslate2Test, AModelWithoutATableHasTheSinusoidsOfItsProgram) {
  const ExportedModel model;
  model.store_coarse_int8();
  change(written(model, WeightPrecision::kInt8), [](ReadModel& read) {
    read.variables.erase("encoder/position_encodings/encodings");
    read.aliases.erase("decoder/position_encodings/encodings");
  });
  for (const auto precision : {WeightPrecision::kFloat32, WeightPrecision::kInt8}) {
    const auto again = imported(model.output(), precision);
    const auto& config = again.config.model;
    EXPECT_EQ(config.position_frequencies, PositionFrequencies::kTensor2Tensor);
    EXPECT_EQ(config.first_position, 1);
    const auto expect_moved = [&](const std::string& name, std::int64_t axis) {
      const auto found = again.file.model.weights(name).to_float(),
                 stored = model.model().file.model.weights(name).to_float();
      EXPECT_TRUE(at::allclose(found, alternate_channels(stored, axis), 1e-6, 0)) << name;
    };
    expect_moved("encoder.layers.0.self_attention.query.weight", 1);
    expect_moved("encoder.layers.0.feed_forward.outer.weight", 0);
  }
}

TEST_F(ImportCtranslate2Test, ATableOfOtherNumbersIsLearned) {
  const ExportedModel model;
  change(written(model), [](ReadModel& read) {
    auto& table = read.variables.at("encoder/position_encodings/encodings");
    std::fill_n(table.bytes.begin() + 40, 4, '\0');
  });
  const auto again = imported(model.output());
  EXPECT_EQ(again.config.model.positions, Positions::kLearned);
  EXPECT_EQ(again.config.model.max_positions, 2048);
  EXPECT_EQ(again.config.max_length, 1024);
}

TEST_F(ImportCtranslate2Test, MissingBiasesAreZeros) {
  const ExportedModel model;
  change(written(model), [](ReadModel& read) {
    std::erase_if(read.variables, [](const auto& variable) {
      return variable.first.find("self_attention/linear_0/bias") != std::string::npos ||
             variable.first == "decoder/projection/bias";
    });
  });
  const auto again = imported(model.output());
  EXPECT_EQ(again.file.model.weights("generator.bias").to_float().count_nonzero().item<int>(), 0);
  EXPECT_EQ(again.file.model.weights("encoder.layers.0.self_attention.key.bias").to_float().count_nonzero().item<int>(),
            0);
}

// M2M100 and fairseq start with </s>.
TEST_F(ImportCtranslate2Test, AStartThatIsAnotherPieceHasItsRowAndNoChance) {
  const ExportedModel model;
  const auto path = written(model);
  change_json(path / "config.json", [](Json& json) { json["decoder_start_token"] = "</s>"; });
  const auto again = imported(path);
  const auto embedding = again.file.model.weights("source_embedding.weight").to_float();
  EXPECT_TRUE(at::equal(embedding[kBos], embedding[kEos]));
  EXPECT_TRUE(at::equal(embedding[kEos], model.weight("source_embedding.weight")[kEos]));
  EXPECT_EQ(again.file.model.weights("generator.bias").to_float()[kBos].item<float>(), -100);
  EXPECT_EQ(again.source_tokenizer->vocabulary_size(), model.model().source_tokenizer->vocabulary_size() + 1);
  EXPECT_EQ(again.source_tokenizer->piece(kSpecialIds), "<unused-2>") << "<s>, an ordinary piece";
  export_model({.model = folder_ / "gloss.safetensors", .format = kFormat, .output = folder_ / "again"});
  expect_equal_weights(imported(folder_ / "again"), again);
}

/// Makes an exported folder one as CTranslate2 converts it from OpenNMT: <blank>, and no end of sources.
void make_opennmt(const std::filesystem::path& folder) {
  auto pieces = parse_json(read_file(folder / "shared_vocabulary.json", 1 << 20));
  std::string text;
  for (auto& piece : pieces) text += (piece == "<pad>" ? "<blank>" : piece.get<std::string>()) + '\n';
  std::filesystem::remove(folder / "shared_vocabulary.json");
  put_text(folder / "shared_vocabulary.txt", text);
  put_text(folder / "config.json", R"({"add_source_bos": false, "add_source_eos": false, "bos_token": "<s>",
      "decoder_start_token": "<s>", "eos_token": "</s>", "layer_norm_epsilon": null, "unk_token": "<unk>"})");
}

TEST_F(ImportCtranslate2Test, SourcesOfOpenNMTHaveNoEnd) {
  const ExportedModel model;
  const auto path = written(model);
  make_opennmt(path);
  const auto again = imported(path);
  expect_equal_weights(again, model.model());
  EXPECT_FALSE(again.source_tokenizer->has_source_eos());
  const LineTranslator translator(again.scorer(WeightPrecision::kFloat32, /*plain=*/false), again.source_tokenizer,
                                  again.target_tokenizer, 64);
  EXPECT_EQ(translator.encode_source("the cat").ids, again.source_tokenizer->encode("the cat"));
  EXPECT_THAT(check_import({.path = path}).notes, Contains(HasSubstr("sources have no </s> at their end")));
  // An export and another import keep this.
  export_model({.model = folder_ / "gloss.safetensors", .format = kFormat, .output = folder_ / "again"});
  EXPECT_FALSE(imported(folder_ / "again").source_tokenizer->has_source_eos());
  change_json(path / "config.json", [](Json& json) { json["add_source_eos"] = true; });
  EXPECT_TRUE(imported(path).source_tokenizer->has_source_eos());
}

TEST_F(ImportCtranslate2Test, AnArgosPackageIsReadFromItsArchive) {
  if (!has_libzip()) GTEST_SKIP() << "built without libzip";
  const ExportedModel model;
  const auto path = written(model);
  make_opennmt(path);
  std::vector<ZipEntry> entries{
      {"en_pt/metadata.json",
       R"({"from_code": "en", "to_code": "pt_BR", "package_version": "1.9", "type": "translate"})"},
      {"en_pt/sentencepiece.model", model.text("tokenizer.model"), true}};
  for (const auto* file : {"model.bin", "config.json", "shared_vocabulary.txt"})
    entries.push_back({std::string("en_pt/model/") + file, model.text(file), true});
  const auto package = folder_ / "en_pt.argosmodel";
  put_file(package, zip_bytes(entries));
  const auto report = check_import({.path = package});
  EXPECT_EQ(report.format, "Argos package");
  EXPECT_THAT(report.files, ElementsAre(package.string()));
  EXPECT_EQ(report.decoding.at("beam_size"), 4);
  const auto again = imported(package);
  expect_equal_weights(again, model.model());
  EXPECT_EQ(again.config.languages.source, "en");
  EXPECT_EQ(again.config.languages.target, "pt-BR");
  EXPECT_FALSE(again.source_tokenizer->has_source_eos());

  entries.front().bytes = R"({"type": "sbd"})";
  entries[1].name = "en_pt/bpe.model";
  put_file(package, zip_bytes(entries));
  EXPECT_THAT(refusals(package), AllOf(Contains("type: wanted translate, got \"sbd\""),
                                       Contains(HasSubstr("found codes of subword-nmt (bpe.model)"))));
}

TEST_F(ImportCtranslate2Test, AllPartsThatGlossLacksAreInOneReport) {
  const ExportedModel model;
  change(written(model), [](ReadModel& read) {
    for (const auto* name : {"encoder/layer_0/self_attention/relative_position_keys",
                             "decoder/layer_0/self_attention/q_norm/gamma", "decoder/project_in/weight"})
      read.variables[name] = {{1, 1}, 0, raw(1.0F)};
    add_number(read, "decoder/layer_0/self_attention/rotary_dim", 0);
    add_number(read, "decoder/layer_0/self_attention/num_heads_kv", 1);
    add_number(read, "decoder/alibi", 1);
    add_number(read, "decoder/activation", 1);
    add_number(read, "encoder/activation", 1);
    add_number(read, "encoder/pre_norm", 0);
    add_number(read, "encoder/new_switch", 5);
    read.variables["decoder/scale_embeddings"] = {{}, 0, raw(3.0F)};
  });
  change_json(model.output() / "config.json", [](Json& json) {
    json["add_source_bos"] = true;
    json["decoder_start_token"] = nullptr;
  });
  EXPECT_THAT(
      refusals(model.output()),
      AllOf(Contains(HasSubstr("wanted no relative positions, got encoder/layer_0/self_attention/relative")),
            Contains(HasSubstr("wanted no norms of queries")), Contains(HasSubstr("wanted no projected embeddings")),
            Contains(HasSubstr("wanted no rotary positions")),
            Contains("numbers of networks that gloss lacks: decoder/alibi 1, "
                     "decoder/layer_0/self_attention/num_heads_kv 1, encoder/new_switch 5"),
            Contains(HasSubstr("decoder/activation: wanted 0 (relu)")),
            Contains("decoder/pre_norm: wanted 0 as in the encoder, got 1"),
            Contains(HasSubstr("decoder/scale_embeddings: wanted")), Contains("add_source_bos: wanted false, got true"),
            Contains(HasSubstr("decoder_start_token: wanted a token, got none")),
            Contains(HasSubstr("tensors that do not belong to the network"))));
  EXPECT_THAT([&] { imported(model.output()); }, ThrowsMessage<ModelError>(HasSubstr("rotary")));
}

TEST_F(ImportCtranslate2Test, OtherSpecificationsAreNamed) {
  const ExportedModel model;
  change(written(model), [](ReadModel& read) { read.spec = "WhisperSpec", read.revision = 3; });
  EXPECT_THAT(refusals(model.output()),
              Contains(HasSubstr("wanted a TransformerSpec, which translates, got WhisperSpec")));
  change(model.output(), [](ReadModel& read) { read.spec = "TransformerSpec", read.revision = 8; });
  EXPECT_THAT(refusals(model.output()), Contains(HasSubstr("wanted revision 3 to 7 of the specification, got 8")));
}

TEST_F(ImportCtranslate2Test, MissingTensorsAndOtherShapesAreRefused) {
  const ExportedModel model;
  change(written(model), [](ReadModel& read) {
    read.variables.erase("decoder/layer_0/attention/linear_1/weight");
    auto& bias = read.variables.at("encoder/layer_0/self_attention/linear_0/bias");
    bias.shape = {1}, bias.bytes.resize(4);
  });
  EXPECT_THAT(refusals(model.output()),
              AllOf(Contains("tensors of the network that are missing: decoder/layer_0/attention/linear_1/weight"),
                    Contains(HasSubstr("encoder/layer_0/self_attention/linear_0/bias is float32 [1], wanted [24]"))));
}

TEST_F(ImportCtranslate2Test, WithoutASentencePieceModelOneIsWanted) {
  const ExportedModel model;
  const auto path = written(model), kept = folder_ / "kept.model";
  std::filesystem::rename(path / "tokenizer.model", kept);
  EXPECT_THAT(refusals(path),
              ElementsAre(HasSubstr("wanted a SentencePiece model (.spm, .model) beside the model or by "
                                    "--vocabulary, found none")));
  EXPECT_THAT(refusals(path, {.vocabularies = {kept}}), IsEmpty());
  EXPECT_THAT([&] { refusals(path, {.vocabularies = {path / "shared_vocabulary.json"}}); },
              ThrowsMessage<ModelError>(HasSubstr("shared_vocabulary.json")));
  std::filesystem::copy_file(kept, path / "a.model");
  std::filesystem::copy_file(kept, path / "b.model");
  EXPECT_THAT(refusals(path), Contains(HasSubstr("there are several SentencePiece models: a.model, b.model")));
}

TEST_F(ImportCtranslate2Test, VocabulariesMustFit) {
  const ExportedModel model;
  const auto path = written(model);
  change_json(path / "shared_vocabulary.json", [](Json& json) { json.erase(json.size() - 1); });
  EXPECT_THAT(refusals(path), Contains(HasSubstr("decoder/embeddings/weight is float32")));
  change_json(path / "shared_vocabulary.json", [](Json& json) { json[1] = "unknown"; });
  EXPECT_THAT(refusals(path), Contains(HasSubstr("wanted the tokens <unk> and </s>, found not both")));
  std::filesystem::remove(path / "shared_vocabulary.json");
  EXPECT_THAT(refusals(path, {.from = ModelFamily::kCtranslate2}),
              Contains(HasSubstr("wanted shared_vocabulary.json")));
}

TEST_F(ImportCtranslate2Test, FormulasAreThoseOfTheFile) {
  const ExportedModel model;
  const ImportSettings settings{.path = written(model), .formulas = ModelFamily::kMarian};
  EXPECT_THAT([&] { check_import(settings); },
              ThrowsMessage<UsageError>(HasSubstr("--formulas: applies to models of")));
}

}  // namespace
}  // namespace gloss
