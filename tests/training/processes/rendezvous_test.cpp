#include "training/processes/rendezvous.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(C10dMessageTest, IsTheFirstLineWithoutThePeriod) {
  EXPECT_EQ(c10d_message(std::runtime_error("the port is taken.\nException raised from listen at a.cpp:1\n#0")),
            "the port is taken");
  EXPECT_EQ(c10d_message(std::runtime_error("timed out")), "timed out");
  EXPECT_EQ(c10d_message(std::runtime_error("")), "");
}

TEST(C10dMessageTest, IsThatOfNcclBehindThePlaceInC10d) {
  EXPECT_EQ(c10d_message(std::runtime_error(
                "NCCL error in: ProcessGroupNCCL.cpp:3356, internal error, NCCL version 2.29.7\nncclInternalError: "
                "Internal check failed.\nLast error:\nBootstrap : no socket interface found\nException raised from")),
            "Bootstrap : no socket interface found");
}

}  // namespace
}  // namespace gloss
