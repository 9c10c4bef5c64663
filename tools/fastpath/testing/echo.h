#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/namespaces/process.h"
#include "tools/fastpath/testing/socket_address.h"

namespace overlane::fastpath {

/// Echo server: UDP and TCP on kEchoPort, and UDP with DF on kEchoDfPort; IPv4 and IPv6.
class Echo {
 public:
  static constexpr std::uint16_t kEchoPort = 7007;
  static constexpr std::uint16_t kEchoDfPort = 7008;

  /// Starts in the calling thread's network namespace.
  static Parsed<std::unique_ptr<Echo>> start();
  static Parsed<std::unique_ptr<Echo>> start(const kernel::NetworkNamespace& place);

 private:
  Echo(std::vector<kernel::OwnedFd> datagrams, std::vector<kernel::OwnedFd> listeners);
  void run(const std::stop_token& stop);
  void echo_datagrams(int socket);
  bool echo_stream(int connection);

  std::vector<kernel::OwnedFd> datagrams_;
  std::vector<kernel::OwnedFd> listeners_;
  std::vector<kernel::OwnedFd> connections_;
  std::vector<std::uint8_t> buffer_;
  std::jthread thread_;
};

/// `size` bytes that depend on their offset and `salt`.
std::vector<std::uint8_t> pattern(std::size_t size, std::uint32_t salt);

}  // namespace overlane::fastpath
