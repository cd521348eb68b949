#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "interchange/import/import_model.h"
#include "tests/interchange/foreign_model.h"
#include "tests/support/temporary_folder.h"
#include "tokenizer/sentencepiece_model.h"
#include "translation/models/translation_model.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::ThrowsMessage;

class ImportHuggingFaceTest : public testing::Test {
 protected:
  ImportReport check(const HuggingFaceModel& model, ImportSettings settings = {}) {
    std::filesystem::remove_all(folder_ / "there");
    model.write(folder_ / "there");
    settings.path = folder_ / "there";
    return check_import(settings);
  }
  std::vector<std::string> refusals(const HuggingFaceModel& model, const ImportSettings& settings = {}) {
    return check(model, settings).refusals.reasons();
  }
  TranslationModel imported(const HuggingFaceModel& model, ImportSettings settings = {}) {
    EXPECT_THAT(refusals(model, settings), IsEmpty());
    settings.path = folder_ / "there";
    import_model(settings, WeightPrecision::kFloat32, folder_ / "gloss.safetensors");
    return load_translation_model(folder_ / "gloss.safetensors", at::kCPU);
  }
  /// Rows of gloss's embedding, by rows there.
  static void expect_rows(const TranslationModel& model, const HuggingFaceModel& there,
                          const std::map<std::int64_t, std::int64_t>& rows) {
    const auto embedding = model.file.model.weights("source_embedding.weight").values;
    const auto& shared = there.tensors.at("model.shared.weight");
    for (const auto& [id, row] : rows)
      for (std::int64_t c = 0; c < kSmallWidth; ++c)
        EXPECT_EQ(embedding[id][place_of(c)].item<float>(), shared.at(row, c)) << id << " of row " << row;
  }

  TemporaryFolder folder_;
};

TEST_F(ImportHuggingFaceTest, MarianMTIsComputedAsItWasTrained) {
  const HuggingFaceModel there("marian");
  const auto model = imported(there);
  const auto& config = model.config.model;
  EXPECT_EQ(config.norm, NormPlace::kPost);
  EXPECT_EQ(config.position_frequencies, PositionFrequencies::kTensor2Tensor);
  EXPECT_EQ(config.layer_norm_epsilon, 1e-6);
  EXPECT_EQ(config.decoder_start, DecoderStart::kZero);
  expect_rows(model, there, {{0, there.pieces - 1}, {1, 1}, {3, 0}, {4, 2}, {10, 8}});
  const auto bias = model.file.model.weights("generator.bias").values;
  EXPECT_EQ(bias[0].item<float>(), -100);
  EXPECT_EQ(bias[2].item<float>(), -100);
  EXPECT_EQ(bias[3].item<float>(), there.tensors.at("final_logits_bias").at(0, 0));
  const auto hf = imported(there, {.formulas = ModelFamily::kHuggingFace});
  EXPECT_EQ(hf.config.model.position_frequencies, PositionFrequencies::kPaper);
  EXPECT_EQ(hf.config.model.layer_norm_epsilon, 1e-5);
}

TEST_F(ImportHuggingFaceTest, MatricesAreNotTransposed) {
  const HuggingFaceModel there("marian");
  const auto model = imported(there);
  const auto weight = [&](const std::string& name) { return model.file.model.weights(name).values; };
  const auto key = weight("decoder.layers.0.cross_attention.key.weight");
  const auto output = weight("encoder.layers.0.self_attention.output.weight");
  const auto& key_there = there.tensors.at("model.decoder.layers.0.encoder_attn.k_proj.weight");
  const auto& output_there = there.tensors.at("model.encoder.layers.0.self_attn.out_proj.weight");
  for (std::int64_t c = 0; c < kSmallWidth; ++c)
    for (std::int64_t i = 0; i < kSmallWidth; ++i) {
      EXPECT_EQ(key[i][place_of(c)].item<float>(), key_there.at(i, c));
      EXPECT_EQ(output[place_of(c)][i].item<float>(), output_there.at(c, i));
    }
}

TEST_F(ImportHuggingFaceTest, TagsOfMarianMTAreLanguagesOfTheTarget) {
  const HuggingFaceModel there("marian");
  const auto model = imported(there, {.target_language = "deu"});
  EXPECT_EQ(model.config.tokenizer.source_tag, SourceTag::kTarget);
  EXPECT_FALSE(model.config.tokenizer.target_tag);
  EXPECT_EQ(model.config.languages.target, "deu");
  EXPECT_THAT(check(there).notes, Contains(HasSubstr("--target-language")));
  EXPECT_THAT([&] { check(there, {.target_language = "eng"}); },
              ThrowsMessage<UsageError>(
                  HasSubstr("target_language: wanted a language of this model, one of deu, fra, got eng")));
}

