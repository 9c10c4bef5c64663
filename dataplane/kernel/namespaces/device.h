#pragma once

#include <cstdint>
#include <string>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "results/finding/finding.h"

namespace overlane::kernel {

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

/// Those of a device in the calling thread's namespace. One that cannot be asked for is off.
DeviceOffloads offloads_of(const std::string& device);
/// Of a device in the calling thread's namespace.
Parsed<std::uint32_t> mtu_of(const std::string& device);

/// Waits until a veth end is running, and takes off it what changes packets on their way: all
/// offloads.
Result<void, std::string> make_ready(const NetworkNamespace& place, const std::string& device);

}  // namespace overlane::kernel
