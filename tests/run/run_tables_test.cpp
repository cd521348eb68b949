#include "run/run_tables.h"

#include <gtest/gtest.h>

#include "common/files/atomic_file.h"

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

TEST(RunTablesTest, EventsAreThoseOfTensorBoardsWriter) {
  EXPECT_TRUE(tensorboard_events(document().at("runs")[0]) == read_file(GLOSS_GOLDEN_FOLDER "/run.tfevents", 1000));
}

}  // namespace
}  // namespace gloss
