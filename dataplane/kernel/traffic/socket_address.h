#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "dataplane/net/address.h"

namespace overlane::kernel {

/// An IP address and a port in the form of the kernel's socket calls.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;

  SocketAddress(const IpAddress& address, std::uint16_t port) {
    if (address.is_ipv4()) {
      sockaddr_in in{};
      in.sin_family = AF_INET;
      in.sin_port = htons(port);
      in.sin_addr.s_addr = htonl(address.ipv4().bits);
      keep(in);
    } else {
      sockaddr_in6 in{};
      in.sin6_family = AF_INET6;
      in.sin6_port = htons(port);
      const Ipv6Address ipv6 = address.ipv6();
      std::ranges::copy(ipv6.bytes, in.sin6_addr.s6_addr);
      keep(in);
    }
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }

 private:
  template <typename In>
  void keep(const In& in) {
    std::memcpy(&storage, &in, sizeof in);
    length = sizeof in;
  }
};

inline int family_of(const IpAddress& address) {
  return address.is_ipv4() ? AF_INET : AF_INET6;
}

/// Sends small writes of a TCP socket at once (TCP_NODELAY).
inline void set_no_delay(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace overlane::kernel
