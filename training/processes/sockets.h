#pragma once

#include <cstdint>
#include <string>

#include "common/system/descriptor.h"

namespace gloss {

/// Number of files and connections that a process opens with others: its own, and for each of the others. In the middle
/// of setting up, c10d hangs or ends the program if the limit of the system is reached.
inline constexpr std::int64_t kDescriptors = 32, kDescriptorsOfPeer = 3;

/// Throws IoError unless this process may open `count` more files.
void expect_descriptors(std::int64_t count);

/// Returns a listening socket at a port of the loopback interface; 0: a free one. Throws IoError.
Descriptor listen_locally(std::uint16_t port);

/// Returns the port of a socket. Throws IoError.
std::uint16_t port_of(const Descriptor& socket);

/// Returns the reason why nothing answers at a port of a host; empty if something does.
std::string connection_error(const std::string& host, std::uint16_t port);

/// Returns the address of this machine from which `host` is reached: other processes reach this one there. Throws
/// UsageError if the host, named by MASTER_ADDR, has no address, IoError if its first one cannot be reached.
std::string own_address(const std::string& host, std::uint16_t port);

}  // namespace gloss
