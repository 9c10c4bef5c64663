#include "topologies/path/gate.h"

namespace overlane::path {

std::string_view to_string(Gate gate) {
  switch (gate) {
    case Gate::Route:
      return "route";
    case Gate::Encapsulation:
      return "encapsulation";
    case Gate::AntiSpoofing:
      return "anti-spoofing";
    case Gate::Filter:
      return "filter";
    case Gate::Mtu:
      return "mtu";
  }
  return "";
}

std::optional<Gate> gate_of(Drop drop) {
  switch (drop) {
    case Drop::NoRoute:
    case Drop::BlackholeRoute:
    case Drop::UnreachableRoute:
    case Drop::ProhibitRoute:
    case Drop::NoDevice:
    case Drop::DeviceDown:
    case Drop::NoSuchPod:
    case Drop::NotLocal:
    case Drop::Martian:
    case Drop::TtlExpired:
    case Drop::NodeGone:
    case Drop::FabricNoRoute:
    case Drop::FabricBlackhole:
    case Drop::FabricForeignInstance:
    case Drop::FabricTtlExpired:
      return Gate::Route;
    case Drop::UnsupportedProtocol:
    case Drop::NoNeighbour:
    case Drop::TunnelUnknown:
    case Drop::TunnelLoop:
    case Drop::AllowedIps:
    case Drop::EcnCorrupted:
      return Gate::Encapsulation;
    case Drop::RpFilter:
    case Drop::SourceSpoofed:
    case Drop::FabricSourceCheck:
    case Drop::FabricDestinationCheck:
      return Gate::AntiSpoofing;
    case Drop::PacketFilter:
    case Drop::TunnelSource:
    case Drop::ConntrackFull:
    case Drop::NatExhausted:
    case Drop::NatDeviceChanged:
    case Drop::NoEndpoints:
    case Drop::FabricProtocolFilter:
    case Drop::FabricPacketFilter:
      return Gate::Filter;
    case Drop::MtuExceeded:
    case Drop::ReceiveMtuExceeded:
    case Drop::FabricMtuExceeded:
    case Drop::ReassemblyTimeout:
    case Drop::ReassemblyOverflow:
    case Drop::FabricFragment:
      return Gate::Mtu;
    case Drop::Malformed:
    case Drop::BadChecksum:
    case Drop::FabricAllowance:
    case Drop::CpuBacklogFull:
    case Drop::NicQueueFull:
    case Drop::FabricQueueFull:
    case Drop::SocketBufferFull:
    case Drop::NoSocket:
    case Drop::RandomLoss:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace overlane::path
