#pragma once

#include <cstdint>
#include <string>

#include "dataplane/kernel/namespaces/process.h"
#include "results/finding/finding.h"

namespace overlane::kernel {

// Network namespaces without names, which disappear with the process, and operations on the devices
// inside them.

/// A network namespace without a name. Only this descriptor, and the sockets and processes inside,
/// keep it alive. The kernel therefore removes it with all its devices when the process ends for
/// any reason.
class NetworkNamespace {
 public:
  /// Makes a namespace. Requires CAP_SYS_ADMIN; the error says so if it is missing.
  static Parsed<NetworkNamespace> make();
  /// The namespace of the calling thread.
  static Parsed<NetworkNamespace> of_this_thread();

  int fd() const { return fd_.get(); }

 private:
  explicit NetworkNamespace(OwnedFd fd) : fd_(std::move(fd)) {}

  OwnedFd fd_;
};

/// Moves the calling thread into a namespace during the object's lifetime. Everything that the
/// thread opens there (sockets, /proc/sys/net, /proc/thread-self/net) belongs to that namespace.
class Inside {
 public:
  explicit Inside(const NetworkNamespace& target);
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside();

 private:
  OwnedFd before_;
};

/// An error text with errno: "what: Permission denied".
std::string system_error(const std::string& what);

Result<void, std::string> bring_up(const NetworkNamespace& place, const std::string& device);

/// Waits until a device that is up carries packets. The kernel arranges this in the background
/// after both ends of a veth pair are up. Does not wait for a device that is down.
Result<void, std::string> wait_until_running(const NetworkNamespace& place,
                                             const std::string& device);

/// Work that a device does for the network stack (ethtool -k). A veth pair has no hardware: with
/// these offloads, checksums are not computed and large segments are passed on unsplit.
struct DeviceOffloads {
  bool checksums = true;     ///< tx-checksumming
  bool segmentation = true;  ///< tcp-segmentation-offload and generic-segmentation-offload
  bool receive = true;       ///< generic-receive-offload

  bool operator==(const DeviceOffloads&) const = default;
};

/// Sets the offloads. Ignores those that the device does not have.
Result<void, std::string> set_offloads(const NetworkNamespace& place, const std::string& device,
                                       const DeviceOffloads& offloads);

/// Offloads of a device in the calling thread's namespace. An offload that cannot be queried counts
/// as off.
DeviceOffloads offloads_of(const std::string& device);
/// MTU of a device in the calling thread's namespace.
Parsed<std::uint32_t> mtu_of(const std::string& device);

/// Waits until a veth end is running, and disables all offloads, which would change packets.
Result<void, std::string> make_ready(const NetworkNamespace& place, const std::string& device);

}  // namespace overlane::kernel
