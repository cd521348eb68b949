#include <functional>
#include <set>

#include "common/files/atomic_file.h"
#include "interchange/formats/ctranslate2_bin.h"
#include "interchange/formats/foreign_tensors.h"
#include "interchange/formats/huggingface_weights.h"
#include "interchange/formats/lexical_table.h"
#include "interchange/formats/marian_bin.h"
#include "interchange/formats/marian_options.h"
#include "interchange/formats/npz_file.h"
#include "interchange/formats/packed_file.h"
#include "interchange/formats/torch_pickle.h"
#include "interchange/formats/vocabulary_file.h"
#include "interchange/formats/yaml.h"
#include "interchange/formats/zip_file.h"
#include "tests/interchange/formats/foreign_bytes.h"
#include "tests/interchange/formats/pickle_bytes.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

// Damages `good` many times. Each time `read` returns or throws a ModelError; a crash, another error, or an access that
// a sanitizer detects ends the test.
void expect_refused_or_read(const std::string& good, std::size_t head, std::uint32_t count,
                            const std::function<void(const std::string&)>& read) {
  const RandomStream random(1, "mutations");
  std::uint32_t refused = 0, accepted = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto bytes = mutated(good, random.at(i), head);
    try {
      read(bytes);
      ++accepted;
    } catch (const ModelError& error) {
      ++refused;
      ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "mutation " << i << ": " << error.what();
    } catch (const std::exception& error) {
      FAIL() << "mutation " << i << ": " << error.what();
    }
  }
  EXPECT_GT(refused, count / 4);
  EXPECT_GT(accepted, 0u);
}

// Reads everything that the file has, and returns the number of bytes.
void read_all(const ForeignTensors& file, std::size_t max_bytes) {
  std::size_t total = 0;
  for (const auto& name : file.names()) {
    const auto tensor = file.tensor(name);
    ASSERT_EQ(tensor.scalar_type(), file.info(name).type);
    ASSERT_EQ(tensor.sizes(), file.info(name).shape);
    ASSERT_EQ(std::ssize(float_values(file, name)), tensor.numel());
    total += tensor.nbytes();
  }
  ASSERT_LE(total, max_bytes);
}

const std::string kYaml =
    "type: transformer\ndim-emb: 8\ndim-vocabs:\n  - 10\n  - 12\ntransformer-postprocess: \"dan\"\nnormalize: 0.6\n"
    "tied-embeddings-all: true\ntransformer-tied-layers: []\nversion: 'v1.9.0'\n";

class FormatMutationTest : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& bytes) const { put_file(folder_ / name, bytes); }
  TemporaryFolder folder_;
};

TEST_F(FormatMutationTest, MarianBin) {
  const auto good = bin_bytes({{"special:model.yml", 0x101, {static_cast<std::int32_t>(kYaml.size())}, kYaml},
                               {"F0::Wemb", 0x10001, {10, 8}, std::string(80, 'x') + raw(63.5F)},
                               {"encoder_l1_self_Wq", 0x10002, {8, 4}, std::string(64, 'x') + raw(1024.0F)},
                               {"encoder_l1_self_bq", 0x404, {1, 8}, std::string(32, 'x')}});
  expect_refused_or_read(good, 300, mutation_count(10'000), [&](const std::string& bytes) {
    put("model.bin", bytes);
    read_all(*open_marian_bin(folder_ / "model.bin"), bytes.size());
  });
}

TEST_F(FormatMutationTest, Ctranslate2Bin) {
  const auto good = ctranslate2_bytes({{"decoder/embeddings/weight", 1, {10, 8}, std::string(80, 'x')},
                                       {"decoder/embeddings/weight_scale", 0, {10}, raw(std::vector<float>(10, 63.5F))},
                                       {"decoder/num_heads", 2, {}, raw(std::int16_t{2})},
                                       {"decoder/projection/bias", 4, {10}, std::string(20, 'x')},
                                       {"encoder/layer_0/ffn/linear_0/weight", 2, {8, 4}, std::string(64, 'x')},
                                       {"encoder/layer_0/ffn/linear_0/weight_scale", 0, {}, raw(512.0F)}},
                                      {{"decoder/projection/weight", "decoder/embeddings/weight"}});
  expect_refused_or_read(good, good.size(), mutation_count(20'000), [&](const std::string& bytes) {
    const Ctranslate2Bin file(memory_file(bytes), "model.bin");
    read_all(file, 2 * bytes.size());  // aliases
    for (const auto& [name, value] : file.numbers()) static_cast<void>(value.toDouble());
    for (const auto& name : file.names()) file.text(name);
  });
}

