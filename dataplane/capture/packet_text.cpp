#include "dataplane/capture/packet_text.h"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "dataplane/wire/icmp.h"
#include "dataplane/wire/tunnel_headers.h"

namespace overlane::capture {

namespace {

/// Maximum number of senders that are named; further senders are only counted.
constexpr std::size_t kMaxNamedSenders = 3;

/// The device that sends the packets of a tunnel.
struct TunnelDevice {
  std::uint16_t port;
  LayerKind outer;
  std::string_view name;
  bool is_calico = false;
};

/// Device names of Calico (felix/dataplane/linux/vxlan_mgr.go) and of Cilium (pkg/defaults:
/// VxlanDevice, GeneveDevice). flannel uses Cilium's port and names its device flannel.1.
constexpr std::array kTunnelDevices = {
    TunnelDevice{wire::kVxlanPort, LayerKind::Ipv4, "vxlan.calico", true},
    TunnelDevice{wire::kVxlanPort, LayerKind::Ipv6, "vxlan-v6.calico", true},
    TunnelDevice{wire::kVxlanLinuxPort, LayerKind::Ipv4, "cilium_vxlan"},
    TunnelDevice{wire::kVxlanLinuxPort, LayerKind::Ipv6, "cilium_vxlan"},
    TunnelDevice{wire::kGenevePort, LayerKind::Ipv4, "cilium_geneve"},
    TunnelDevice{wire::kGenevePort, LayerKind::Ipv6, "cilium_geneve"}};

constexpr std::string_view kUnknownDevice = "DEVICE";

/// The IP header before the layer; nullptr if there is none.
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

namespace {

constexpr std::size_t kIndent = 2;
/// Width of the columns before a packet's first header, in characters.
constexpr std::size_t kLeft = 31;

std::string seconds_since(Timestamp start, Timestamp now) {
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  std::int64_t seconds = now.seconds - start.seconds;
  std::int64_t nanoseconds = std::int64_t{now.nanoseconds} - start.nanoseconds;
  const bool is_before = seconds < 0 || (seconds == 0 && nanoseconds < 0);
  if (is_before) {
    seconds = -seconds;
    nanoseconds = -nanoseconds;
  }
  if (nanoseconds < 0) {
    nanoseconds += kNanoseconds;
    --seconds;
  }
  return fmt::format("{}{}.{:06}", is_before ? "-" : "", seconds, nanoseconds / 1'000);
}

std::string tcp_flags(std::uint64_t flags) {
  constexpr std::array<std::string_view, 8> kNames = {"FIN", "SYN", "RST", "PSH",
                                                      "ACK", "URG", "ECE", "CWR"};
  std::string text;
  for (std::size_t bit = 0; bit < kNames.size(); ++bit) {
    if ((flags >> bit & 1) == 0) continue;
    if (!text.empty()) text += ' ';
    text += kNames[bit];
  }
  return text;
}

std::string print_ip(const Layer& layer, std::string_view hops) {
  std::string text =
      fmt::format("{} > {}, {} {}", layer.text("src"), layer.text("dst"), hops, layer.number(hops));
  for (const std::string_view name : {"dscp", "ecn"}) {
    if (layer.number(name) != 0) text += fmt::format(", {} {}", name, layer.number(name));
  }
  if (layer.number("df") != 0) text += ", df";
  const bool is_fragment = layer.number("mf") != 0 || layer.number("frag_offset") != 0;
  if (is_fragment) {
    text += fmt::format(", fragment {:#06x} at {}{}", layer.number("id"),
                        layer.number("frag_offset") * 8, layer.number("mf") != 0 ? "+" : "");
  }
  return text;
}

std::string print_arp(const Layer& layer) {
  return fmt::format("arp opcode {}, {} ({}) > {} ({})", layer.number("opcode"),
                     layer.text("src_proto_ipv4"), layer.text("src_hw_mac"),
                     layer.text("dst_proto_ipv4"), layer.text("dst_hw_mac"));
}

/// "icmp destination unreachable, code 4, mtu 1400".
std::string print_icmp(const Layer& layer) {
  const auto type = static_cast<std::uint8_t>(layer.number("type"));
  const std::string_view name =
      layer.kind == LayerKind::Icmp ? wire::icmp_name(type) : wire::icmpv6_name(type);
  std::string text = fmt::format("{} ", to_string(layer.kind));
  text += name.empty() ? fmt::format("type {}", type) : std::string(name);
  if (layer.number("code") != 0) text += fmt::format(", code {}", layer.number("code"));
  for (const Field& field : layer.fields) {
    const bool is_common = field.name == "type" || field.name == "code" ||
                           field.name == "checksum" || field.name == "quoted";
    if (is_common) continue;
    if (const auto* number = std::get_if<std::uint64_t>(&field.value))
      text += fmt::format(", {} {}", field.name, *number);
    if (const auto* value = std::get_if<std::string>(&field.value))
      text += fmt::format(", {} {}", field.name, *value);
  }
  return text;
}

std::string print_layer(const Layer& layer) {
  switch (layer.kind) {
    case LayerKind::Ethernet:
      return fmt::format("{} > {}, type {:#06x}", layer.text("src"), layer.text("dst"),
                         layer.number("type"));
    case LayerKind::Vlan:
      return fmt::format("vlan {}", layer.number("id"));
    case LayerKind::LinuxCooked:
      return fmt::format("sll type {:#06x}", layer.number("etype"));
    case LayerKind::Null:
      return fmt::format("family {}", layer.number("family"));
    case LayerKind::Arp:
      return print_arp(layer);
    case LayerKind::Ipv4:
      return print_ip(layer, "ttl");
    case LayerKind::Ipv6:
      return print_ip(layer, "hlim");
    case LayerKind::Fragment:
      return fmt::format("fragment {:#010x} at {}{}", layer.number("ident"),
                         layer.number("offset") * 8, layer.number("more") != 0 ? "+" : "");
    case LayerKind::HopByHop:
    case LayerKind::DestinationOptions:
    case LayerKind::Routing:
    case LayerKind::Authentication:
      return std::string(to_string(layer.kind));
    case LayerKind::Udp:
      return fmt::format("udp {} > {}", layer.number("srcport"), layer.number("dstport"));
    case LayerKind::Tcp:
      return fmt::format("tcp {} > {} [{}] seq {} ack {}", layer.number("srcport"),
                         layer.number("dstport"), tcp_flags(layer.number("flags")),
                         layer.number("seq"), layer.number("ack"));
    case LayerKind::Icmp:
    case LayerKind::Icmpv6:
      return print_icmp(layer);
    case LayerKind::Vxlan:
    case LayerKind::VxlanGpe:
    case LayerKind::Geneve:
      return fmt::format("{} vni {}", to_string(layer.kind), layer.number("vni"));
    case LayerKind::Wireguard:
      return fmt::format("wireguard type {}", layer.number("type"));
    case LayerKind::Payload:
    case LayerKind::Padding:
      return fmt::format("{} {} B", to_string(layer.kind), layer.number("length"));
  }
  return "";
}

bool begins_packet(LayerKind kind) {
  return kind == LayerKind::Ipv4 || kind == LayerKind::Ipv6 || kind == LayerKind::Arp;
}

/// Whether a layer is omitted from the text: a link header, which adds nothing to the packet in it.
bool is_hidden(const std::vector<Layer>& layers, std::size_t at) {
  const LayerKind kind = layers[at].kind;
  const bool is_link =
      kind == LayerKind::Ethernet || kind == LayerKind::LinuxCooked || kind == LayerKind::Null;
  if (!is_link || at + 1 == layers.size()) return false;
  return begins_packet(layers[at + 1].kind) || layers[at + 1].kind == LayerKind::Vlan;
}

/// Escapes a text that may contain any character: a file name or a message of libpcap.
std::string json_string(std::string_view text) {
  using ErrorHandler = nlohmann::json::error_handler_t;
  return nlohmann::json(text).dump(-1, ' ', false, ErrorHandler::replace);
}

/// Appends a field name or value, which needs no escapes: word, address, hexadecimal bytes.
void append_text(std::string& json, std::string_view text) {
  json += '"';
  json += text;
  json += '"';
}

void append_fields(std::string& json, const Fields& fields);

struct AppendValue {
  std::string& json;

  void operator()(std::uint64_t number) const {
    fmt::format_to(std::back_inserter(json), "{}", number);
  }
  void operator()(const std::string& text) const { append_text(json, text); }
  void operator()(const std::vector<Fields>& list) const {
    json += '[';
    for (const Fields& fields : list) {
      if (&fields != &list.front()) json += ',';
      json += '{';
      append_fields(json, fields);
      json += '}';
    }
    json += ']';
  }
};

void append_fields(std::string& json, const Fields& fields) {
  for (const Field& field : fields) {
    if (&field != &fields.front()) json += ',';
    append_text(json, field.name);
    json += ':';
    std::visit(AppendValue{json}, field.value);
  }
}

void append_layer(std::string& json, const Layer& layer) {
  json += R"({"layer":)";
  append_text(json, to_string(layer.kind));
  if (!layer.fields.empty()) json += ',';
  append_fields(json, layer.fields);
  json += '}';
}

}  // namespace

std::string print(const DecodedPacket& packet, Timestamp start) {
  std::string text = fmt::format("{:>7} {:>14} {:>6} B", packet.number,
                                 seconds_since(start, packet.timestamp), packet.length_bytes);
  std::size_t depth = 0;
  std::string_view separator = "  ";
  for (std::size_t at = 0; at < packet.layers.size(); ++at) {
    const Layer& layer = packet.layers[at];
    if (is_hidden(packet.layers, at)) continue;
    if (begins_packet(layer.kind) && depth++ > 0) {
      text += fmt::format("\n{:{}}", "", kLeft + kIndent * (depth - 1));
      separator = "";
    }
    text += fmt::format("{}{}", separator, print_layer(layer));
    const std::string_view note = layer.text("note");
    if (!note.empty()) text += fmt::format(" ({})", note);
    separator = ", ";
  }
  text += '\n';
  for (const std::string& problem : packet.problems)
    text += fmt::format("{:{}}problem: {}\n", "", kLeft, problem);
  return text;
}

std::string to_json(const DecodedPacket& packet, std::string_view file) {
  std::string json = "{";
  if (!file.empty()) json += fmt::format(R"("file":{},)", json_string(file));
  json += fmt::format(R"("number":{},"timestamp":"{}","length_bytes":{},"layers":[)", packet.number,
                      packet.timestamp.to_string(), packet.length_bytes);
  for (const Layer& layer : packet.layers) {
    if (&layer != &packet.layers.front()) json += ',';
    append_layer(json, layer);
  }
  json += R"(],"problems":[)";
  for (const std::string& problem : packet.problems) {
    if (&problem != &packet.problems.front()) json += ',';
    json += json_string(problem);
  }
  json += "]}";
  return json;
}

}  // namespace overlane::capture
