#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <string>

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/protobuf.h"
#include "interchange/import/import_model.h"
#include "tests/interchange/foreign_model.h"
#include "tests/interchange/formats/foreign_bytes.h"
#include "tests/support/gzip_file.h"
#include "tests/support/temporary_folder.h"
#include "tokenizer/mapped_tokenizer.h"
#include "tokenizer/sentencepiece_model.h"
#include "tokenizer/sentencepiece_writer.h"
#include "translation/models/translation_model.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

class ImportMarianTest : public testing::Test {
 protected:
  ImportReport check() {
    model_.write(folder_.path());
    return check_import({.path = folder_ / "model.npz"});
  }
  std::vector<std::string> refusals() { return check().refusals.reasons(); }
  /// The imported weights, as float32.
  TranslationModel imported(const ImportSettings& settings, WeightPrecision precision = WeightPrecision::kFloat32) {
    import_model(settings, precision, folder_ / "gloss.safetensors");
    return load_translation_model(folder_ / "gloss.safetensors", at::kCPU);
  }
  TranslationModel imported() {
    model_.write(folder_.path());
    return imported({.path = folder_ / "model.npz"});
  }
  const FloatTensor& there(const std::string& name) const { return model_.tensors.at(name); }

  TemporaryFolder folder_;
  MarianModel model_;
};

float element(const at::Tensor& tensor, std::int64_t row, std::int64_t column) {
  return tensor[row][column].item<float>();
}

TEST_F(ImportMarianTest, WeightsMoveToTheirPlaces) {
  const auto model = imported();
  const auto weight = [&](const std::string& name) { return model.file.model.weights(name).to_float(); };
  EXPECT_EQ(model.file.vocabularies.source, model_.pieces + 2);
  const auto embedding = weight("source_embedding.weight"), bias = weight("generator.bias");
  for (const auto& [gloss_id, id] : {std::pair(1, 1), {3, 0}, {4, 2}, {9, 7}})
    for (std::int64_t c = 0; c < kSmallWidth; ++c) {
      EXPECT_EQ(element(embedding, gloss_id, place_of(c)), there("Wemb").at(id, c));
      EXPECT_EQ(bias[gloss_id].item<float>(), there("decoder_ff_logit_out_b").at(0, id));
    }
  for (const auto id : {0, 2}) {
    EXPECT_EQ(embedding[id].abs().sum().item<float>(), 0);
    EXPECT_EQ(bias[id].item<float>(), -100);
  }
  const auto query = weight("encoder.layers.1.self_attention.query.weight");
  const auto output = weight("decoder.layers.0.cross_attention.output.weight");
  const auto outer = weight("decoder.layers.1.feed_forward.outer.weight");
  const auto norm = weight("decoder.layers.1.feed_forward_norm.weight");
  const auto value_bias = weight("encoder.layers.0.self_attention.value.bias");
  const auto output_bias = weight("encoder.layers.0.self_attention.output.bias");
  for (std::int64_t c = 0; c < kSmallWidth; ++c) {
    for (std::int64_t i = 0; i < kSmallWidth; ++i) {
      EXPECT_EQ(element(query, i, place_of(c)), there("encoder_l2_self_Wq").at(c, i));
      EXPECT_EQ(element(output, place_of(c), i), there("decoder_l1_context_Wo").at(i, c));
    }
    for (std::int64_t i = 0; i < 12; ++i)
      EXPECT_EQ(element(outer, place_of(c), i), there("decoder_l2_ffn_W2").at(i, c));
    EXPECT_EQ(norm[place_of(c)].item<float>(), there("decoder_l2_ffn_ffn_ln_scale").at(0, c));
    EXPECT_EQ(value_bias[c].item<float>(), there("encoder_l1_self_bv").at(0, c));
    EXPECT_EQ(output_bias[place_of(c)].item<float>(), there("encoder_l1_self_bo").at(0, c));
  }
}

TEST_F(ImportMarianTest, TheFormulasAreMariansUnlessOthersAreWanted) {
  auto config = imported().config.model;
  EXPECT_EQ(config.position_frequencies, PositionFrequencies::kTensor2Tensor);
  EXPECT_EQ(config.layer_norm_epsilon, 1e-6);
  EXPECT_EQ(config.decoder_start, DecoderStart::kZero);
  EXPECT_EQ(config.norm, NormPlace::kPost);
  EXPECT_FALSE(config.has_final_norm());
  const auto model = imported({.path = folder_ / "model.npz", .formulas = ModelFamily::kHuggingFace});
  EXPECT_EQ(model.config.model.position_frequencies, PositionFrequencies::kPaper);
  EXPECT_EQ(model.config.model.layer_norm_epsilon, 1e-5);
  EXPECT_EQ(model.file.description.provenance.at("imported").at("formulas"), "huggingface");
}

// Marian normed the query alone until February 2022, when 1.11 came; its fork for browsers is at 1.9.
TEST_F(ImportMarianTest, TheVersionDecidesWhatPreNormNormsInSelfAttention) {
  for (const auto* side : {"encoder", "decoder"})
    for (const std::string layer : {"_l1", "_l2"})
      for (const std::string part : {"_self_Wo", "_context_Wo", "_ffn_ffn"})
        model_.add_norm(side + layer + part, "_pre");
  std::erase_if(model_.tensors, [](const auto& tensor) {
    const auto& name = tensor.first;
    return name.ends_with("_ln_scale") || name.ends_with("_ln_bias") || name.starts_with("encoder_l1_context") ||
           name.starts_with("encoder_l2_context");
  });
  model_.options["transformer-preprocess"] = "n";
  model_.options["transformer-postprocess"] = "da";
  using enum SelfAttentionNorm;
  for (const auto& [version, expected] : {std::pair("", kQuery),
                                          {"v1.9.56 e88c1aa5 2022-11-01 12:00:00 +0000", kQuery},
                                          {"v1.10.28 3b458b04", kQuery},
                                          {"v1.10.42 3cf9e83b", kAll},
                                          {"v1.11.0 f00d0621 2022-02-08 08:39:24 -0800", kAll},
                                          {"v1.12.0", kAll},
                                          {"v2", kAll},
                                          {"unknown", kQuery}}) {
    model_.options["version"] = version;
    if (std::string_view(version).empty()) model_.options.erase("version");
    const auto model = imported();
    EXPECT_EQ(model.config.model.norm, NormPlace::kPre);
    EXPECT_EQ(model.config.model.self_attention_norm, expected) << version;
    EXPECT_THAT(check().notes,
                Contains(HasSubstr(expected == kQuery ? "norms the query alone" : "as in its training")));
  }
  model_.options["version"] = "v1.9.56";
  const auto report = check_import({.path = folder_ / "model.npz", .formulas = ModelFamily::kHuggingFace});
  EXPECT_THAT(report.notes, Contains(HasSubstr("as CTranslate2 computes it")));
}

