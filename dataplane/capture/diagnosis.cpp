#include "dataplane/capture/diagnosis.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dataplane/wire/tunnel_headers.h"

namespace overlane::capture {
namespace {

/// More senders are counted, not named.
constexpr std::size_t kMaxNamedSenders = 3;

/// The device that sends a tunnel's packets.
struct TunnelDevice {
  std::uint16_t port;
  LayerKind outer;
  std::string_view name;
  bool is_calico = false;
};

/// Names of calico (felix/dataplane/linux/vxlan_mgr.go) and of Cilium (pkg/defaults: VxlanDevice,
/// GeneveDevice). flannel uses the port of Cilium and names its device flannel.1.
constexpr std::array kTunnelDevices = {
    TunnelDevice{wire::kVxlanPort, LayerKind::Ipv4, "vxlan.calico", true},
    TunnelDevice{wire::kVxlanPort, LayerKind::Ipv6, "vxlan-v6.calico", true},
    TunnelDevice{wire::kVxlanLinuxPort, LayerKind::Ipv4, "cilium_vxlan"},
    TunnelDevice{wire::kVxlanLinuxPort, LayerKind::Ipv6, "cilium_vxlan"},
    TunnelDevice{wire::kGenevePort, LayerKind::Ipv4, "cilium_geneve"},
    TunnelDevice{wire::kGenevePort, LayerKind::Ipv6, "cilium_geneve"}};

constexpr std::string_view kUnknownDevice = "DEVICE";

/// The IP header before the layer, or nullptr.
const Layer* ip_before(const DecodedPacket& packet, std::size_t layer) {
  while (layer-- > 0)
    if (packet.layers[layer].kind == LayerKind::Ipv4 ||
        packet.layers[layer].kind == LayerKind::Ipv6)
      return &packet.layers[layer];
  return nullptr;
}

std::string names_of(const std::set<std::string>& senders) {
  if (senders.size() > kMaxNamedSenders) return fmt::format("{} senders", senders.size());
  return fmt::format("{}", fmt::join(senders, ", "));
}

}  // namespace

void OuterChecksums::add(const DecodedPacket& packet) {
  if (!packet.wrong_outer_checksum) return;
  const Layer* ip = ip_before(packet, *packet.wrong_outer_checksum);
  if (ip == nullptr) return;
  ++packets_;
  senders_.emplace(ip->text("src"));
  const std::uint64_t port = packet.layers[*packet.wrong_outer_checksum].number("dstport");
  const auto* const known = std::ranges::find_if(kTunnelDevices, [&](const TunnelDevice& device) {
    return device.port == port && device.outer == ip->kind;
  });
  devices_.insert(known == kTunnelDevices.end() ? kUnknownDevice : known->name);
  is_calico_ |= known != kTunnelDevices.end() && known->is_calico;
}

std::optional<Diagnosis> OuterChecksums::diagnosis() const {
  if (packets_ == 0) return std::nullopt;
  Diagnosis diagnosis{.name = "outer-checksum", .packets = packets_, .senders = senders_};
  diagnosis.meaning = fmt::format(
      "{} packet{} from {} {} a wrong outer checksum around an intact packet: the checksum offload "
      "of the sender's tunnel device is broken, and the receiver drops them. Only if the capture "
      "was taken on the sender itself, before its NIC fills in checksums, is this normal: capture "
      "on the receiver to be sure",
      packets_, packets_ == 1 ? "" : "s", names_of(senders_), packets_ == 1 ? "has" : "have");
  std::string commands;
  for (const std::string_view device : devices_)
    commands += fmt::format("{}`ethtool -K {} tx-checksum-ip-generic off`",
                            commands.empty() ? "" : " and ", device);
  diagnosis.remedy =
      fmt::format("run {} on the sender (until the device is created again)", commands);
  if (devices_.contains(kUnknownDevice)) diagnosis.remedy += ", DEVICE being the tunnel's";
  if (is_calico_)
    diagnosis.remedy +=
        "; to keep it, set FELIX_FEATUREDETECTOVERRIDE=ChecksumOffloadBroken=true on calico-node, "
        "or featureDetectOverride of the FelixConfiguration";
  diagnosis.remedy += ". It costs segmentation offload of the tunnel, and thus throughput";
  return diagnosis;
}

}  // namespace overlane::capture
