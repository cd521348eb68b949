#include "app/commands/commands.h"
#include "app/options/serve_options.h"
#include "common/error.h"

namespace gloss {

ExitCode run(const ServeOptions&) {
  throw UsageError(
      "this gloss cannot serve: it was built without Boost, or with GLOSS_SERVE=OFF; install libboost-dev and build it "
      "again");
}

}  // namespace gloss
