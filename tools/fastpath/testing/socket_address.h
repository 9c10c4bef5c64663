#pragma once

#include <cstdint>
#include <string>
#include <sys/socket.h>

namespace overlane::fastpath {

/// Whether the packets of a socket may be fragmented on their way; in IPv6, by the sender itself.
enum class Df : std::uint8_t { Clear, Set };

/// An address and a port as a socket takes them.
class SocketAddress {
 public:
  /// Of an IPv4 or IPv6 address.
  SocketAddress(const std::string& address, std::uint16_t port);

  bool is_ipv6() const { return family() == AF_INET6; }
  int family() const { return address_.ss_family; }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address_); }
  socklen_t size() const { return size_; }

 private:
  sockaddr_storage address_{};
  socklen_t size_ = 0;
};

/// What a path to such an address is asked of.
void set_df(int socket, const SocketAddress& to, Df df);

}  // namespace overlane::fastpath