TEST_F(ImportHuggingFaceTest, PegasusIsPreNormAndStartsFromZero) {
  const HuggingFaceModel there("pegasus");
  const auto model = imported(there);
  const auto& config = model.config.model;
  EXPECT_EQ(config.norm, NormPlace::kPre);
  EXPECT_TRUE(config.has_final_norm());
  EXPECT_EQ(config.position_frequencies, PositionFrequencies::kPaper);
  EXPECT_EQ(config.first_position, 0);
  EXPECT_EQ(config.decoder_start, DecoderStart::kZero);
  expect_rows(model, there, {{0, 0}, {1, 4}, {3, 1}, {4, 2}, {5, 3}, {6, 5}});
  EXPECT_EQ(model.source_tokenizer->decode(model.source_tokenizer->encode("the cat")), "the cat");
}

TEST_F(ImportHuggingFaceTest, M2M100AndNLLBHaveTagsOnBothSides) {
  for (const auto& [type, german] : {std::pair("m2m_100", "de"), {"nllb", "deu_Latn"}}) {
    const HuggingFaceModel there(type);
    const auto model = imported(there, {.target_language = german});
    const auto& config = model.config;
    EXPECT_EQ(config.model.first_position, 2);
    EXPECT_EQ(config.model.position_frequencies, PositionFrequencies::kTensor2Tensor);
    EXPECT_EQ(config.model.layer_norm_epsilon, 1e-5);
    EXPECT_EQ(config.model.decoder_start, DecoderStart::kBosRow);
    EXPECT_EQ(config.tokenizer.source_tag, SourceTag::kSource);
    EXPECT_TRUE(config.tokenizer.target_tag);
    expect_rows(model, there, {{0, 1}, {1, 3}, {2, 2}, {3, 2}, {4, 4}, {5, 5}});
    EXPECT_EQ(model.source_tokenizer->language_tag(german), there.pieces - 3);
    const auto bias = model.file.model.weights("generator.bias").values;
    EXPECT_EQ(bias[2].item<float>(), -100);
    EXPECT_EQ(bias[4].item<float>(), 0);
  }
}

TEST_F(ImportHuggingFaceTest, KeysThatAreMissingHaveTheValuesOfTheirClass) {
  for (const auto& [type, activation, scale] :
       {std::tuple("marian", "gelu", "one"), {"pegasus", "gelu", "one"}, {"m2m_100", "relu", "sqrt"}}) {
    HuggingFaceModel there(type);
    for (const auto* key : {"activation_function", "scale_embedding", "dropout", "attention_dropout"})
      there.config.erase(key);
    if (type != std::string("marian"))  // whose pad is the last row of a vocabulary of the usual size
      for (const auto* key : {"pad_token_id", "bos_token_id", "eos_token_id", "decoder_start_token_id"})
        there.config.erase(key);
    const auto report = check(there);
    EXPECT_THAT(report.refusals.reasons(), IsEmpty()) << type;
    EXPECT_EQ(report.model.at("activation"), activation) << type;
    EXPECT_EQ(report.model.at("embedding_scale"), scale) << type;
    EXPECT_EQ(report.model.at("dropout"), 0.1);
    EXPECT_EQ(report.model.at("attention_dropout"), type == std::string("m2m_100") ? 0.1 : 0.0);
  }
  HuggingFaceModel there("marian");
  there.config.erase("pad_token_id");
  EXPECT_THAT(refusals(there), ElementsAre(AllOf(HasSubstr("pad_token_id: wanted"), HasSubstr("got 58100"))));
  there.generation = {{"pad_token_id", there.pieces - 1}};
  EXPECT_THAT(refusals(there), IsEmpty());
  there.config["pad_token_id"] = nullptr;
  EXPECT_THAT(refusals(there), IsEmpty());
}

