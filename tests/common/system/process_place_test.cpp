#include "common/system/process_place.h"

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

using Variables = std::map<std::string, std::string>;

std::optional<ProcessPlace> place_in(const Variables& variables) {
  return process_place([&](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(ProcessPlaceTest, WithoutVariablesOrWithOneProcessThereIsNone) {
  EXPECT_FALSE(place_in({}));
  EXPECT_FALSE(place_in({{"RANK", "0"}, {"WORLD_SIZE", "1"}}));
  EXPECT_FALSE(place_in({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}})) << "a batch script outside of srun";
}

TEST(ProcessPlaceTest, OneVariableOfTorchrunNeedsTheOther) {
  EXPECT_THAT([] { place_in({{"WORLD_SIZE", "2"}}); }, ThrowsMessage<UsageError>(HasSubstr("RANK: wanted")));
  EXPECT_THAT([] { place_in({{"RANK", "0"}}); }, ThrowsMessage<UsageError>(HasSubstr("WORLD_SIZE: wanted")));
  EXPECT_FALSE(place_in({{"WORLD_SIZE", "1"}}));
}

TEST(ProcessPlaceTest, ReadsTheVariablesOfTorchrun) {
  const auto place = place_in({{"RANK", "5"},
                               {"WORLD_SIZE", "8"},
                               {"LOCAL_RANK", "2"},
                               {"LOCAL_WORLD_SIZE", "4"},
                               {"MASTER_ADDR", "node1"},
                               {"MASTER_PORT", "1234"},
                               {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                               {"TORCHELASTIC_RUN_ID", "run"},
                               {"TORCHELASTIC_RESTART_COUNT", "2"}});
  ASSERT_TRUE(place);
  EXPECT_EQ(place->rank, 5);
  EXPECT_EQ(place->size, 8);
  EXPECT_EQ(place->local_size, 4);
  EXPECT_EQ(place->local_rank, 2);
  EXPECT_EQ(place->address, "node1");
  EXPECT_EQ(place->port, 1234);
  EXPECT_TRUE(place->store_is_there);
  EXPECT_EQ(place->job, "run");
  EXPECT_EQ(place->attempt, "2");
  EXPECT_FALSE(place->is_bound);
}

TEST(ProcessPlaceTest, ReadsTheVariablesOfSlurmAndOpenMpi) {
  const auto slurm = place_in(
      {{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "3"}, {"SLURM_LOCALID", "1"}, {"MASTER_ADDR", "node1"}});
  ASSERT_TRUE(slurm);
  EXPECT_EQ(slurm->local_rank, 1);
  EXPECT_EQ(slurm->rank, 1);
  EXPECT_EQ(slurm->size, 3);
  EXPECT_TRUE(slurm->is_bound);
  EXPECT_FALSE(slurm->store_is_there);
  const auto mpi = place_in({{"OMPI_COMM_WORLD_RANK", "1"},
                             {"OMPI_COMM_WORLD_SIZE", "2"},
                             {"OMPI_COMM_WORLD_LOCAL_RANK", "0"},
                             {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
  ASSERT_TRUE(mpi) << "all on one machine: the loopback interface will do";
  EXPECT_EQ(mpi->local_rank, 0);
  EXPECT_EQ(mpi->address, "127.0.0.1");
  EXPECT_EQ(mpi->local_size, 2);
}

TEST(ProcessPlaceTest, WithoutANumberOnItsMachineItFollowsFromTheRank) {
  const Variables variables = {{"RANK", "5"}, {"WORLD_SIZE", "8"}, {"LOCAL_WORLD_SIZE", "4"}, {"MASTER_ADDR", "node1"}};
  EXPECT_EQ(place_in(variables)->local_rank, 1);
}

TEST(ProcessPlaceTest, InAJobOfSlurmTheInnerStarterCounts) {
  Variables variables = {{"SLURM_PROCID", "0"},
                         {"SLURM_STEP_NUM_TASKS", "1"},
                         {"OMPI_COMM_WORLD_RANK", "5"},
                         {"OMPI_COMM_WORLD_SIZE", "8"},
                         {"MASTER_ADDR", "node1"}};
  ASSERT_TRUE(place_in(variables));
  EXPECT_EQ(place_in(variables)->rank, 5);
  variables["RANK"] = "2";
  variables["WORLD_SIZE"] = "3";
  ASSERT_TRUE(place_in(variables));
  EXPECT_EQ(place_in(variables)->rank, 2);
}

TEST(ProcessPlaceTest, SeveralMachinesMustNameTheFirst) {
  EXPECT_THAT(
      [] {
        place_in({{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "3"}});
      },
      ThrowsMessage<UsageError>(HasSubstr("MASTER_ADDR")));
  const auto of_one = place_in({{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "3"}, {"SLURM_STEP_NUM_NODES", "1"}});
  ASSERT_TRUE(of_one);
  EXPECT_EQ(of_one->local_size, 3);
}

TEST(ProcessPlaceTest, AWrongNumberIsNamed) {
  const auto refused = [](const char* name, const char* value) {
    Variables variables = {{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "::1"}, {"MASTER_PORT", "29500"}};
    variables[name] = value;
    EXPECT_THAT([&] { place_in(variables); }, ThrowsMessage<UsageError>(HasSubstr(name))) << value;
  };
  for (const auto* value : {"", "2", "-1", "1x", "99999999999999999999"}) refused("RANK", value);
  for (const auto* value : {"0", "5000", "two"}) refused("WORLD_SIZE", value);
  for (const auto* value : {"0", "65536"}) refused("MASTER_PORT", value);
}

TEST(ProcessPlaceTest, ThreadsAreDividedUnlessTheStarterHasBoundTheProcess) {
  EXPECT_EQ(default_threads({.local_size = 4}, 64, 64), 16);
  EXPECT_EQ(default_threads({.local_size = 4}, 2, 64), 1);
  EXPECT_EQ(default_threads({.local_size = 4, .is_bound = true}, 16, 64), 16);
  EXPECT_EQ(default_threads({.local_size = 4, .is_bound = true}, 64, 64), 16) << "not bound after all";
}

TEST(ProcessPlaceTest, LoopbackAddressesAreKnown) {
  const auto place = place_in({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "::1"}});
  EXPECT_EQ(place->address, "127.0.0.1");
  for (const auto* address : {"127.0.0.1", "127.1.2.3", "localhost", "::1"})
    EXPECT_TRUE(is_loopback(address)) << address;
  for (const auto* address : {"10.0.0.1", "node127", "0.0.0.0", ""}) EXPECT_FALSE(is_loopback(address)) << address;
}

}  // namespace
}  // namespace gloss
