#pragma once

#include <string>
#include <vector>

#include <boost/asio/ip/tcp.hpp>

namespace gloss {

/// Returns the endpoints that "127.0.0.1:5000", "[::1]:5000" or "localhost:5000" names. An address alone has the port
/// 5000, a port alone the address 127.0.0.1. Throws UsageError.
std::vector<boost::asio::ip::tcp::endpoint> resolve_listen_address(const std::string& text);

/// Returns whether all of them are of this machine only.
bool listens_to_loopback(const std::string& listen_address);

/// Returns "127.0.0.1:5000", "[::1]:5000".
std::string text_of(const boost::asio::ip::tcp::endpoint& endpoint);

}  // namespace gloss