TEST_F(ImportHuggingFaceTest, SizesThatAreMissingAreThoseOfTheClass) {
  HuggingFaceModel there("pegasus");
  for (const auto* key : {"d_model", "encoder_layers", "decoder_layers", "encoder_ffn_dim", "decoder_ffn_dim",
                          "encoder_attention_heads", "decoder_attention_heads", "vocab_size"})
    there.config.erase(key);
  const auto model = check(there).model;
  EXPECT_EQ(model.at("d_model"), 1024);
  EXPECT_EQ(model.at("encoder_layers"), 12);
  EXPECT_EQ(model.at("decoder_layers"), 12);
  EXPECT_EQ(model.at("d_ff"), 4096);
  EXPECT_EQ(model.at("heads"), 16);
}

TEST_F(ImportHuggingFaceTest, KeysHaveOtherNamesToo) {
  HuggingFaceModel there("marian");
  there.config.erase("encoder_attention_heads");
  EXPECT_THAT(refusals(there), Contains(HasSubstr("encoder_attention_heads: wanted a divisor of d_model 8, got 16")));
  there.config["num_attention_heads"] = 2;
  EXPECT_EQ(check(there).model.at("heads"), 2);
  EXPECT_THAT(refusals(there), IsEmpty());
}

TEST_F(ImportHuggingFaceTest, OnlyMarianMTCanHaveTwoEmbeddings) {
  HuggingFaceModel there("pegasus");
  there.config["share_encoder_decoder_embeddings"] = false;  // no key of this class
  EXPECT_EQ(imported(there).config.model.tie_embeddings, TieEmbeddings::kAll);
}

TEST_F(ImportHuggingFaceTest, PositionsOfM2M100BeginAfterPad) {
  HuggingFaceModel there("m2m_100");
  there.config["pad_token_id"] = 0;
  there.config["bos_token_id"] = 1;
  EXPECT_EQ(imported(there).config.model.first_position, 1);
  there.config["decoder_start_token_id"] = 0;
  EXPECT_THAT(refusals(there), ElementsAre(HasSubstr("decoder_start_token_id: wanted another piece than pad")));
}

TEST_F(ImportHuggingFaceTest, OtherTokenizersAreRefusedByTheirName) {
  HuggingFaceModel nllb("nllb");
  nllb.tokenizer["legacy_behaviour"] = true;
  EXPECT_THAT(refusals(nllb), ElementsAre(HasSubstr("legacy_behaviour: wanted false")));
  nllb.tokenizer["legacy_behaviour"] = false;
  for (const auto* name : {"NllbTokenizer", "NllbTokenizerFast", "M2M100Tokenizer"}) {
    nllb.tokenizer["tokenizer_class"] = name;
    EXPECT_THAT(refusals(nllb), IsEmpty()) << name;
  }
  HuggingFaceModel pegasus("pegasus");
  pegasus.config["tokenizer_class"] = "T5Tokenizer";
  EXPECT_THAT(refusals(pegasus),
              ElementsAre(AllOf(HasSubstr("tokenizer_class: wanted PegasusTokenizer"), HasSubstr("got T5Tokenizer"))));
  pegasus.tokenizer["tokenizer_class"] = "PegasusTokenizerFast";  // comes before that of config.json
  EXPECT_THAT(refusals(pegasus), IsEmpty());
}

/// A tokenizer.json as transformers 5 saves it: the pieces of a SentencePiece model of type unigram at their rows.
Json tokenizer_json_of(const std::vector<std::string>& pieces, const std::string& special_ids,
                       const std::vector<std::string>& added = {}) {
  std::map<std::string, float> scores;
  for (const auto& piece : read_piece_table(small_sentencepiece(special_ids)).pieces) scores[piece.text] = piece.score;
  auto vocabulary = Json::array(), tokens = Json::array();
  const auto add = [&](const std::string& text) {
    tokens.push_back({{"id", vocabulary.size() + tokens.size()}, {"content", text}, {"special", true}});
  };
  for (const auto& piece : pieces) vocabulary.push_back({piece, scores.contains(piece) ? scores[piece] : -100.0F});
  for (const auto& text : added) add(text);
  for (std::size_t row = 0; row < pieces.size(); ++row)
    if (pieces[row].starts_with('<')) tokens.push_back({{"id", row}, {"content", pieces[row]}, {"special", true}});
  return {
      {"added_tokens", tokens},
      {"normalizer", {{"type", "Replace"}, {"pattern", {{"Regex", " {2,}"}}}, {"content", " "}}},
      {"pre_tokenizer", {{"type", "Metaspace"}, {"replacement", "\u2581"}, {"prepend_scheme", "always"}}},
      {"model",
       {{"type", "Unigram"}, {"unk_id", std::ranges::find(pieces, "<unk>") - pieces.begin()}, {"vocab", vocabulary}}}};
}

