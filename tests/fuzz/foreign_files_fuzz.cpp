// Files of other programs' models: tensors have the types and shapes that are stated, and are not larger than the file
// allows. An input is a letter for the kind of file and its bytes, or entries (archive_input.h).

#include "interchange/formats/ctranslate2_bin.h"
#include "interchange/formats/foreign_tensors.h"
#include "interchange/formats/huggingface_weights.h"
#include "interchange/formats/lexical_table.h"
#include "interchange/formats/marian_bin.h"
#include "interchange/formats/marian_options.h"
#include "interchange/formats/npz_file.h"
#include "interchange/formats/packed_file.h"
#include "interchange/formats/settings_file.h"
#include "interchange/formats/torch_pickle.h"
#include "interchange/formats/vocabulary_file.h"
#include "interchange/formats/yaml.h"
#include "tests/fuzz/archive_input.h"

namespace gloss {
namespace {

void check_tensors(const ForeignTensors& file, std::size_t max_bytes) {
  std::size_t total = 0;
  for (const auto& name : file.names())
    is_read<ModelError>([&] {
      const auto tensor = file.tensor(name);
      expect(tensor.scalar_type() == file.info(name).type && tensor.sizes() == file.info(name).shape);
      total += tensor.nbytes();
    });
  expect(total <= max_bytes);
  is_read<ModelError>([&] { marian_options_of(file); });
}

void check_vocabulary(Vocabulary::Kind kind, std::string bytes) {
  auto pieces = parse_vocabulary(kind, std::move(bytes), "input").pieces;
  for (const auto& piece : pieces) expect(!piece.empty() && is_utf8(piece));
  std::ranges::sort(pieces);
  expect(std::ranges::adjacent_find(pieces) == pieces.end());
}

void check_file(char kind, std::string_view input) {
  const std::string bytes(input);
  switch (kind) {
    case 'b':
      return check_tensors(*open_marian_bin(put_input("model.bin", bytes)), bytes.size());
    case 'c': {
      const Ctranslate2Bin file(memory_file(bytes), "input");
      for (const auto& name : file.names())
        is_read<ModelError>([&] {
          const auto divisors = file.divisors(name);
          expect(!divisors.defined() || divisors.numel() == 1 || divisors.numel() == file.info(name).shape.front());
        });
      return check_tensors(file, (file.names().size() + 1) * bytes.size());  // aliases repeat a tensor
    }
    case 'n':
    case 't': {
      const auto archive = archive_input(input);
      // Deflated entries have at most a thousand times their size; views of PyTorch may overlap.
      const auto max_bytes = 1100 * archive.size();
      return check_tensors(kind == 'n' ? *open_npz(put_input("model.npz", archive))
                                       : *open_torch_file(put_input("pytorch_model.bin", archive)),
                           max_bytes);
    }
    case 's':
      return check_tensors(*open_huggingface_weights(put_input("model.safetensors", bytes)), bytes.size());
    case 'p':
      for (const auto& [name, tensor] : parse_torch_pickle(bytes, "input"))
        expect(checked_byte_count(tensor.info, name) <= tensor.storage_elements * c10::elementSize(tensor.info.type));
      return;
    case 'h': {
      const auto header = read_npy_header(input, bytes.size(), "input");
      return expect(header.data_offset + checked_byte_count(header.info, "input") == bytes.size());
    }
    case 'o':
      for (const auto options = parse_marian_options(input, "input"); const auto& [key, value] : options.values.items())
        expect(options.shown.at(key).is_string());
      return;
    case 'y':
      return void(parse_yaml(input, "input"));
    case 'v':
      return check_vocabulary(Vocabulary::Kind::kYaml, bytes);
    case 'j':
      return check_vocabulary(Vocabulary::Kind::kJson, bytes);
    case 'a':
      return check_vocabulary(Vocabulary::Kind::kJsonList, bytes);
    case 'l':
      return check_vocabulary(Vocabulary::Kind::kText, bytes);
    case 'x': {
      const auto table = parse_lexical_table(input, "input", {160, 160});
      expect(table.offsets.size() == 161 && std::ranges::max(table.offsets) == table.tokens.size());
      return expect(table.tokens.empty() || std::ranges::max(table.tokens) < 160);
    }
    case 'z':
      return expect(read_model_text(put_input("vocab.txt.gz", bytes), 1 << 16).size() <= 1 << 16);
    case 'm':
      return check_vocabulary(Vocabulary::Kind::kSentencePiece, bytes);
    default:
      return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto input = input_text(data, size);
  const auto kind = static_cast<char>(take_byte(input));
  is_read<ModelError>([&] { check_file(kind, input); });
  return 0;
}

}  // namespace gloss