TEST_F(ImportMarianTest, PostNormHasNoChoice) {
  model_.options["version"] = "v1.9.56";
  EXPECT_THAT(check().notes, IsEmpty());
  EXPECT_EQ(imported().config.model.self_attention_norm, SelfAttentionNorm::kAll);
}

TEST_F(ImportMarianTest, RowsThatAnExportFilledUpAreLeftOut) {
  const auto pieces = std::to_string(model_.pieces), used = std::to_string(model_.pieces - 1);
  model_.options["gloss-used-pieces"] = "[" + used + ", " + used + "]";
  const auto model = imported();
  EXPECT_EQ(model.file.vocabularies.source, model_.pieces + 1);
  EXPECT_EQ(model.source_tokenizer->piece(static_cast<Id>(model_.pieces)),
            small_pieces("marian").at(static_cast<std::size_t>(model_.pieces - 2)));
  for (const auto& wrong :
       {std::string("[1, 5]"), std::string("[5]"), "[5, " + std::to_string(model_.pieces + 1) + "]"}) {
    model_.options["gloss-used-pieces"] = wrong;
    EXPECT_THAT(refusals(), ElementsAre(HasSubstr("gloss-used-pieces: wanted two numbers of pieces"))) << wrong;
  }
}

TEST_F(ImportMarianTest, SourcesBecomeThePiecesOfMarian) {
  const auto model = imported();
  const auto ids = model.source_tokenizer->encode("the cat");
  ASSERT_FALSE(ids.empty());
  std::string text;
  for (const auto id : ids) text += model.source_tokenizer->piece(id);
  EXPECT_EQ(text, "\u2581the\u2581cat");
  const auto pieces = small_pieces("marian");
  for (const auto id : ids) EXPECT_EQ(model.source_tokenizer->piece(id), pieces.at(static_cast<std::size_t>(id - 2)));
  EXPECT_EQ(model.target_tokenizer->decode(ids), "the cat");
}

TEST_F(ImportMarianTest, SearchSettingsComeFromDecoderYml) {
  model_.write(folder_.path());
  put_text(folder_ / "decoder.yml",
           "models:\n  - model.npz\nvocabs:\n  - vocab.spm\n  - vocab.spm\nbeam-size: 6\nnormalize: 0.6\n"
           "word-penalty: 0.5\nallow-unk: true\n");
  const auto report = check_import({.path = folder_.path()});
  EXPECT_THAT(report.refusals.reasons(), IsEmpty());
  EXPECT_EQ(report.decoding,
            (Json{{"beam_size", 6}, {"length_penalty", 0.6}, {"max_length_factor", 3.0}, {"shrinking_beam", true}}));
  EXPECT_THAT(report.notes, Contains(HasSubstr("word-penalty 0.5")));
}

TEST_F(ImportMarianTest, TheHeadOfGuidedAlignmentIsTheModelsDefault) {
  model_.options["guided-alignment"] = "corpus.align";
  for (const auto& [layer, name] : {std::pair("last", "decoder.1.cross.0"), std::pair("1", "decoder.0.cross.0")}) {
    model_.options["transformer-guided-alignment-layer"] = layer;
    EXPECT_EQ(check().decoding.at("alignment_from"), name);
  }
}

TEST_F(ImportMarianTest, TheScriptOfAPackageIsAFileThatIsRead) {
  model_.write(folder_.path());
  put_text(folder_ / "decoder.yml", "models: [model.npz]\nvocabs: [vocab.spm, vocab.spm]\n");
  put_text(folder_ / "preprocess.sh", "spm_encode");
  for (const auto* name : {"source.spm", "target.spm"}) put_text(folder_ / name, small_sentencepiece("marian"));
  const auto import = [&] {
    import_model({.path = folder_.path()}, WeightPrecision::kFloat32, folder_ / "preprocess.sh");
  };
  EXPECT_THAT(import, ThrowsMessage<UsageError>(HasSubstr("preprocess.sh), which is read")));
  EXPECT_EQ(read_file(folder_ / "preprocess.sh", 100), "spm_encode");
}

TEST_F(ImportMarianTest, NoSettingOfTheSearchIsLostSilently) {
  model_.write(folder_.path());
  put_text(folder_ / "decoder.yml",
           "models: [model.npz]\nvocabs: [vocab.spm, vocab.spm]\nbeam-size: 100000\nnormalize: word\nmax-length: many\n"
           "max-length-factor: 2\nword-penalty: 0.0\nmini-batch: 1\nshortlist: [lex.bin, 50]\n");
  const auto report = check_import({.path = folder_.path()});
  EXPECT_THAT(report.refusals.reasons(), IsEmpty());
  EXPECT_EQ(report.decoding, (Json{{"no_unk", true}, {"max_length_factor", 2.0}, {"shrinking_beam", true}}));
  EXPECT_THAT(report.notes,
              ElementsAre("beam-size: wanted a whole number from 1 to 1000, got 100000; the default holds",
                          "normalize: wanted a number from 0.0 to 10.0, got word; the default holds",
                          "max-length: wanted a whole number from 2 to 1000000, got many; the default holds",
                          "options of decoder.yml that gloss ignores: mini-batch 1, shortlist [lex.bin, 50]"));
  put_text(folder_ / "decoder.yml", "models: [model.npz]\nvocabs: [vocab.spm, vocab.spm]\nmax-length: 77\n");
  EXPECT_EQ(imported({.path = folder_.path()}).config.max_length, 77);
}