TEST_F(ImportHuggingFaceTest, TokenizerJsonAloneIsEnough) {
  for (const std::string type : {"pegasus", "nllb"}) {
    HuggingFaceModel there(type);
    const auto before = imported(there, {.allow_other_tokenizer = true});
    std::vector<std::string> pieces = type == "pegasus"
                                          ? std::vector<std::string>{"<pad>", "</s>", "<mask_1>", "<mask_2>"}
                                          : std::vector<std::string>{"<s>", "<pad>", "</s>", "<unk>"};
    const auto special_ids = type == "pegasus" ? "pegasus" : "fairseq";
    const auto trained = small_pieces(special_ids);
    pieces.insert(pieces.end(), trained.begin() + (type == "pegasus" ? 2 : 3), trained.end());
    there.files = {
        {"tokenizer.json", to_text(tokenizer_json_of(pieces, special_ids,
                                                     type == "nllb" ? std::vector<std::string>{"deu_Latn", "eng_Latn"}
                                                                    : std::vector<std::string>{}))}};
    for (const Json& name : {Json("TokenizersBackend"), Json("PreTrainedTokenizerFast"), Json()}) {
      there.tokenizer["tokenizer_class"] = name;
      const auto model = imported(there);
      for (const auto* text : {"the cat sees the dog", "two  small birds", "xyz"})
        EXPECT_EQ(model.source_tokenizer->encode(text), before.source_tokenizer->encode(text)) << type << text;
      EXPECT_EQ(model.source_tokenizer->languages(), before.source_tokenizer->languages());
      for (Id id = kSpecialIds; id < model.source_tokenizer->vocabulary_size(); ++id)
        EXPECT_EQ(model.source_tokenizer->piece(id), before.source_tokenizer->piece(id));
    }
  }
}

TEST_F(ImportHuggingFaceTest, ThePadOfTheSourceMayBeAPieceOfTheTarget) {
  HuggingFaceModel there("marian");
  there.config["share_encoder_decoder_embeddings"] = false;
  const auto pad = there.config["pad_token_id"].get<std::int64_t>();
  there.config["decoder_vocab_size"] = there.pieces + 1;
  there.tokenizer["separate_vocabs"] = true;
  auto target = parse_json(there.files["vocab.json"]);
  target["<pad>"] = pad + 1;
  target["word"] = pad;
  there.files["target_vocab.json"] = to_text(target);
  there.tensors["model.encoder.embed_tokens.weight"] = there.tensors["model.shared.weight"];
  there.tensors["model.decoder.embed_tokens.weight"] = made_tensor("other", {there.pieces + 1, kSmallWidth});
  there.tensors["final_logits_bias"] = made_tensor("bias", {1, there.pieces + 1});
  there.tensors.erase("model.shared.weight");
  EXPECT_THAT(check(there).notes, Contains(HasSubstr("\"word\" of")));
  const auto model = imported(there);
  Id word = 0;
  for (Id id = kSpecialIds; id < model.target_tokenizer->vocabulary_size(); ++id)
    if (model.target_tokenizer->piece(id) == "word") word = id;
  ASSERT_NE(word, 0);
  const auto bias = model.file.model.weights("generator.bias").values;
  EXPECT_EQ(bias[word].item<float>(), there.tensors.at("final_logits_bias").at(0, pad));
  EXPECT_EQ(bias[kPad].item<float>(), -100);
  const auto embedding = model.file.model.weights("target_embedding.weight").values;
  EXPECT_TRUE(embedding[kBos].equal(embedding[word])) << "the decoder's first input";
}

TEST_F(ImportHuggingFaceTest, LanguagesOfM2M100ThatNoFileNamesFollowItsPieces) {
  HuggingFaceModel there("m2m_100");
  there.tokenizer = {{"language_codes", "m2m100"}};
  const auto model = imported(there, {.target_language = "am"});
  EXPECT_EQ(model.source_tokenizer->language_tag("af"), there.pieces - 3);
  EXPECT_EQ(model.source_tokenizer->language_tag("am"), there.pieces - 2);
  there.tokenizer = {{"language_codes", "others"}};
  EXPECT_THAT(refusals(there), Contains(HasSubstr("wanted language tags")));
}

