#include "run/config/read_run_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ChosenLinesTest, ValuesAreGroupedByTheirReason) {
  EXPECT_THAT(chosen_lines({}, {}), IsEmpty());
  TextSize text;
  text.pairs = 20;
  text.words = 300;
  const std::vector<ChosenDefault> chosen = {{"model.d_model", 128, "fits"},
                                             {"model.heads", 4, "fits"},
                                             {"training.schedule", "noam", "fits"},
                                             {"training.max_epochs", 3, "enough"}};
  EXPECT_THAT(
      chosen_lines(chosen, text),
      ElementsAre("values chosen for 20 sentence pairs, 300 words (a run file or --set KEY=VALUE can set others):",
                  "  model.d_model 128, heads 4: fits", "  training.schedule noam: fits",
                  "  training.max_epochs 3: enough"));
}

}  // namespace
}  // namespace gloss
