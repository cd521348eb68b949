#include "training/processes/sockets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(SocketsTest, AConnectionReachesAPortThatListens) {
  const auto socket = listen_locally(0);
  const auto port = port_of(socket);
  EXPECT_GT(port, 0);
  EXPECT_EQ(connection_error("127.0.0.1", port), "");
  EXPECT_EQ(connection_error("localhost", port), "") << "although the name may also be that of ::1";
}

TEST(SocketsTest, APortThatIsTakenOrClosedIsRefused) {
  const auto socket = listen_locally(0);
  const auto port = port_of(socket);
  EXPECT_THAT([&] { listen_locally(port); },
              ThrowsMessage<IoError>(HasSubstr("127.0.0.1, port " + std::to_string(port) + ": cannot listen: ")));
  EXPECT_EQ(connection_error("127.0.0.1", 1), "Connection refused");
}

TEST(SocketsTest, NamesThatDoNotExistAreRefused) {
  EXPECT_NE(connection_error("name.invalid", 80), "");
  EXPECT_THAT([] { own_address("name.invalid", 80); },
              ThrowsMessage<UsageError>(HasSubstr("MASTER_ADDR: name.invalid")));
}

TEST(SocketsTest, TooFewFilesThatMayBeOpenAreNamed) {
  EXPECT_NO_THROW(expect_descriptors(8));
  EXPECT_THAT([] { expect_descriptors(std::int64_t{1} << 30); }, ThrowsMessage<IoError>(HasSubstr("ulimit -n")));
}

TEST(SocketsTest, TheLoopbackInterfaceIsReachedFromItself) { EXPECT_EQ(own_address("127.0.0.1", 80), "127.0.0.1"); }

}  // namespace
}  // namespace gloss
