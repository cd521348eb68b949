// Models of other programs: one that is importable becomes a model file that loads. An input is a letter for a model of
// tests/golden/interop, or for that of Firefox, a letter for one of its files, and the bytes that replace this file.

#include <vector>

#include "common/files/atomic_file.h"
#include "interchange/import/import_model.h"
#include "tests/fuzz/fuzz_input.h"
#include "translation/models/translation_model.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> entries{fs::directory_iterator(folder), fs::directory_iterator()};
  std::ranges::sort(entries);
  return entries;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TemporaryFolder folder;
  static const auto models = [] {
    fs::copy(GLOSS_GOLDEN_FOLDER "/interop", folder / "models", fs::copy_options::recursive);
    fs::copy(GLOSS_GOLDEN_FOLDER "/marian_engine/firefox", folder / "models/zz_firefox");
    return sorted_entries(folder / "models");
  }();
  auto input = input_text(data, size);
  const ImportSettings settings{.path = models[(take_byte(input) - 'a') % models.size()]};
  const auto files = sorted_entries(settings.path);
  const auto& file = files[(take_byte(input) - 'a') % files.size()];
  const auto good = read_file(file, 1 << 20);
  std::ofstream(file, std::ios::binary) << input;
  is_read([&] {
    const auto report = check_import(settings);
    expect(is_utf8(to_lines(report)) && is_utf8(to_text(to_json(report))));
    if (!report.importable()) return;
    import_model(settings, std::nullopt, folder / "model.safetensors");
    try {
      load_translation_model(folder / "model.safetensors", at::kCPU);
    } catch (const Error&) {
      expect(false);
    }
  });
  std::ofstream(file, std::ios::binary) << good;
  return 0;
}

}  // namespace gloss