TEST_F(ImportMarianTest, MissingOptionsHaveMariansDefaults) {
  for (const auto* key : {"transformer-ffn-activation", "transformer-heads", "transformer-preprocess",
                          "transformer-postprocess", "transformer-postprocess-emb"})
    model_.options.erase(key);
  const auto config = imported().config.model;
  EXPECT_EQ(config.activation, Activation::kSwish);
  EXPECT_EQ(config.heads, 8);
  EXPECT_EQ(config.norm, NormPlace::kPost);
  EXPECT_EQ(config.embedding_scale, EmbeddingScale::kSqrt);
  EXPECT_FALSE(config.embedding_norm);
  EXPECT_FALSE(config.has_final_norm());
}

TEST_F(ImportMarianTest, TheSizeOfTheVocabularyIsThatOfTheEmbedding) {
  const auto pieces = std::to_string(model_.pieces);
  const auto more = std::to_string(model_.pieces + 1);
  model_.options["dim-vocabs"] = "[" + pieces + ", " + more + "]";
  EXPECT_THAT(refusals(), ElementsAre("dim-vocabs: wanted " + pieces + ", as many as Wemb has rows, got " + more));
  model_.options["dim-vocabs"] = "[0, 0]";
  EXPECT_THAT(refusals(), IsEmpty());
  const auto wanted = HasSubstr("dim-vocabs: wanted the sizes of two vocabularies, up to 1000000, got");
  for (const auto* sizes : {"[2147483648, 2147483648]", "[-1, 5]", "[]", "[5, 5, 5]"}) {
    model_.options["dim-vocabs"] = sizes;
    EXPECT_THAT(refusals(), ElementsAre(wanted)) << sizes;
  }
  model_.options["dim-vocabs"] = "[2147483648]";
  model_.tensors.erase("Wemb");
  EXPECT_THAT(refusals(), AllOf(Contains(wanted), Contains(HasSubstr("missing: Wemb"))));
}

// A shape with a zero takes no bytes, whatever its other sizes are.
TEST_F(ImportMarianTest, RowsOfAnEmptyEmbeddingAreNotMade) {
  model_.tensors["Wemb"] = made_tensor("Wemb", {std::int64_t{1} << 50, 0});
  EXPECT_THAT(refusals(),
              AllOf(Contains("dim-vocabs: wanted 3 to 1000000 pieces, got 1125899906842624"),
                    Contains(HasSubstr("Wemb is float32 [1125899906842624, 0], wanted [1125899906842624, 8]"))));
}

TEST_F(ImportMarianTest, AVocabularyHasAPieceForEachRow) {
  const auto write = [&](std::vector<std::string> pieces) {
    std::string lines;
    for (const auto& piece : pieces) lines += piece + '\n';
    put_text(folder_ / "vocab.txt", lines);
  };
  auto pieces = small_pieces("marian");
  pieces.emplace_back("more");
  write(pieces);
  EXPECT_THAT(refusals(), IsEmpty()) << "Marian leaves out the end of a table";
  pieces.resize(pieces.size() - 2);
  write(pieces);
  EXPECT_THAT(refusals(), ElementsAre(HasSubstr("vocab.txt: wanted " + std::to_string(model_.pieces) +
                                                " pieces, as many as the embedding has rows, got " +
                                                std::to_string(pieces.size()))));
}

/// Writes a vocabulary in YAML, piece by piece.
void put_yaml(const std::filesystem::path& path, const std::vector<std::string>& pieces) {
  std::string lines;
  for (const auto& piece : pieces) lines += to_text(Json(piece)) + ": " + std::to_string(&piece - pieces.data()) + '\n';
  put_text(path, lines);
}

// New packages of OPUS-MT sort their vocab.yml.
TEST_F(ImportMarianTest, TheSpecialPiecesAreFoundByTheirNames) {
  auto pieces = small_pieces("marian");
  std::ranges::sort(pieces, std::greater());
  const auto row_of = [&](const std::string& piece) { return std::ranges::find(pieces, piece) - pieces.begin(); };
  const auto eos = row_of("</s>"), unk = row_of("<unk>");
  ASSERT_GT(eos, 1);
  put_yaml(folder_ / "vocab.yml", pieces);
  const auto model = imported();
  const auto embedding = model.file.model.weights("source_embedding.weight").values;
  for (std::int64_t c = 0; c < kSmallWidth; ++c) {
    EXPECT_EQ(element(embedding, kEos, place_of(c)), there("Wemb").at(eos, c));
    EXPECT_EQ(element(embedding, kUnk, place_of(c)), there("Wemb").at(unk, c));
    EXPECT_EQ(element(embedding, 4, place_of(c)), there("Wemb").at(0, c));
  }
  EXPECT_EQ(model.source_tokenizer->piece(4), pieces.front());
  for (const auto id : model.source_tokenizer->encode("the cat")) EXPECT_GT(id, kEos);
  std::erase(pieces, "</s>");
  pieces.emplace_back("other");
  put_yaml(folder_ / "vocab.yml", pieces);
  EXPECT_THAT(refusals(), ElementsAre(HasSubstr("vocab.yml: wanted </s> and <unk> among the first")));
}

TEST_F(ImportMarianTest, SpecialPiecesThatMarianDropsAreRefused) {
  auto pieces = small_pieces("marian");
  std::erase(pieces, "</s>");
  pieces.insert(pieces.end(), {"more", "</s>"});
  put_yaml(folder_ / "vocab.yml", pieces);
  EXPECT_THAT(refusals(), ElementsAre(HasSubstr("wanted </s> and <unk> among the first")));
}

TEST_F(ImportMarianTest, OlderNamesOfTheSpecialPiecesAreTheFirst) {
  auto pieces = small_pieces("marian");
  pieces[0] = "eos";
  pieces[1] = "UNK";
  put_yaml(folder_ / "vocab.yml", pieces);
  const auto embedding = imported().file.model.weights("source_embedding.weight").values;
  EXPECT_EQ(element(embedding, kEos, 0), there("Wemb").at(0, 0));
  EXPECT_EQ(element(embedding, kUnk, 0), there("Wemb").at(1, 0));
}

