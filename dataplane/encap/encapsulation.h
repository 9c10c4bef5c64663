#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace overlane {

/// How a node wraps a pod packet. One row of kEncapsulations and one folder each.
enum class Encapsulation : std::uint8_t { None, Ipip, Vxlan };

/// What is fixed about an encapsulation over IPv4.
struct EncapsulationFacts {
  Encapsulation encapsulation;
  std::string_view name;
  std::uint32_t overhead;  ///< Bytes between inner and outer IP packet length.
};

inline constexpr std::array kEncapsulations = {
    EncapsulationFacts{Encapsulation::None, "none", 0},
    // RFC 2003: one IPv4 header.
    EncapsulationFacts{Encapsulation::Ipip, "ipip", 20},
    // RFC 7348: IPv4 20, UDP 8, VXLAN 8, inner Ethernet 14.
    EncapsulationFacts{Encapsulation::Vxlan, "vxlan", 50},
};

constexpr const EncapsulationFacts& facts(Encapsulation encapsulation) {
  return kEncapsulations[static_cast<std::size_t>(encapsulation)];
}
constexpr std::string_view to_string(Encapsulation e) {
  return facts(e).name;
}
constexpr std::uint32_t overhead(Encapsulation e) {
  return facts(e).overhead;
}

}  // namespace overlane
