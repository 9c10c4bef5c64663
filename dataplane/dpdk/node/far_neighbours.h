#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "dataplane/net/address.h"

namespace overlane::dpdk {

/// A link on which every address exists: each request is answered with a link-layer address.
class FarNeighbours {
 public:
  /// The answer to a frame that asks for a neighbour; nothing when it does not.
  std::optional<std::vector<std::uint8_t>> answer(std::span<const std::uint8_t> frame);

  /// The link-layer address of an IP address.
  MacAddress mac_of(IpAddress address);
  /// Who was given that address.
  std::optional<IpAddress> with(const MacAddress& mac) const;

 private:
  std::vector<std::uint8_t> arp_reply(std::span<const std::uint8_t> request);
  std::vector<std::uint8_t> advertisement(std::span<const std::uint8_t> solicitation);

  std::map<IpAddress, MacAddress> macs_;
  std::map<MacAddress, IpAddress> addresses_;
};

}  // namespace overlane::dpdk