TEST_F(ImportMarianTest, ASentencePieceModelHasItsOwnIds) {
  model_.write(folder_.path());
  put_text(folder_ / "vocab.spm", small_sentencepiece("fairseq"));  // unk 0, bos 1, eos 2
  ASSERT_EQ(small_pieces("fairseq").size(), small_pieces("marian").size() + 1);
  for (const auto* name : {"Wemb", "decoder_ff_logit_out_b"}) {
    const auto rows = model_.pieces + 1;
    model_.tensors[name] = made_tensor(
        name, name == std::string("Wemb") ? std::vector{rows, kSmallWidth} : std::vector<std::int64_t>{1, rows});
  }
  model_.options["dim-vocabs"] = "[0, 0]";
  model_.write_npz(folder_ / "model.npz");
  const auto model = imported({.path = folder_ / "model.npz"});
  const auto embedding = model.file.model.weights("source_embedding.weight").values;
  EXPECT_EQ(element(embedding, kUnk, 0), there("Wemb").at(0, 0));
  EXPECT_EQ(element(embedding, kEos, 0), there("Wemb").at(2, 0));
  EXPECT_EQ(element(embedding, 4, 0), there("Wemb").at(1, 0));
}

// OPUS-MT-train's models with vocabularies of their own for both languages, as SentencePiece's trainer lists them.
TEST_F(ImportMarianTest, ListsOfPiecesMayHaveScores) {
  model_.options["tied-embeddings-all"] = "false";
  model_.options["tied-embeddings"] = "true";
  const auto pieces = small_pieces("fairseq");
  auto list = [&](bool has_scores) {
    std::string lines;
    for (const auto& piece : pieces) lines += piece + (has_scores ? "\t-3.25\n" : "\n");
    return lines;
  };
  const auto rows = std::ssize(pieces);
  model_.options["dim-vocabs"] = "[" + std::to_string(rows + 1) + ", " + std::to_string(rows) + "]";
  model_.tensors.erase("Wemb");
  model_.tensors["encoder_Wemb"] = made_tensor("encoder_Wemb", {rows + 1, kSmallWidth});
  model_.tensors["decoder_Wemb"] = made_tensor("decoder_Wemb", {rows, kSmallWidth});
  model_.tensors["decoder_ff_logit_out_b"] = made_tensor("bias", {1, rows});
  put_text(folder_ / "opus.src.vocab", list(false) + ">>deu<<\n");
  put_text(folder_ / "opus.trg.vocab", list(true));
  for (const auto* name : {"source.spm", "target.spm"}) put_text(folder_ / name, small_sentencepiece("fairseq"));
  model_.write_npz(folder_ / "model.npz");
  put_text(folder_ / "decoder.yml", "models: [model.npz]\nvocabs: [opus.src.vocab, opus.trg.vocab]\n");
  const auto model = imported({.path = folder_.path(), .target_language = "deu"});
  EXPECT_FALSE(model.config.tokenizer.joint);
  const auto weight = [&](const char* name) { return model.file.model.weights(name).values; };
  EXPECT_EQ(element(weight("source_embedding.weight"), kEos, 0), there("encoder_Wemb").at(2, 0));
  EXPECT_EQ(element(weight("target_embedding.weight"), kEos, 0), there("decoder_Wemb").at(2, 0));
  EXPECT_EQ(element(weight("target_embedding.weight"), kUnk, 0), there("decoder_Wemb").at(0, 0));
  EXPECT_EQ(model.target_tokenizer->piece(8), pieces.at(6));
}

TEST_F(ImportMarianTest, PiecesOfSubwordNmtAreRefused) {
  auto pieces = small_pieces("marian");
  for (auto& piece : pieces)
    if (!piece.starts_with('<')) piece += "@@";
  put_yaml(folder_ / "vocab.yml", pieces);
  EXPECT_THAT(refusals(), Contains(HasSubstr("got those of subword-nmt (@@)")));
}

TEST_F(ImportMarianTest, ATokenizerOfAnotherVocabularyIsRefusedUnlessItIsWanted) {
  auto pieces = small_pieces("marian");
  const auto name = [](int i) { return "other" + std::to_string(i); };
  for (int i = 0; i < 4; ++i) pieces[pieces.size() - 1 - static_cast<std::size_t>(i)] = name(i);
  put_yaml(folder_ / "vocab.yml", pieces);
  EXPECT_THAT(refusals(), ElementsAre(AllOf(HasSubstr("vocab.yml: wanted the pieces of"), HasSubstr("lacks 4 of 29"),
                                            HasSubstr("%); name files that belong together, or set --allow-other-"))));
  model_.write(folder_.path());
  const ImportSettings settings{.path = folder_ / "model.npz", .allow_other_tokenizer = true};
  EXPECT_THAT(check_import(settings).notes, Contains(HasSubstr("lacks 4 of 29")));
  EXPECT_EQ(check_import(settings).tokenizers.front().unknown_pieces, 4);
}

TEST_F(ImportMarianTest, TextIsCutWithoutPiecesThatTheVocabularyLacks) {
  auto pieces = small_pieces("marian");
  const auto before = imported().source_tokenizer->encode("the cat");
  // The longest piece of the text.
  std::string longest;
  for (const auto id : before)
    if (const auto piece = pieces.at(static_cast<std::size_t>(id - 2)); piece.size() > longest.size()) longest = piece;
  std::ranges::replace(pieces, longest, std::string("other"));
  put_yaml(folder_ / "vocab.yml", pieces);
  auto table = read_piece_table(small_sentencepiece("marian"));
  std::ranges::find(table.pieces, longest, &Piece::text)->type = Piece::Type::kUserDefined;
  const auto user_defined = write_sentencepiece(table, read_sentencepiece_settings(small_sentencepiece("marian")));
  for (const auto& sentencepiece : {small_sentencepiece("marian"), user_defined}) {
    model_.write(folder_.path());
    put_text(folder_ / "vocab.spm", sentencepiece);
    EXPECT_EQ(check_import({.path = folder_ / "model.npz"}).tokenizers.front().unknown_pieces, 1);
    const auto model = imported({.path = folder_ / "model.npz"});
    const auto ids = model.source_tokenizer->encode("the cat");
    EXPECT_THAT(ids, testing::Not(Contains(kUnk)));
    EXPECT_GT(ids.size(), before.size());
    EXPECT_EQ(model.source_tokenizer->decode(ids), "the cat");
  }
}

