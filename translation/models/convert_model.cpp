#include "translation/models/convert_model.h"

#include "common/error.h"
#include "common/files/same_file.h"
#include "common/log/log.h"
#include "common/text/printable.h"
#include "model/storage/model_file.h"
#include "translation/models/translation_model.h"

namespace gloss {

void warn_of_rounding(const std::filesystem::path& name, WeightPrecision stored, WeightPrecision precision) {
  if (stored != WeightPrecision::kFloat32 && stored != precision)
    log_warning(printable(name.string()) + " holds matrices in " + std::string(weight_precision_name(stored)) +
                "; rounded values do not become exact again");
}

FileSizes convert_model(const std::filesystem::path& file_or_folder, WeightPrecision precision,
                        const std::filesystem::path& output) {
  const auto input = model_file_of(file_or_folder);
  expect_no_input({"--output", output}, {{"--model", input}});
  auto loaded = read_model_file(input, at::kCPU);
  warn_of_rounding(input, loaded.precision, precision);
  if (loaded.precision != precision)
    for (const auto* scores : {"validation", "test"}) loaded.description.provenance.erase(scores);  // of other weights
  write_model_file(output, loaded.model, loaded.description, precision);
  return {std::filesystem::file_size(input), std::filesystem::file_size(output)};
}

}  // namespace gloss