TEST_F(ImportHuggingFaceTest, AVocabularyWithFewerPiecesThanRowsIsRefusedUnlessItIsWanted) {
  for (const std::string type : {"marian", "m2m_100"}) {
    HuggingFaceModel there(type);
    auto pieces = parse_json(there.files["vocab.json"]);
    const auto count = pieces.size();
    const auto spare = type == "marian" ? 1U : 6U;  // M2M100 has three rows more than pieces here, and two tags
    for (auto entry = pieces.begin(); entry != pieces.end();)
      entry = *entry >= count - spare ? pieces.erase(entry) : std::next(entry);
    there.files["vocab.json"] = to_text(pieces);
    // The language tags of M2M100 have rows of their own, so that its pieces are as many as before.
    const auto wanted = type == "marian"
                            ? "vocab.json: wanted at least " + std::to_string(count) + " pieces for the rows"
                            : "vocab.json: wanted the pieces of";
    EXPECT_THAT(refusals(there), Contains(HasSubstr(wanted))) << type;
    EXPECT_THAT(refusals(there, {.allow_other_tokenizer = true}), IsEmpty()) << type;
  }
}

TEST_F(ImportHuggingFaceTest, AnAdapterIsNamed) {
  HuggingFaceModel("marian").write(folder_ / "there");
  put_text(folder_ / "there" / "adapter_config.json", R"({"base_model_name_or_path": "org/base"})");
  for (const bool has_config : {true, false}) {
    if (!has_config) std::filesystem::remove(folder_ / "there" / "config.json");
    EXPECT_THAT([&] { check_import({.path = folder_ / "there"}); },
                ThrowsMessage<UsageError>(HasSubstr("is an adapter (LoRA) of the model org/base; merge it")));
  }
}

TEST_F(ImportHuggingFaceTest, AMissingShardIsAFaultOfTheModel) {
  HuggingFaceModel("marian").write(folder_ / "there");
  std::filesystem::remove(folder_ / "there" / "model.safetensors");
  put_text(folder_ / "there" / "model.safetensors.index.json", R"({"weight_map": {"a": "model-1.safetensors"}})");
  EXPECT_THAT([&] { check_import({.path = folder_ / "there"}); },
              ThrowsMessage<ModelError>(HasSubstr("names model-1.safetensors, which is not there")));
}

TEST_F(ImportHuggingFaceTest, ALanguageTagNeedsARowOfItsOwn) {
  HuggingFaceModel there("nllb");
  there.files["tokenizer.json"] = R"({"added_tokens": [{"id": 5, "content": "deu_Latn"}]})";
  EXPECT_THAT(refusals(there), ElementsAre(HasSubstr("language tag deu_Latn: wanted a row of its own, got 5")));
}

TEST_F(ImportHuggingFaceTest, AVocabularyIsMariansOnly) {
  EXPECT_THAT([&] { check(HuggingFaceModel("marian"), {.vocabularies = {folder_ / "vocab.json"}}); },
              ThrowsMessage<UsageError>(HasSubstr("--vocabulary: applies to models of Marian")));
}

TEST_F(ImportHuggingFaceTest, TheSearchIsThatOfGenerationConfig) {
  HuggingFaceModel there("pegasus");
  there.generation = {{"num_beams", 3}, {"length_penalty", 0.8}, {"max_length", 50}, {"do_sample", true}};
  const auto report = check(there);
  EXPECT_EQ(report.decoding, (Json{{"beam_size", 3}, {"length_penalty", 0.8}, {"max_length", 49}}));
  EXPECT_THAT(report.notes, ElementsAre("do_sample true: not carried over"));
}

TEST_F(ImportHuggingFaceTest, SettingsWithTheSameMeaningAreCarriedOver) {
  HuggingFaceModel there("pegasus");  // pad 0, eos 1, <unk> 4
  there.generation = parse_json(R"({"max_new_tokens": 40, "max_length": 20, "min_new_tokens": 3, "min_length": 9,
      "early_stopping": true, "no_repeat_ngram_size": 2, "suppress_tokens": [0, 4], "bad_words_ids": [[0]],
      "forced_eos_token_id": 1, "do_sample": false, "top_k": 50, "temperature": 1.0, "use_cache": true,
      "_from_model_config": true, "transformers_version": "5.23.0", "forced_bos_token_id": null, "pad_token_id": 0})");
  auto report = check(there);
  EXPECT_EQ(report.decoding, (Json{{"max_length", 40}, {"min_length", 3}, {"no_repeat_ngram", 2}, {"no_unk", true}}));
  EXPECT_THAT(report.notes, ElementsAre(testing::StartsWith("forced_eos_token_id 1: transformers puts it")));
  there.generation = parse_json(R"({"length_penalty": 0, "early_stopping": false, "renormalize_logits": true})");
  report = check(there);
  EXPECT_EQ(report.decoding, (Json{{"length_penalty", 0.0}}));
  EXPECT_THAT(report.notes, IsEmpty());
}

