#pragma once

#include <cstdint>
#include <string>

#include "dataplane/kernel/namespaces/process.h"
#include "results/finding/finding.h"

namespace overlane::kernel {

// Network namespaces without names, which vanish with the process, and the few things asked of
// devices inside them.

/// A network namespace of its own, without a name: nothing but this descriptor (and the sockets and
/// processes inside) holds it, so that the kernel takes it away with all its devices when the
/// process ends, however it ends.
class NetworkNamespace {
 public:
  /// Needs CAP_SYS_ADMIN; the message says so where it is missing.
  static Parsed<NetworkNamespace> make();
  /// The one that the calling thread is in.
  static Parsed<NetworkNamespace> of_this_thread();

  int fd() const { return fd_.get(); }

 private:
  explicit NetworkNamespace(OwnedFd fd) : fd_(std::move(fd)) {}

  OwnedFd fd_;
};

/// Moves the calling thread into a namespace for as long as it lives. What the thread opens
/// meanwhile (sockets, /proc/sys/net, /proc/thread-self/net) belongs to that namespace.
class Inside {
 public:
  explicit Inside(const NetworkNamespace& target);
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside();

 private:
  OwnedFd before_;
};

/// "what: Permission denied", from errno.
std::string system_error(const std::string& what);

Result<void, std::string> bring_up(const NetworkNamespace& place, const std::string& device);

/// Waits until a device that is up really carries packets, which the kernel arranges in the
/// background once both ends of a veth pair are up. One that is down is not waited for.
Result<void, std::string> wait_until_running(const NetworkNamespace& place,
                                             const std::string& device);

/// What a device does for the stack (ethtool -k). A veth pair has no hardware: its checksums are
/// left out and its buffers of segments stay whole.
struct DeviceOffloads {
  bool checksums = true;     ///< tx-checksumming
  bool segmentation = true;  ///< tcp-segmentation-offload and generic-segmentation-offload
  bool receive = true;       ///< generic-receive-offload

  bool operator==(const DeviceOffloads&) const = default;
};

/// Sets them; an offload that the device does not have is left out.
Result<void, std::string> set_offloads(const NetworkNamespace& place, const std::string& device,
                                       const DeviceOffloads& offloads);

/// Offloads of a device in the calling thread's namespace. An offload that cannot be queried counts
/// as off.
DeviceOffloads offloads_of(const std::string& device);
/// MTU of a device in the calling thread's namespace.
Parsed<std::uint32_t> mtu_of(const std::string& device);

/// Waits until a veth end is running, and takes off it what changes packets on their way: all
/// offloads.
Result<void, std::string> make_ready(const NetworkNamespace& place, const std::string& device);

}  // namespace overlane::kernel
