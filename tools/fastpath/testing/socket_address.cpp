#include "tools/fastpath/testing/socket_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

namespace overlane::fastpath {

SocketAddress::SocketAddress(const std::string& address, std::uint16_t port) {
  auto& ipv4 = reinterpret_cast<sockaddr_in&>(address_);
  auto& ipv6 = reinterpret_cast<sockaddr_in6&>(address_);
  if (inet_pton(AF_INET, address.c_str(), &ipv4.sin_addr) == 1) {
    ipv4.sin_family = AF_INET;
    ipv4.sin_port = htons(port);
    size_ = sizeof ipv4;
  } else {
    inet_pton(AF_INET6, address.c_str(), &ipv6.sin6_addr);
    ipv6.sin6_family = AF_INET6;
    ipv6.sin6_port = htons(port);
    size_ = sizeof ipv6;
  }
}

void set_df(int socket, const SocketAddress& to, Df df) {
  if (to.is_ipv6()) {
    const int discovery = df == Df::Set ? IPV6_PMTUDISC_DO : IPV6_PMTUDISC_DONT;
    setsockopt(socket, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &discovery, sizeof discovery);
  } else {
    const int discovery = df == Df::Set ? IP_PMTUDISC_DO : IP_PMTUDISC_DONT;
    setsockopt(socket, IPPROTO_IP, IP_MTU_DISCOVER, &discovery, sizeof discovery);
  }
}

}  // namespace overlane::fastpath