TEST_F(ImportHuggingFaceTest, SettingsOfOldDirectoriesAreInConfig) {
  HuggingFaceModel there("pegasus");
  there.config.update(parse_json(R"({"num_beams": 2, "min_length": 4, "bad_words_ids": [[0]], "num_beam_groups": 2,
      "task_specific_params": {"summarization": {"length_penalty": 2}}, "classif_dropout": 0.0})"));
  const auto report = check(there);
  EXPECT_EQ(report.decoding, (Json{{"beam_size", 2}, {"min_length", 3}}));
  EXPECT_THAT(report.notes, ElementsAre("num_beam_groups 2: not carried over",
                                        testing::StartsWith("task_specific_params {\"summarization\"")));
}

TEST_F(ImportHuggingFaceTest, NoSettingIsLostSilently) {
  HuggingFaceModel there("pegasus");  // pad 0, eos 1
  for (const auto& [key, value] : {std::pair<const char*, Json>("early_stopping", false),
                                   {"early_stopping", "never"},
                                   {"forced_eos_token_id", 7},
                                   {"forced_bos_token_id", 7},
                                   {"suppress_tokens", Json::array({6})},
                                   {"bad_words_ids", Json::array({Json::array({6, 7})})},
                                   {"begin_suppress_tokens", Json::array({6})},
                                   {"repetition_penalty", 1.2},
                                   {"diversity_penalty", 0.5},
                                   {"encoder_no_repeat_ngram_size", 2},
                                   {"temperature", 0.7},
                                   {"min_length", 1000},
                                   {"max_length", 6000},
                                   {"num_return_sequences", 2},
                                   {"a_setting_of_the_future", 1},
                                   {"eos_token_id", Json::array({1, 7})}}) {
    there.generation = {{key, value}};
    const auto report = check(there);
    EXPECT_THAT(report.refusals.reasons(), IsEmpty()) << key;
    EXPECT_THAT(report.notes, ElementsAre(testing::StartsWith(std::string(key) + ' '))) << key;
  }
  there.generation = {{"length_penalty", -1}};
  EXPECT_THAT(check(there).notes, ElementsAre(AllOf(HasSubstr("length_penalty: wanted a number from"),
                                                    HasSubstr("got -1; the default holds"))));
  there.generation = {{"renormalize_logits", true}, {"min_new_tokens", 5}};
  EXPECT_THAT(check(there).notes, ElementsAre("renormalize_logits true: not carried over"));
}

TEST_F(ImportHuggingFaceTest, WhatIsNotSupportedIsRefusedByItsKey) {
  for (const auto& [key, bad] : {std::pair<const char*, Json>("model_type", "mbart"),
                                 {"model_type", nullptr},
                                 {"d_model", 7},
                                 {"d_model", "8"},
                                 {"encoder_layers", 100000},
                                 {"decoder_attention_heads", 4},
                                 {"encoder_attention_heads", 3},
                                 {"activation_function", "gelu_new"},
                                 {"static_position_embeddings", false},
                                 {"normalize_before", true},
                                 {"normalize_embedding", true},
                                 {"add_bias_logits", true},
                                 {"quantization_config", Json::object()},
                                 {"is_encoder_decoder", false},
                                 {"vocab_size", 2},
                                 {"pad_token_id", 0},
                                 {"pad_token_id", 100000},
                                 {"decoder_start_token_id", -1}}) {
    HuggingFaceModel there("marian");
    there.config[key] = bad;
    EXPECT_THAT(refusals(there),
                Contains(HasSubstr(std::string(key == std::string("pad_token_id") && bad == 0 ? "eos_token_id" : key) +
                                   ": wanted")))
        << key << ' ' << bad;
  }
  EXPECT_THAT(refusals(HuggingFaceModel("pegasus"), {.formulas = ModelFamily::kMarian}),
              ElementsAre(HasSubstr("--formulas marian: applies to models that Marian trained")));
}

