#include "translation/models/convert_model.h"

#include <utility>

#include "common/error.h"
#include "common/files/same_file.h"
#include "common/files/text_pairs.h"
#include "common/log/log.h"
#include "common/text/printable.h"
#include "model/storage/model_file.h"
#include "translation/models/input_scales.h"
#include "translation/models/translation_model.h"

namespace gloss {

void warn_of_rounding(const std::filesystem::path& name, WeightPrecision stored, WeightPrecision precision) {
  if (stored != WeightPrecision::kFloat32 && stored != precision)
    log_warning(printable(name.string()) + " holds matrices in " + std::string(weight_precision_name(stored)) +
                "; rounded values do not become exact again");
}

FileSizes convert_model(const ConvertJob& job) {
  const auto precision = job.precision;
  const auto input = model_file_of(job.model);
  expect_no_input({"--output", job.output}, {{"--model", input}});
  auto stored = open_model_file(SafetensorsFile::open_in_place(input), at::kCPU);
  warn_of_rounding(input, stored.precision, precision);
  if (stored.precision != precision)
    for (const auto* scores : {"validation", "test"}) stored.description.provenance.erase(scores);  // of other weights
  if (precision != WeightPrecision::kInt8 && !stored.description.input_scales.empty())
    log_warning(printable(input.string()) + " holds scales of inputs, which only int8 has; they are left out");
  if (job.lexical_table || job.calibrate) {
    const auto model = load_translation_model(input, at::kCPU);
    if (job.lexical_table)
      stored.description.shortlist =
          read_lexical_shortlist(*job.lexical_table, *model.source_tokenizer, *model.target_tokenizer, job.shortlist);
    if (job.calibrate)
      stored.description.input_scales = measured_input_scales(model, read_lines(*job.calibrate, Passes::kOne));
  }
  const auto scales = int8_scales_of(stored.description.config);
  FileTensors tensors;  // int8 values stay as they are
  for (const auto& [name, weight] : network_weights(stored.config, stored.vocabularies))
    store_weight(name, stored.model.weights(name), precision, tensors, scales);
  write_model_file(job.output, std::move(tensors), stored.description);
  return {std::filesystem::file_size(input), std::filesystem::file_size(job.output)};
}

}  // namespace gloss
