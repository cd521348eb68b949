#include "pipeline/models/convert_model.h"

#include "common/error.h"
#include "common/files/same_file.h"
#include "common/log/log.h"
#include "common/text/printable.h"
#include "model/storage/model_file.h"
#include "pipeline/models/translation_model.h"

namespace gloss {

FileSizes convert_model(const std::filesystem::path& file_or_folder, WeightPrecision precision,
                        const std::filesystem::path& output) {
  const auto input = model_file_of(file_or_folder);
  expect_no_input({"--output", output}, {{"--model", input}});
  auto loaded = read_model_file(input, at::kCPU);
  if (loaded.precision != WeightPrecision::kFloat32 && loaded.precision != precision)
    log_warning(printable(input.string()) + " holds matrices in " +
                std::string(weight_precision_name(loaded.precision)) + "; what was rounded away stays so");
  if (loaded.precision != precision)
    for (const auto* scores : {"validation", "test"}) loaded.description.provenance.erase(scores);  // of other weights
  write_model_file(output, loaded.model, loaded.description, precision);
  return {std::filesystem::file_size(input), std::filesystem::file_size(output)};
}

}  // namespace gloss
