#include "serve/http/listen_address.h"

#include <algorithm>
#include <cstdint>

#include <boost/asio/io_context.hpp>

#include "common/error.h"
#include "common/text/printable.h"
#include "common/text/split.h"

namespace gloss {

using boost::asio::ip::tcp;

std::vector<tcp::endpoint> resolve_listen_address(const std::string& text) {
  const auto refuse = [&](const std::string& reason) {
    return UsageError({Key{"serve.listen"},
                       ": wanted an address and a port, such as 127.0.0.1:5000, got " + printable(text, 80) + reason});
  };
  const auto colon = text.rfind(':');
  const bool is_port = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  const bool has_port = is_port || (colon != text.npos && !text.ends_with(']'));
  auto host = is_port ? "127.0.0.1" : text.substr(0, has_port ? colon : text.npos);
  const auto number = has_port ? text.substr(is_port ? 0 : colon + 1) : "5000";
  if (host.empty()) throw refuse("");
  const auto port = parse_number<std::uint16_t>(number);
  if (!port && parse_number<std::uint64_t>(number)) throw refuse(" (a port is at most 65535)");
  if (!port) throw refuse("");
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  boost::system::error_code error;
  if (const auto address = boost::asio::ip::make_address(host, error); !error) return {tcp::endpoint(address, *port)};
  boost::asio::io_context context;
  tcp::resolver resolver(context);
  std::vector<tcp::endpoint> endpoints;
  for (const auto& entry : resolver.resolve(host, "", tcp::resolver::passive, error))
    if (const tcp::endpoint endpoint(entry.endpoint().address(), *port);
        std::ranges::find(endpoints, endpoint) == endpoints.end())
      endpoints.push_back(endpoint);
  if (error) throw refuse(" (" + error.message() + ")");
  return endpoints;
}

bool listens_to_loopback(const std::string& listen_address) {
  return std::ranges::all_of(resolve_listen_address(listen_address),
                             [](const auto& endpoint) { return endpoint.address().is_loopback(); });
}

std::string text_of(const tcp::endpoint& endpoint) {
  const auto address = endpoint.address().to_string();
  return (endpoint.address().is_v6() ? '[' + address + ']' : address) + ':' + std::to_string(endpoint.port());
}

}  // namespace gloss