TEST_F(ImportHuggingFaceTest, MissingFilesAndTensorsAreNamedTogether) {
  HuggingFaceModel there("marian");
  there.files.erase("target.spm");
  there.config["activation_function"] = "tanh";
  EXPECT_THAT(refusals(there),
              AllOf(Contains(HasSubstr("target.spm is missing")), Contains(HasSubstr("activation_function"))));
  HuggingFaceModel other("marian");
  other.tensors.erase("model.decoder.layers.0.fc1.bias");
  other.tensors["model.encoder.layernorm_embedding.weight"] = made_tensor("x", {kSmallWidth});
  EXPECT_THAT(refusals(other), ElementsAre(HasSubstr("missing: model.decoder.layers.0.fc1.bias"),
                                           HasSubstr("model.encoder.layernorm_embedding.weight")));
}

// Weights of both forms give the same file; safetensors come first.
TEST_F(ImportHuggingFaceTest, PickledWeightsAreRead) {
  const HuggingFaceModel there("marian");
  there.write(folder_ / "there");
  import_model({.path = folder_ / "there"}, WeightPrecision::kFloat32, folder_ / "one");
  there.write_pickled(folder_ / "there");
  put_text(folder_ / "there/training_args.bin", "x");
  const auto report = import_model({.path = folder_ / "there"}, WeightPrecision::kFloat32, folder_ / "two");
  EXPECT_THAT(report.files, Contains(HasSubstr("pytorch_model.bin")));
  EXPECT_THAT(report.files, Not(Contains(HasSubstr("training_args.bin"))));
  const auto one = SafetensorsFile::open(folder_ / "one"), two = SafetensorsFile::open(folder_ / "two");
  EXPECT_EQ(one.metadata().at("sha256"), two.metadata().at("sha256"));
  put_text(folder_ / "there/model.safetensors", "x");
  EXPECT_THROW(check_import({.path = folder_ / "there"}), ModelError);
}

TEST_F(ImportHuggingFaceTest, AShardOfAnyNameIsAFileThatIsRead) {
  const HuggingFaceModel there("marian");
  there.write(folder_ / "there");
  there.write_pickled(folder_ / "there");
  const auto shard = folder_ / "there/weights-1.bin";
  std::filesystem::rename(folder_ / "there/pytorch_model.bin", shard);
  Json places = Json::object();
  for (const auto& [tensor, values] : there.tensors) places[tensor] = "weights-1.bin";
  put_text(folder_ / "there/pytorch_model.bin.index.json", to_text({{"weight_map", places}}));
  put_text(folder_ / "there/other.safetensors", "x");
  const auto before = read_file(shard, 1 << 20);
  const ImportSettings settings{.path = folder_ / "there"};
  const auto report = check_import(settings);
  EXPECT_THAT(report.refusals.reasons(), IsEmpty());
  EXPECT_THAT(report.files, Contains(HasSubstr("weights-1.bin")));
  EXPECT_THAT(report.files, Not(Contains(HasSubstr("other.safetensors")))) << "it is not read";
  EXPECT_THAT([&] { import_model(settings, WeightPrecision::kFloat32, shard); },
              ThrowsMessage<UsageError>(HasSubstr("weights-1.bin), which is read")));
  EXPECT_EQ(read_file(shard, 1 << 20), before);
}

TEST_F(ImportHuggingFaceTest, WeightsThatAreMissingAreRefused) {
  HuggingFaceModel("marian").write(folder_ / "there");
  std::filesystem::remove(folder_ / "there/model.safetensors");
  EXPECT_THAT(check_import({.path = folder_ / "there"}).refusals.reasons(),
              ElementsAre(HasSubstr("model.safetensors is missing, and pytorch_model.bin, too")));
}

TEST_F(ImportHuggingFaceTest, CopiesOfTheTiedMatrixAreIgnored) {
  HuggingFaceModel there("marian");
  there.tensors["lm_head.weight"] = there.tensors["model.shared.weight"];
  there.tensors["model.decoder.embed_tokens.weight"] = made_tensor("other", {there.pieces, kSmallWidth});
  there.tensors["model.encoder.embed_positions.weight"] = made_tensor("x", {64, kSmallWidth});
  const auto report = check(there);
  EXPECT_THAT(report.refusals.reasons(), IsEmpty());
  EXPECT_THAT(report.ignored, ElementsAre("lm_head.weight", "model.decoder.embed_tokens.weight",
                                          "model.encoder.embed_positions.weight"));
  EXPECT_THAT(report.notes, Contains(HasSubstr("model.decoder.embed_tokens.weight differs")));
}