TEST_F(ImportMarianTest, ASentencePieceModelThatIsCutOffIsRefused) {
  model_.write(folder_.path());
  const auto& bytes = small_sentencepiece("marian");
  std::size_t size = 0;  // of the pieces
  for (ProtobufFields fields(bytes); const auto field = fields.next();)
    if (field->number == ModelField::kPieces)
      size = static_cast<std::size_t>(field->bytes.data() + field->bytes.size() - bytes.data());
  put_text(folder_ / "vocab.spm", bytes.substr(0, size));
  EXPECT_THAT(
      [&] { check_import({.path = folder_ / "model.npz"}); },
      ThrowsMessage<ModelError>(HasSubstr("vocab.spm: wanted a SentencePiece model, got one without its settings "
                                          "of training; the file is cut off")));
}

TEST_F(ImportMarianTest, ALanguageIsATag) {
  model_.write(folder_.path());
  EXPECT_THAT([&] { check_import({.path = folder_ / "model.npz", .source_language = "no language"}); },
              ThrowsMessage<UsageError>(HasSubstr("source_language: wanted a language tag")));
}

TEST_F(ImportMarianTest, EveryTensorHasTheShapeOfTheNetwork) {
  model_.tensors["decoder_l1_ffn_b1"] = made_tensor("x", {12});
  EXPECT_THAT(refusals(), IsEmpty());
  model_.tensors["decoder_l1_ffn_W1"] = made_tensor("x", {1, 8, 12});
  model_.tensors["decoder_l1_self_bq"] = made_tensor("x", {8, 1});
  model_.tensors["decoder_l2_self_bq"] = made_tensor("x", {1, 1, 8});
  model_.tensors["encoder_l1_self_Wq"] = made_tensor("x", {64});
  model_.tensors["Wemb"] = made_tensor("x", {1, model_.pieces, 8});
  const auto pieces = std::to_string(model_.pieces);
  EXPECT_THAT(refusals(), ElementsAre("tensors of another shape or type: Wemb is float32 [1, " + pieces +
                                      ", 8], wanted [" + pieces +
                                      ", 8], decoder_l1_ffn_W1 is float32 [1, 8, 12], wanted [8, 12], "
                                      "decoder_l1_self_bq is float32 [8, 1], wanted [1, 8], "
                                      "decoder_l2_self_bq is float32 [1, 1, 8], wanted [1, 8], "
                                      "encoder_l1_self_Wq is float32 [64], wanted [8, 8]"));
}

TEST_F(ImportMarianTest, FaultsOfFilesAndOfTheNetworkAreReportedTogether) {
  model_.tensors.erase("encoder_l1_self_bk");
  model_.write(folder_.path());
  std::filesystem::remove(folder_ / "vocab.spm");
  EXPECT_THAT(check_import({.path = folder_ / "model.npz"}).refusals.reasons(),
              ElementsAre(HasSubstr("wanted a SentencePiece model"), HasSubstr("missing: encoder_l1_self_bk")));
}

TEST_F(ImportMarianTest, AnArchiveNeedsNoEnding) {
  model_.write(folder_.path());
  std::filesystem::rename(folder_ / "model.npz", folder_ / "model");
  EXPECT_EQ(check_import({.path = folder_ / "model", .from = ModelFamily::kMarian}).format, "Marian npz");
}

