#include "pipeline/explain/run_tables.h"

#include <gtest/gtest.h>

namespace gloss {
namespace {

Json document() {
  return parse_json(R"({"runs": [{
    "name": "runs/a,b",
    "training": {"step": [50, 100], "time": [1.5, 2.5], "loss": [3.25, 2], "speed": [10, null]},
    "validation": {"step": [100], "time": [3], "loss": [2.5], "bleu": [12.5]}}]})");
}

TEST(RunTablesTest, CsvHasALineForEachStepAndKind) {
  EXPECT_EQ(run_csv(document()),
            "run,kind,step,loss,speed,time,bleu\r\n"
            "\"runs/a,b\",training,50,3.25,10,1.5,\r\n"
            "\"runs/a,b\",training,100,2,,2.5,\r\n"
            "\"runs/a,b\",validation,100,2.5,,3,12.5\r\n");
}

// TensorBoard 2.20.0's EventAccumulator reads these bytes as the numbers of document(), checked by hand.
TEST(RunTablesTest, EventsAreRecordsWithMaskedSums) {
  const auto events = tensorboard_events(document().at("runs")[0]);
  ASSERT_GT(events.size(), 40U);
  EXPECT_EQ(events.substr(0, 12), std::string("\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22", 12))
      << "the length of the first record and its sum, as TensorFlow writes them";
  EXPECT_NE(events.find("brain.Event:2"), events.npos);
  for (const auto* tag : {"training/loss", "training/speed", "validation/loss", "validation/bleu"})
    EXPECT_NE(events.find(tag), events.npos) << tag;
  EXPECT_EQ(events.find("training/time"), events.npos);
}

}  // namespace
}  // namespace gloss
