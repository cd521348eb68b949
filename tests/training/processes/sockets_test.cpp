#include "training/processes/sockets.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "common/error.h"
#include "common/system/descriptor.h"

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
              ThrowsMessage<IoError>("127.0.0.1, port " + std::to_string(port) +
                                     ": cannot listen: Address already in use; choose a free port (MASTER_PORT)"));
  EXPECT_EQ(connection_error("127.0.0.1", 1), "Connection refused");
}

TEST(SocketsTest, AHostThatDoesNotAnswerIsWaitedForTwoSecondsOnly) {
  const Descriptor full(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(full.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(full.get(), 0), 0);
  address.sin_port = htons(port_of(full));
  std::vector<Descriptor> waiting;  // the system answers no more of them
  for (int i = 0; i < 4; ++i) {
    waiting.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    static_cast<void>(::connect(waiting.back().get(), reinterpret_cast<const sockaddr*>(&address), sizeof address));
  }
  EXPECT_EQ(connection_error("127.0.0.1", port_of(full)), "Connection timed out");
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
