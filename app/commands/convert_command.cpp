#include <filesystem>
#include <string>

#include "app/commands/commands.h"
#include "app/commands/set_up.h"
#include "app/options/command_options.h"
#include "app/options/convert_options.h"
#include "common/error.h"
#include "common/log/log.h"
#include "common/text/formatted.h"
#include "common/text/printable.h"
#include "translation/models/convert_model.h"

namespace gloss {

ExitCode run(const ConvertOptions& options) {
  set_up(options.common, {model_inputs({options.model}), {{"--output", options.output}}});
  expect_output_file("--output", options.output, "the name of a model file to write", options.overwrite);
  FileSizes sizes;
  name_by_option(translation_names(), [&] { sizes = convert_model(options.model, options.precision, options.output); });
  log_info("wrote " + printable(options.output.string()) + ", " + bytes_text(sizes.after) + "; " +
           printable(options.model.string()) + " has " + bytes_text(sizes.before));
  return ExitCode::kDone;
}

}  // namespace gloss