TEST_F(FormatMutationTest, Npz) {
  if (!has_libzip()) GTEST_SKIP() << "built without libzip";
  const auto floats = npy_bytes(npy_dictionary("<f4", "6, 4"), std::string(96, 'x'));
  for (const bool deflated : {false, true}) {
    const auto good = zip_bytes({{"Wemb.npy", floats, deflated},
                                 {"b.npy", floats, deflated, {}, {}, {}, {}, 8},
                                 {"special:model.yml.npy",
                                  npy_bytes(npy_dictionary("|i1", "9,"), "type: abc"),
                                  deflated,
                                  {},
                                  {},
                                  {},
                                  {},
                                  0,
                                  true}});
    const auto read = [&](const std::string& bytes) {
      put("a.npz", bytes);
      read_all(*open_npz(folder_ / "a.npz"), 1100 * bytes.size());
    };
    expect_refused_or_read(good, 200, mutation_count(5'000), read);
    // The directory at the end, which is read first.
    const std::string turned(good.rbegin(), good.rend());
    expect_refused_or_read(turned, 250, mutation_count(10'000), [&](const std::string& bytes) {
      read({bytes.rbegin(), bytes.rend()});
    });
  }
}

TEST_F(FormatMutationTest, Npy) {
  const auto good = npy_bytes(npy_dictionary("<f4", "6, 4"), std::string(96, 'x'), 2);
  expect_refused_or_read(good, 100, mutation_count(20'000), [](const std::string& bytes) {
    const auto header = read_npy_header(bytes, bytes.size(), "a.npy");
    ASSERT_EQ(header.data_offset + checked_byte_count(header.info, ""), bytes.size());
  });
}

TEST_F(FormatMutationTest, Options) {
  if (!has_yaml()) GTEST_SKIP() << "built without yaml-cpp";
  expect_refused_or_read(kYaml, kYaml.size(), mutation_count(20'000), [](const std::string& bytes) {
    const auto options = parse_marian_options(bytes, "m.npz");
    for (const auto& [key, value] : options.values.items()) ASSERT_TRUE(options.shown.at(key).is_string()) << value;
  });
}

TEST_F(FormatMutationTest, LexicalTable) {
  const auto good = lexical_bytes(2, {{}, {4, 9}, {5}, {0, 1, 2, 3}});
  expect_refused_or_read(good, good.size(), mutation_count(10'000), [](std::string bytes) {
    sign_lexical(bytes);
    const auto table = parse_lexical_table(bytes, "lex.bin", {4, 10});
    ASSERT_EQ(table.offsets.size(), 5u);
    for (const auto offset : table.offsets) ASSERT_LE(offset, table.tokens.size());
    for (const auto token : table.tokens) ASSERT_LT(token, 10u);
  });
}

TEST_F(FormatMutationTest, Vocabularies) {
  const auto read = [](Vocabulary::Kind kind) {
    return [kind](const std::string& bytes) {
      const auto pieces = parse_vocabulary(kind, bytes, "v").pieces;
      ASSERT_EQ(std::set<std::string>(pieces.begin(), pieces.end()).size(), pieces.size());
    };
  };
  const std::string json = R"({"</s>": 0, "<unk>": 1, "\u2581a": 2, "▁die": 3, "b": 4})";
  expect_refused_or_read(json, json.size(), mutation_count(10'000), read(Vocabulary::Kind::kJson));
  const std::string list = R"(["</s>", "<unk>", "\u2581a", "▁die", "b"])";
  expect_refused_or_read(list, list.size(), mutation_count(10'000), read(Vocabulary::Kind::kJsonList));
  const std::string lines = "</s>\n<unk>\n▁a\n▁die\nb\n";
  expect_refused_or_read(lines, lines.size(), mutation_count(10'000), read(Vocabulary::Kind::kText));
  const auto model = read_file(std::filesystem::path(GLOSS_GOLDEN_FOLDER) / "pieces.model", 1 << 20);
  expect_refused_or_read(model, 1000, mutation_count(2'000), read(Vocabulary::Kind::kSentencePiece));
  if (!has_yaml()) return;
  const std::string yaml = "</s>: 0\n<unk>: 1\n'it''s': 2\n\"\\u2581\\\"\": 3\n? long\n: 4\n▁die: 5\n";
  expect_refused_or_read(yaml, yaml.size(), mutation_count(20'000), read(Vocabulary::Kind::kYaml));
}

TEST_F(FormatMutationTest, TorchPickle) {
  const auto storage = pickle::storage("FloatStorage", "0", 12), other = pickle::storage("HalfStorage", "1", 4);
  const auto remembered = "q" + raw(std::uint8_t{0});
  const auto good = pickle::whole(pickle::dict({{"a", pickle::tensor(storage, 0, {4, 3}, {3, 1}) + remembered},
                                                {"b", "h" + raw(std::uint8_t{0})},
                                                {"c", pickle::tensor(other, 1, {3}, {1})}}) +
                                  "}" + pickle::text("_metadata") +
                                  pickle::dict({{"", "}" + pickle::text("version") + "K\x01s"}}) + "sb");
  expect_refused_or_read(good, good.size(), mutation_count(20'000), [&](const std::string& bytes) {
    for (const auto& [name, tensor] : parse_torch_pickle(bytes, "a.bin"))
      ASSERT_LE(checked_byte_count(tensor.info, name), tensor.storage_elements * c10::elementSize(tensor.info.type));
  });
}

TEST_F(FormatMutationTest, TorchFile) {
  if (!has_libzip()) GTEST_SKIP() << "built without libzip";
  const auto good = read_file(std::filesystem::path(GLOSS_GOLDEN_FOLDER) / "torch_state.bin", 1 << 20);
  expect_refused_or_read(good, 1'200, mutation_count(5'000), [&](const std::string& bytes) {
    put("a.bin", bytes);
    read_all(*open_torch_file(folder_ / "a.bin"), 2 * bytes.size());
  });
}

TEST_F(FormatMutationTest, Safetensors) {
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},)"
      R"("b":{"dtype":"F32","shape":[2,1],"data_offsets":[3,11]},"c":{"dtype":"F16","shape":[2],"data_offsets":[11,15]}})";
  const auto good = raw(std::uint64_t{header.size()}) + header + std::string(15, 'x');
  expect_refused_or_read(good, header.size(), mutation_count(10'000), [&](const std::string& bytes) {
    put("a.safetensors", bytes);
    read_all(*open_huggingface_weights(folder_ / "a.safetensors"), bytes.size());
  });
}

}  // namespace
}  // namespace gloss
