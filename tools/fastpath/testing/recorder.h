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
#include "dataplane/kernel/namespaces/process.h"

namespace overlane::fastpath {

/// Captures the interfaces of a namespace, one file each: `folder`/NAME.pcap.
class Recorder {
 public:
  static Parsed<std::unique_ptr<Recorder>> start(const kernel::NetworkNamespace& place,
                                                 const std::vector<std::string>& interfaces,
                                                 const std::filesystem::path& folder);
  ~Recorder();

  /// The last IPv4 frame sent on an interface before the call, from its Ethernet header. The kernel
  /// queues a frame for the capture before it sends it, so a frame whose answer was received
  /// counts.
  std::vector<std::uint8_t> last_out(std::size_t interface);

  /// Ends the capture. Returns the decoder's problems with sent packets, one per line, and errors
  /// of the captures.
  std::string problems();

  /// Number of frames sent on an interface. Call after problems().
  std::size_t out(std::size_t interface) const;
  /// Number of frames sent on an interface for which `is_wanted` returns true. Call after
  /// problems().
  std::size_t out(std::size_t interface,
                  const std::function<bool(std::span<const std::uint8_t>)>& is_wanted) const;

 private:
  struct Wire;
  explicit Recorder(std::vector<Wire> wires);
  void run(const std::stop_token& stop);
  bool take(Wire& wire);

  std::mutex mutex_;
  std::vector<Wire> wires_;
  std::jthread thread_;
};

}  // namespace overlane::fastpath
