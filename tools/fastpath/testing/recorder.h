#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/namespaces/owned_fd.h"

namespace overlane::fastpath {

/// Keeps every frame that passes the interfaces of a namespace, one capture for each:
/// `folder`/NAME.pcap.
class Recorder {
 public:
  static Parsed<std::unique_ptr<Recorder>> start(const kernel::NetworkNamespace& place,
                                                 const std::vector<std::string>& interfaces,
                                                 const std::filesystem::path& folder);
  ~Recorder();

  /// The last frame with IPv4 that left through an interface, from its Ethernet header on.
  std::vector<std::uint8_t> last_out(std::size_t interface) const;

  /// What is wrong with the packets that left through the interfaces, as the decoder sees it, one
  /// line each; and with the captures themselves. Ends the recording.
  std::string problems();

  /// How many frames left through an interface. After problems().
  std::size_t out(std::size_t interface) const;
  /// Those of them that `is_wanted`. After problems().
  std::size_t out(std::size_t interface,
                  const std::function<bool(std::span<const std::uint8_t>)>& is_wanted) const;

 private:
  struct Wire;
  explicit Recorder(std::vector<Wire> wires);
  void run(const std::stop_token& stop);
  bool take(Wire& wire);

  mutable std::mutex mutex_;
  std::vector<Wire> wires_;
  std::jthread thread_;
};

}  // namespace overlane::fastpath
