#include <cstdint>

#include "app/commands/commands.h"
#include "app/commands/set_up.h"
#include "app/options/command_options.h"
#include "app/options/export_options.h"
#include "common/log/log.h"
#include "common/text/formatted.h"
#include "common/text/printable.h"
#include "interchange/export/export_model.h"

namespace gloss {

ExitCode run(const ExportOptions& options) {
  set_up(options.common, {model_inputs({options.model}), {{"--output", options.output}}});
  std::uintmax_t bytes = 0;
  name_by_option(translation_names(), [&] {
    bytes = export_model({.model = options.model,
                          .format = options.format,
                          .precision = options.precision,
                          .output = options.output,
                          .overwrite = options.overwrite});
  });
  log_info("wrote " + printable(options.output.string()) + ", " + bytes_text(bytes) +
           "; its README.md has the program to translate with");
  return ExitCode::kDone;
}

}  // namespace gloss