TEST_F(ImportHuggingFaceTest, SeparateVocabulariesHaveSeparateTokenizers) {
  HuggingFaceModel there("marian");
  there.config["share_encoder_decoder_embeddings"] = false;
  there.config["decoder_vocab_size"] = there.pieces;
  there.tokenizer["separate_vocabs"] = true;
  EXPECT_THAT(refusals(there), ElementsAre(HasSubstr("target_vocab.json is missing")));
  there.files["target_vocab.json"] = there.files["vocab.json"];
  there.tensors["model.encoder.embed_tokens.weight"] = there.tensors["model.shared.weight"];
  there.tensors["model.decoder.embed_tokens.weight"] = made_tensor("other", {there.pieces, kSmallWidth});
  there.tensors.erase("model.shared.weight");
  const auto model = imported(there);
  EXPECT_EQ(model.config.model.tie_embeddings, TieEmbeddings::kDecoder);
  EXPECT_EQ(model.config.model.decoder_start, DecoderStart::kBosRow);  // its row of pad is not zero
  there.tensors["lm_head.weight"] = made_tensor("output", {there.pieces, kSmallWidth});
  EXPECT_THAT(check(there).notes, Contains(HasSubstr("lm_head.weight differs from model.decoder.embed_tokens.weight")));
}

TEST_F(ImportHuggingFaceTest, DamagedFilesAreNamed) {
  HuggingFaceModel there("m2m_100");
  there.files["vocab.json"] = "{";
  EXPECT_THAT([&] { check(there); }, ThrowsMessage<ModelError>(HasSubstr("vocab.json")));
  there = HuggingFaceModel("marian");
  there.write(folder_ / "there");
  put_text(folder_ / "there" / "config.json", "[]");
  EXPECT_THAT([&] { check_import({.path = folder_ / "there"}); },
              ThrowsMessage<ModelError>(HasSubstr("config.json: wanted an object")));
}

TEST_F(ImportHuggingFaceTest, FilesThatAreTooLargeOrTooDeepAreRefused) {
  HuggingFaceModel there("marian");
  there.write(folder_ / "there");
  for (const auto* file : {"config.json", "tokenizer_config.json", "generation_config.json"}) {
    const auto path = folder_ / "there" / file;
    const auto text = std::filesystem::exists(path) ? read_file(path, 1 << 20) : "{}";
    put_text(path, std::string(5 << 20, ' ') + text);
    EXPECT_THAT([&] { check_import({.path = folder_ / "there"}); },
                ThrowsMessage<ModelError>(AllOf(HasSubstr(file), HasSubstr("bytes, got more"))));
    put_text(path, "{\"a\": " + std::string(100, '[') + std::string(100, ']') + '}');
    EXPECT_THAT([&] { check_import({.path = folder_ / "there"}); },
                ThrowsMessage<ModelError>(AllOf(HasSubstr(file), HasSubstr("nested deeper"))));
    put_text(path, text);
  }
}

TEST_F(ImportHuggingFaceTest, ANumberOfARowBeyondInt64IsNoRow) {
  HuggingFaceModel there("nllb");
  for (const auto* id : {"9223372036854775808", "18446742974197923840"}) {
    there.files["tokenizer.json"] = R"({"added_tokens": [{"id": )" + std::string(id) + R"(, "content": "deu_Latn"}]})";
    EXPECT_NO_THROW(check(there)) << id;
  }
}

// Names from files of others reach the terminal.
TEST_F(ImportHuggingFaceTest, ControlCharactersOfNamesAreEscapedInTheReport) {
  HuggingFaceModel there("m2m_100");
  there.generation["\x1b]0;x\x07\nrefused: nothing"] = 1;
  there.tokenizer["additional_special_tokens"].push_back("__\x1b[2J__");
  const auto lines = to_lines(check(there));
  EXPECT_THAT(lines, HasSubstr("note: \\x1b]0;x\\x07\\nrefused: nothing 1: not carried over"));
  EXPECT_THAT(lines, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace gloss