TEST_F(ImportMarianTest, TheReportCountsTensors) {
  model_.tensors["encoder_l9_self_Wq"] = made_tensor("x", {8, 8});
  model_.tensors["other_QuantMultA"] = made_tensor("x", {1});
  model_.tensors.erase("encoder_l1_self_bk");
  model_.tensors["decoder_l1_ffn_W1"] = made_tensor("x", {8, 11});
  const auto report = check();
  EXPECT_THAT(report.missing, ElementsAre("encoder_l1_self_bk"));
  EXPECT_THAT(report.unknown, ElementsAre("encoder_l9_self_Wq"));
  EXPECT_THAT(report.ignored, ElementsAre("other_QuantMultA", "special:model.yml"));
  EXPECT_THAT(
      report.refusals.reasons(),
      ElementsAre(HasSubstr("missing: encoder_l1_self_bk"), HasSubstr("network of the configuration: encoder_l9"),
                  HasSubstr("decoder_l1_ffn_W1 is float32 [8, 11], wanted [8, 12]")));
  EXPECT_THAT([&] { import_model({.path = folder_ / "model.npz"}, WeightPrecision::kFloat32, folder_ / "out"); },
              ThrowsMessage<ModelError>(
                  AllOf(HasSubstr("encoder_l1_self_bk"), HasSubstr("encoder_l9_self_Wq"), HasSubstr("[8, 11]"))));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

TEST_F(ImportMarianTest, EveryReasonIsInOneMessage) {
  model_.options["transformer-decoder-autoreg"] = "average-attention";
  model_.options["lemma-dim-emb"] = "64";
  model_.options["transformer-ffn-activation"] = "tanh";
  EXPECT_THAT(refusals(), AllOf(Contains("transformer-decoder-autoreg: wanted self-attention, or rnn with dec-cell "
                                         "ssru, got average-attention"),
                                Contains("lemma-dim-emb: wanted 0, got 64"),
                                Contains("transformer-ffn-activation: wanted relu, swish or gelu, got tanh")));
}

TEST_F(ImportMarianTest, WhatIsNotSupportedIsRefusedByItsKey) {
  const MarianModel usual;
  for (const auto& [key, bad] : {std::pair("type", "s2s"),
                                 {"dim-emb", "7"},
                                 {"dim-emb", "many"},
                                 {"transformer-heads", "3"},
                                 {"enc-depth", "0"},
                                 {"dec-depth", "1000000"},
                                 {"transformer-ffn-depth", "3"},
                                 {"transformer-decoder-ffn-depth", "1"},
                                 {"transformer-preprocess", "r"},
                                 {"transformer-postprocess", "dhn"},
                                 {"transformer-postprocess-emb", "dr"},
                                 {"transformer-postprocess-top", "an"},
                                 {"transformer-tied-layers", "[1]"},
                                 {"transformer-tied-layers", "[1, 3]"},
                                 {"transformer-tied-layers", "[1, 1, 1]"},
                                 {"transformer-tied-layers", "[-9223372036854775808, 1]"},
                                 {"transformer-attention-mask", "alibi"},
                                 {"transformer-disable-position-embeddings", "true"},
                                 {"transformer-no-bias", "true"},
                                 {"transformer-no-affine", "true"},
                                 {"lemma-dependency", "re-embedding"},
                                 {"factors-combine", "concat"},
                                 {"dim-vocabs", "[many]"},
                                 {"ulr", "true"},
                                 {"right-left", "true"},
                                 {"transformer-pool", "true"},
                                 {"input-types", "[sequence, class]"}}) {
    model_.options = usual.options;
    model_.options[key] = bad;
    EXPECT_THAT(refusals(), Contains(HasSubstr(std::string(key) + ": wanted "))) << key << ' ' << bad;
  }
  model_.options = usual.options;
  model_.options["transformer-decoder-autoreg"] = "rnn";
  model_.options["dec-cell"] = "gru";
  model_.options["layer-normalization"] = "true";
  EXPECT_THAT(refusals(), AllOf(Contains(HasSubstr("dec-cell: wanted ssru")),
                                Contains("layer-normalization: wanted false, got true")));
}

TEST_F(ImportMarianTest, ANormBeforeEachLayerAndAtTheTop) {
  model_.options["transformer-preprocess"] = "n";
  model_.options["transformer-postprocess"] = "da";
  model_.options["transformer-postprocess-top"] = "n";
  FloatTensors renamed;
  for (const auto& [name, tensor] : model_.tensors)
    renamed[name.find("_ln_") == name.npos ? name : name + "_pre"] = tensor;
  model_.tensors = renamed;
  for (const std::string side : {"encoder", "decoder"}) model_.add_norm(side + "_top");
  const auto model = imported();
  EXPECT_EQ(model.config.model.norm, NormPlace::kPre);
  EXPECT_TRUE(model.config.model.has_final_norm());
  EXPECT_EQ(model.file.model.weights("encoder.norm.bias").values[place_of(5)].item<float>(),
            there("encoder_top_ln_bias").at(0, 5));
}

TEST_F(ImportMarianTest, StudentsHaveARecurrenceInTheirDecoder) {
  model_.options["transformer-decoder-autoreg"] = "rnn";
  model_.options["dec-cell"] = "ssru";
  model_.options["transformer-tied-layers"] = "[1, 1]";
  std::erase_if(model_.tensors, [](const auto& entry) {
    return entry.first.starts_with("decoder_l1_self_") || entry.first.starts_with("decoder_l2_");
  });
  model_.tensors["decoder_l1_rnn_W"] = made_tensor("rnn_W", {kSmallWidth, kSmallWidth});
  model_.add_linear("decoder_l1_rnn", "f", kSmallWidth, kSmallWidth);
  model_.add_norm("decoder_l1_rnn_ffn");
  const auto model = imported();
  EXPECT_EQ(model.config.model.decoder_layer, DecoderLayerType::kSsru);
  const auto recurrence = model.file.model.weights("decoder.layers.1.recurrence.value.weight").values;
  for (std::int64_t i = 0; i < kSmallWidth; ++i)
    for (std::int64_t j = 0; j < kSmallWidth; ++j)
      EXPECT_EQ(element(recurrence, place_of(j), place_of(i)), there("decoder_l1_rnn_W").at(i, j));
}

TEST_F(ImportMarianTest, AProjectionThatIsNotThereIsTheIdentity) {
  model_.options["transformer-no-projection"] = "true";
  model_.options["output-omit-bias"] = "true";
  std::erase_if(model_.tensors, [](const auto& entry) {
    return entry.first.ends_with("_Wo") || entry.first.ends_with("_bo") || entry.first == "decoder_ff_logit_out_b";
  });
  const auto report = check();
  EXPECT_THAT(report.refusals.reasons(), IsEmpty());
  const auto model = imported();
  const auto output = model.file.model.weights("encoder.layers.0.self_attention.output.weight").values;
  for (std::int64_t i = 0; i < kSmallWidth; ++i)
    for (std::int64_t j = 0; j < kSmallWidth; ++j) EXPECT_EQ(element(output, place_of(i), j), i == j ? 1 : 0);
  const auto bias = model.file.model.weights("generator.bias").values;
  EXPECT_EQ(bias[3].item<float>(), 0);
  EXPECT_EQ(bias[2].item<float>(), -100);
}

TEST_F(ImportMarianTest, WeightsThatTheNetworkDoesNotHaveAreUnknown) {
  model_.options["transformer-no-projection"] = "true";
  model_.options["output-omit-bias"] = "true";
  EXPECT_THAT(check().unknown, AllOf(Contains("encoder_l1_self_Wo"), Contains("decoder_l2_context_bo"),
                                     Contains("decoder_ff_logit_out_b")));
}

TEST_F(ImportMarianTest, LearnedPositionsKeepTheOrderOfChannels) {
  model_.options["transformer-train-positions"] = "true";
  model_.tensors["Wpos"] = made_tensor("Wpos", {40, kSmallWidth});
  const auto model = imported();
  EXPECT_EQ(model.config.model.positions, Positions::kLearned);
  EXPECT_EQ(model.config.model.embedding_scale, EmbeddingScale::kOne);
  EXPECT_EQ(model.config.model.max_positions, 40);
  EXPECT_EQ(model.config.max_length, 40);
  EXPECT_EQ(element(model.file.model.weights("target_positions.weight").values, 39, 5), there("Wpos").at(39, 5));
  EXPECT_EQ(element(model.file.model.weights("source_embedding.weight").values, 4, 1), there("Wemb").at(2, 1));
}

TEST_F(ImportMarianTest, IntegersOfIntgemmAreTakenExactly) {
  model_.write_bin(folder_ / "model.bin", true);
  put_text(folder_ / "vocab.spm", small_sentencepiece("marian"));
  const auto steps = [&](const std::string& name, std::int64_t row, std::int64_t column) {
    return static_cast<float>(std::lrint(there(name).at(row, column) * int8_multiplier(there(name))));
  };
  const ImportSettings settings{.path = folder_ / "model.bin"};
  const auto exact = imported(settings);
  const auto query = exact.file.model.weights("encoder.layers.0.self_attention.query.weight");
  const auto multiplier = int8_multiplier(there("encoder_l1_self_Wq"));
  EXPECT_FALSE(query.scales.defined());
  const auto kept = imported(settings, WeightPrecision::kInt8);
  const auto int8 = kept.file.model.weights("encoder.layers.0.self_attention.query.weight");
  const auto embedding = kept.file.model.weights("source_embedding.weight");
  ASSERT_TRUE(int8.scales.defined());
  for (std::int64_t c = 0; c < kSmallWidth; ++c) {
    for (std::int64_t i = 0; i < kSmallWidth; ++i) {
      const auto step = steps("encoder_l1_self_Wq", c, i);
      EXPECT_EQ(element(query.values, i, place_of(c)), step / multiplier);
      EXPECT_EQ(int8.values[i][place_of(c)].item<std::int8_t>(), step);
    }
    EXPECT_EQ(int8.scales[c].item<float>(), 1 / multiplier);
    EXPECT_EQ(embedding.values[4][place_of(c)].item<std::int8_t>(), steps("Wemb", 2, c));
    EXPECT_EQ(embedding.values[2][c].item<std::int8_t>(), 0);
  }
  EXPECT_EQ(kept.file.precision, WeightPrecision::kInt8);
}

class ImportFirefoxTest : public ImportMarianTest {
 protected:
  /// Target pieces of each source piece: the next two.
  std::vector<std::vector<std::uint32_t>> lists() const {
    std::vector<std::vector<std::uint32_t>> lists(static_cast<std::size_t>(model_.pieces));
    for (std::uint32_t piece = 0; piece + 2 < lists.size(); ++piece) lists[piece] = {piece + 1, piece + 2};
    return lists;
  }
  void write(const std::string& lexical) const {
    model_.write_bin(folder_ / "model.enfr.intgemm.alphas.bin", true);
    put_text(folder_ / "vocab.enfr.spm", small_sentencepiece("marian"));
    put_text(folder_ / "lex.50.50.enfr.s2t.bin", lexical);
  }
  ModelDescription described() {
    report_ = import_model({.path = folder_.path()}, std::nullopt, folder_ / "gloss.safetensors");
    return load_translation_model(folder_ / "gloss.safetensors", at::kCPU).file.description;
  }

  ImportReport report_;
};

TEST_F(ImportFirefoxTest, AFolderHasFirefoxsSettingsAndItsIntegers) {
  write(lexical_bytes(4, lists()));
  const auto scales = described().input_scales;
  EXPECT_EQ(report_.format, "Firefox");
  EXPECT_THAT(report_.notes, testing::Contains(HasSubstr("shortlist: 4 pieces for every sentence, ")));
  const auto model = load_translation_model(folder_ / "gloss.safetensors", at::kCPU);
  EXPECT_EQ(model.file.precision, WeightPrecision::kInt8);
  EXPECT_EQ(model.config.decoding.beam_size, 1);
  EXPECT_EQ(model.config.decoding.max_length_factor, 2);
  EXPECT_TRUE(model.config.decoding.no_unk);
  EXPECT_FLOAT_EQ(scales.at("encoder.layers.0.self_attention.query.weight"), 1 / 1.5F);
  EXPECT_FLOAT_EQ(scales.at("source_embedding.weight"), 1 / 1.5F) << "stored as an integer, since its name has Wemb";
  EXPECT_THAT(report_.ignored, ElementsAre("special:model.yml"));
  const auto floats = imported({.path = folder_.path()});
  EXPECT_THAT(floats.file.description.input_scales, IsEmpty());
}

TEST_F(ImportFirefoxTest, ListsAreThoseOfTheTableWithASharedPieceItself) {
  write(lexical_bytes(4, lists()));
  const auto table = described().shortlist->table();
  EXPECT_THAT(table.always, ElementsAre(3, 1, 4, 5)) << "gloss's ids of the pieces 0 to 3";
  const auto list = [&](std::size_t id) {
    return Ids(table.tokens.begin() + table.offsets[id], table.tokens.begin() + table.offsets[id + 1]);
  };
  EXPECT_THAT(list(kPad), IsEmpty());
  EXPECT_THAT(list(kBos), IsEmpty());
  EXPECT_THAT(list(kEos), ElementsAre(1, 4, 3)) << "1, 2, and 0 itself";
  EXPECT_THAT(list(7), ElementsAre(8, 9, 7)) << "6, 7, and 5 itself";
  std::filesystem::rename(folder_ / "vocab.enfr.spm", folder_ / "srcvocab.enfr.spm");
  std::filesystem::copy(folder_ / "srcvocab.enfr.spm", folder_ / "trgvocab.enfr.spm");
  std::filesystem::remove(folder_ / "gloss.safetensors");
  const auto separate = described().shortlist->table();
  EXPECT_EQ(separate.offsets[8] - separate.offsets[7], 2) << "of a separate vocabulary";
}

TEST_F(ImportFirefoxTest, ATableInTextFormIsRead) {
  write(lexical_bytes(4, lists()));
  described();
  const auto model = load_translation_model(folder_ / "gloss.safetensors", at::kCPU);
  for (const auto* file : {"gloss.safetensors", "lex.50.50.enfr.s2t.bin"}) std::filesystem::remove(folder_ / file);
  const auto& tokenizer = *model.source_tokenizer;
  put_text(folder_ / "lex.s2t",
           tokenizer.piece(7) + ' ' + tokenizer.piece(8) + " 0.25\nNULL " + tokenizer.piece(8) + " 0.5\n");
  const auto table = described().shortlist->table();
  EXPECT_EQ(std::ssize(table.always), model.file.vocabularies.target - 2) << "100 frequent pieces are all";
  EXPECT_EQ(Ids(table.tokens.begin() + table.offsets[8], table.tokens.begin() + table.offsets[9]), Ids({7, 8}))
      << "the translation, and the piece itself";
}

TEST_F(ImportFirefoxTest, ACompressedFolderGivesTheSameWeights) {
  write(lexical_bytes(4, lists()));
  const auto plain = described();
  const auto weights = read_file(folder_ / "gloss.safetensors", 1 << 20);
  for (const std::string name : {"model.enfr.intgemm.alphas.bin", "vocab.enfr.spm", "lex.50.50.enfr.s2t.bin"}) {
    write_gzip(folder_ / (name + ".gz"), read_file(folder_ / name, 1 << 20));
    if (name != "vocab.enfr.spm") std::filesystem::remove(folder_ / name);  // one file is there twice
  }
  const auto packed = described();
  EXPECT_EQ(packed.shortlist->table(), plain.shortlist->table());
  EXPECT_EQ(packed.input_scales, plain.input_scales);
  EXPECT_EQ(packed.tokenizers, plain.tokenizers);
}

TEST_F(ImportFirefoxTest, ATableOfAnotherModelIsRefused) {
  auto others = lists();
  others.pop_back();
  write(lexical_bytes(4, others));
  EXPECT_THAT([&] { described(); }, ThrowsMessage<ModelError>(HasSubstr("it belongs to another vocabulary")));
  write(lexical_bytes(0, lists()));
  EXPECT_THAT([&] { described(); },
              ThrowsMessage<ModelError>(HasSubstr("lex.50.50.enfr.s2t.bin: shortlist.always: wanted the end")));
  put_text(folder_ / "lex.2.bin", "x");
  EXPECT_THAT([&] { described(); },
              ThrowsMessage<ModelError>(HasSubstr("several lexical tables: lex.2.bin, lex.50.50.enfr.s2t.bin")));
}

TEST_F(ImportFirefoxTest, AMultiplierThatIsNoPositiveNumberIsRefused) {
  model_.write(folder_.path());
  for (const auto& [values, shown] : {std::pair(std::vector{-2.0F}, "float32 [1] -2"),
                                      {{0.0F}, "float32 [1] 0"},
                                      {{1e-39F}, "float32 [1]"},
                                      {{1, 2}, "float32 [2]"}}) {
    model_.tensors["encoder_l1_self_Wq_QuantMultA"] = {{std::ssize(values)}, values};
    EXPECT_THAT(refusals(), ElementsAre(HasSubstr("encoder_l1_self_Wq_QuantMultA: wanted one positive number, got " +
                                                  std::string(shown))));
  }
}

// The check refuses each weight that the import refuses.
TEST_F(ImportMarianTest, ValuesThatAreNotFiniteOrTooLargeAreRefused) {
  const auto good = model_.tensors;
  for (const std::string name : {"encoder_l1_self_Wq", "Wemb", "decoder_l2_ffn_b1"})
    for (const float value : {std::nanf(""), INFINITY, -INFINITY, 3e38F, -2e30F}) {
      model_.tensors = good;
      model_.tensors[name].values[9] = value;
      model_.write(folder_.path());
      const auto message = HasSubstr(name + ": wanted finite values up to 1e30, got a larger one or NaN");
      EXPECT_THAT([&] { import_model({.path = folder_ / "model.npz"}, WeightPrecision::kFloat32, folder_ / "out"); },
                  ThrowsMessage<ModelError>(message));
      EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
      EXPECT_THAT(check_import({.path = folder_ / "model.npz"}).refusals.reasons(), testing::ElementsAre(message));
    }
}

TEST_F(ImportMarianTest, TheCheckFindsDamagedWeights) {
  model_.write(folder_.path());
  auto bytes = read_file(folder_ / "model.npz", std::size_t{1} << 24);
  const auto values = raw(model_.tensors.at("Wemb").values);
  const auto place = bytes.find(values);
  ASSERT_NE(place, bytes.npos);
  bytes[place + 5] = static_cast<char>(bytes[place + 5] ^ 1);
  put_file(folder_ / "model.npz", bytes);
  EXPECT_THAT(check_import({.path = folder_ / "model.npz"}).refusals.reasons(),
              testing::ElementsAre(HasSubstr("entry Wemb.npy: CRC error")));
}

// Marian computes in float32; so do the other programs, whose files have no float64.
TEST_F(ImportMarianTest, WeightsOfFloat64AreRefused) {
  model_.tensors.erase("Wemb");
  auto bytes =
      bin_bytes({{"special:model.yml", 0x101, {static_cast<std::int32_t>(model_.yaml().size())}, model_.yaml()},
                 {"Wemb",
                  0x408,
                  {static_cast<std::int32_t>(model_.pieces), kSmallWidth},
                  std::string(static_cast<std::size_t>(8 * model_.pieces * kSmallWidth), '\0')}});
  model_.write(folder_.path());
  std::filesystem::remove(folder_ / "model.npz");
  put_file(folder_ / "model.bin", bytes);
  EXPECT_THAT(check_import({.path = folder_ / "model.bin"}).refusals.reasons(),
              testing::Contains(HasSubstr("another type than float32, float16 and bfloat16: Wemb is float64 [" +
                                          std::to_string(model_.pieces) + ", 8]")));
}

// Random weights translate into nonsense, which the fast path and the equations must agree on.
TEST_F(ImportMarianTest, AnImportedModelTranslates) {
  const auto model = imported();
  DecodingConfig decoding = model.config.decoding;
  decoding.max_length = 12;
  const std::vector<std::string> lines{"the cat sees the dog", "", "small birds sing"};
  const auto fast = model.translator().translate(lines, decoding);
  const auto plain = model.translator(std::nullopt, true).translate(lines, decoding);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(fast[i].candidates.front().text, plain[i].candidates.front().text);
    EXPECT_NEAR(fast[i].candidates.front().score, plain[i].candidates.front().score, 1e-4);
  }
}

}  // namespace
}  // namespace gloss
