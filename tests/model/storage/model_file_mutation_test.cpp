#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "model/storage/model_file.h"
#include "tests/support/small_model.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

constexpr std::size_t kMutations = 10000;

// Damages the bytes once, as chosen by `draw`, usually in the header.
void mutate(std::string& bytes, const RandomStream& stream, std::uint64_t number) {
  std::uint64_t draws = 16 * number;
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(stream.below(bound, draws++)); };
  const auto header = std::min(bytes.size(), 8 + static_cast<std::size_t>(static_cast<unsigned char>(bytes[0])) +
                                                 256 * static_cast<std::size_t>(static_cast<unsigned char>(bytes[1])));
  const auto place = below(4) == 0 ? below(bytes.size()) : below(header);
  const auto length = std::min(bytes.size() - place, 1 + below(12));
  switch (below(9)) {
    case 0:
      bytes[place] = static_cast<char>(bytes[place] ^ (1 << below(8)));
      break;
    case 1:
      bytes[place] = static_cast<char>(below(256));
      break;
    case 2:
      bytes.resize(place);
      break;
    case 3:
      bytes.insert(place, length, static_cast<char>(below(256)));
      break;
    case 4:
      bytes.erase(place, length);
      break;
    case 5:
      bytes.insert(place, bytes.substr(place, length));
      break;
    case 6:
      std::swap(bytes[place], bytes[below(header)]);
      break;
    case 7:
      bytes.replace(place, length, bytes, below(header), length);
      break;
    default: {  // changes a number
      const auto digit = bytes.find_first_of("0123456789", place);
      if (digit != std::string::npos) bytes[digit] = static_cast<char>('0' + below(10));
    }
  }
}

TEST(ModelFileMutationTest, DamagedFileIsRefusedOrReadsEqualAndNeverCrashes) {
  auto config = small_config();
  config.encoder_layers = config.decoder_layers = 1;
  config.d_model = config.d_ff = 8;
  const auto model = make_model(config, {8, 8}, RandomStream(1, "weights"));
  const TemporaryFolder folder;
  const auto path = folder / "model.safetensors";
  const Shortlist::Table table{.offsets = {0, 0, 0, 0, 1, 3, 3, 3, 3}, .tokens = {4, 7, 5}, .always = {kEos, 6}};
  write_model_file(path, model,
                   {{{"model", to_json(config)}},
                    Json::object(),
                    {{"tokenizer.model", "pieces"}},
                    {},
                    std::make_shared<const Shortlist>(table, Vocabularies{8, 8})});
  const auto good = read_file(path, 1 << 20);
  const auto expected = model->named_parameters();

  const RandomStream stream(1, "mutations");
  std::size_t refused = 0, read = 0;
  for (std::size_t i = 0; i < kMutations; ++i) {
    auto bytes = good;
    mutate(bytes, stream, i);
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    try {
      const auto loaded = read_model_file(path, at::kCPU);
      ++read;
      ASSERT_EQ(loaded.description.shortlist->table(), table) << "mutation " << i;
      for (const auto& item : loaded.model->named_parameters()) {
        ASSERT_TRUE(item.value().equal(expected[item.key()])) << "mutation " << i << ", " << item.key();
      }
    } catch (const Error& error) {
      ++refused;
      ASSERT_EQ(error.exit_code(), ExitCode::kData) << "mutation " << i << ": " << error.what();
    } catch (const std::exception& error) {
      FAIL() << "mutation " << i << ": " << error.what();
    }
  }
  EXPECT_GT(refused, kMutations * 8 / 10);
  EXPECT_GT(read, 0u);  // harmless: spaces at the end of the header, or the same byte
}

TEST(ModelFileMutationTest, FlippedBitIsRefused) {
  auto config = small_config();
  config.encoder_layers = config.decoder_layers = 1;
  config.d_model = config.d_ff = 8;
  const auto model = make_model(config, {8, 8}, RandomStream(1, "weights"));
  const TemporaryFolder folder;
  const auto path = folder / "model.safetensors";
  write_model_file(path, model, {{{"model", to_json(config)}}, Json::object(), {{"tokenizer.model", "pieces"}}});
  const auto good = read_file(path, 1 << 20);
  for (std::size_t place = 0; place < good.size(); ++place) {
    auto bytes = good;
    bytes[place] = static_cast<char>(bytes[place] ^ (1 << place % 8));
    EXPECT_THROW(SafetensorsFile::parse(std::as_bytes(std::span(bytes)), "model"), ModelError) << place;
  }
}

}  // namespace
}  // namespace gloss
