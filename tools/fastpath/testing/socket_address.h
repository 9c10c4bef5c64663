#pragma once

#include <cstdint>
#include <string>
#include <sys/socket.h>

namespace overlane::fastpath {

/// Whether DF is set; in IPv6, whether the sender may fragment.
enum class Df : std::uint8_t { Clear, Set };

/// A socket address: IP address and port.
class SocketAddress {
 public:
  /// From an IPv4 or IPv6 address.
  SocketAddress(const std::string& address, std::uint16_t port);

  bool is_ipv6() const { return family() == AF_INET6; }
  int family() const { return address_.ss_family; }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address_); }
  socklen_t size() const { return size_; }

 private:
  sockaddr_storage address_{};
  socklen_t size_ = 0;
};

/// Sets the socket option for the address family.
void set_df(int socket, const SocketAddress& to, Df df);

}  // namespace overlane::fastpath
