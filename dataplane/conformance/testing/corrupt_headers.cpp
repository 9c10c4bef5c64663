#include "dataplane/conformance/testing/corrupt_headers.h"

#include <functional>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/ethernet.h"

namespace overlane::conformance::testing {
namespace {

constexpr std::size_t kUdp = 8;
constexpr std::size_t kTunnelHeader = 8;

/// Adds to the 16-bit field at `at`.
void add(Bytes& packet, std::size_t at, int difference) {
  store_be16(packet.data() + at,
             static_cast<std::uint32_t>(load_be16(packet.data() + at) + difference));
}

void sum_ipv4(std::span<std::uint8_t> header) {
  store_be16(header.data() + 10, 0);
  store_be16(header.data() + 10, internet_checksum(header));
}

IpAddress outer_address(const Layout& layout, const Bytes& packet, bool destination) {
  if (layout.outer_ipv4) return Ipv4Address{load_be32(packet.data() + (destination ? 16 : 12))};
  IpAddress address;
  address.high = load_be64(packet.data() + (destination ? 24 : 8));
  address.low = load_be64(packet.data() + (destination ? 32 : 16));
  return address;
}

/// Makes the corrupt packets of one tunnel, each from the good packet.
class Liar {
 public:
  Liar(const Tunnel& tunnel, const Bytes& good)
      : tunnel_(tunnel), layout_(layout_of(tunnel)), good_(good) {}

  std::vector<CorruptPacket> all() {
    layout_.outer_ipv4 ? outer_ipv4() : outer_ipv6();
    if (layout_.has_udp) {
      udp();
      tunnel_.shape.encapsulation == Encapsulation::Vxlan ? vxlan() : geneve();
      ethernet();
    }
    layout_.inner_ipv4 ? inner_ipv4() : inner_ipv6();
    return std::move(corrupt_);
  }

 private:
  using Change = std::function<void(Bytes&)>;

  void lie(std::string what, const char* outcome, const Change& change) {
    Bytes packet = good_;
    change(packet);
    corrupt_.push_back({std::move(what), std::move(packet), outcome});
  }
  /// Adds a corrupt packet whose outer checksums are right.
  void covered(std::string what, std::string outcome, const Change& change) {
    Bytes packet = good_;
    change(packet);
    sum_again(layout_, packet);
    corrupt_.push_back({std::move(what), std::move(packet), std::move(outcome)});
  }
  void set(std::string what, const char* outcome, std::size_t at, std::uint8_t value) {
    covered(std::move(what), outcome, [=](Bytes& p) { p[at] = value; });
  }

  void outer_ipv4() {
    lie("outer version 5", "malformed", [](Bytes& p) { p[0] = 0x55; });
    set("outer header of 16 bytes", "malformed", 0, 0x44);
    covered("outer length one too many", "malformed", [](Bytes& p) { add(p, 2, 1); });
    covered("outer length one too few", "malformed", [](Bytes& p) { add(p, 2, -1); });
    covered("outer length of no packet", "malformed",
            [](Bytes& p) { store_be16(p.data() + 2, 19); });
    covered("outer length 0", "malformed", [](Bytes& p) { store_be16(p.data() + 2, 0); });
    lie("outer checksum wrong", "bad-checksum", [](Bytes& p) { p[10] ^= 1; });
  }

  void outer_ipv6() {
    set("outer payload length one too many", "malformed", 5,
        static_cast<std::uint8_t>(good_[5] + 1));
    covered("outer payload length one too few", "malformed", [](Bytes& p) { add(p, 4, -1); });
    covered("outer payload length 0", "malformed", [](Bytes& p) { store_be16(p.data() + 4, 0); });
    if (tunnel_.shape.encapsulation != Encapsulation::Ip6Tnl) return;
    set("options beyond the packet", "malformed", 41, 0xff);
  }

  void udp() {
    const std::size_t length = layout_.payload + 4;
    covered("UDP length one too many", "malformed", [=](Bytes& p) { add(p, length, 1); });
    covered("UDP length one too few", "malformed", [=](Bytes& p) { add(p, length, -1); });
    covered("UDP length of no datagram", "malformed",
            [=](Bytes& p) { store_be16(p.data() + length, 7); });
    lie("UDP checksum wrong", "bad-checksum", [=](Bytes& p) {
      store_be16(p.data() + length + 2, load_be16(p.data() + length + 2) == 1 ? 2 : 1);
    });
    const std::string without = layout_.outer_ipv4 ? tunnel_.delivered() : "bad-checksum";
    lie("no UDP checksum", without.c_str(),
        [=](Bytes& p) { store_be16(p.data() + length + 2, 0); });
  }

  void vxlan() {
    const std::size_t at = layout_.middle;
    set("no I flag", "malformed", at, 0);
    set("a reserved flag", "unsupported-protocol", at, 0x0c);
    set("a reserved bit before the VNI", "unsupported-protocol", at + 3, 1);
    set("a reserved bit behind the VNI", "unsupported-protocol", at + 7, 1);
  }

  void geneve() {
    const std::size_t at = layout_.middle;
    set("Geneve version 1", "malformed", at, 0x40);
    set("a critical option announced", "unsupported-protocol", at + 1, 0x40);
    covered("a control packet", tunnel_.delivered(), [=](Bytes& p) { p[at + 1] = 0x80; });
    set("options beyond the packet", "malformed", at, 0x3f);
    set("no Ethernet announced", "unsupported-protocol", at + 2, 0x08);
    covered("a reserved bit behind the VNI", tunnel_.delivered(), [=](Bytes& p) { p[at + 7] = 1; });
  }

  void ethernet() {
    const std::size_t at = layout_.frame;
    covered("an inner frame for another", "not-local", [=](Bytes& p) { p[at + 5] ^= 1; });
    covered("an inner broadcast", "not-local",
            [=](Bytes& p) { std::fill_n(p.begin() + static_cast<std::ptrdiff_t>(at), 6, 0xff); });
    covered("an inner frame from the device itself", "tunnel-loop", [=](Bytes& p) {
      std::copy_n(p.begin() + static_cast<std::ptrdiff_t>(at), 6,
                  p.begin() + static_cast<std::ptrdiff_t>(at) + 6);
    });
    covered("an inner frame from a group", tunnel_.delivered(), [=](Bytes& p) { p[at + 6] |= 1; });
    covered("an inner frame from an all-zero address", tunnel_.delivered(), [=](Bytes& p) {
      std::fill_n(p.begin() + static_cast<std::ptrdiff_t>(at) + 6, 6, std::uint8_t{0});
    });
    covered("ARP announced inside", "unsupported-protocol",
            [=](Bytes& p) { store_be16(p.data() + at + 12, wire::kEtherTypeArp); });
    covered("the other family announced inside", "malformed", [=, this](Bytes& p) {
      store_be16(p.data() + at + 12,
                 layout_.inner_ipv4 ? wire::kEtherTypeIpv6 : wire::kEtherTypeIpv4);
    });
  }

  /// Adds a packet with a changed inner IPv4 header whose checksum is right.
  void inner(std::string what, std::string outcome, const Change& change) {
    covered(std::move(what), std::move(outcome), [&](Bytes& p) {
      change(p);
      sum_ipv4(std::span(p).subspan(layout_.inner, 20));
    });
  }

  void inner_ipv4() {
    const std::size_t at = layout_.inner;
    inner("inner version 5", "malformed", [=](Bytes& p) { p[at] = 0x55; });
    inner("inner header of 16 bytes", "malformed", [=](Bytes& p) { p[at] = 0x44; });
    inner("inner length one too many", "malformed", [=](Bytes& p) { add(p, at + 2, 1); });
    inner("inner length of no packet", "malformed",
          [=](Bytes& p) { store_be16(p.data() + at + 2, 19); });
    inner("inner length one too few: the rest is padding", tunnel_.delivered(99),
          [=](Bytes& p) { add(p, at + 2, -1); });
    set("inner checksum wrong", "bad-checksum", at + 10,
        static_cast<std::uint8_t>(good_[at + 10] ^ 1));
  }

  void inner_ipv6() {
    const std::size_t at = layout_.inner;
    set("inner version 4", "malformed", at, 0x40);
    covered("inner payload length one too many", "malformed", [=](Bytes& p) { add(p, at + 4, 1); });
    covered("inner payload length one too few: the rest is padding", tunnel_.delivered(99),
            [=](Bytes& p) { add(p, at + 4, -1); });
  }

  const Tunnel& tunnel_;
  Layout layout_;
  const Bytes& good_;
  std::vector<CorruptPacket> corrupt_;
};

}  // namespace

Layout layout_of(const Tunnel& tunnel) {
  const Encapsulation encapsulation = tunnel.shape.encapsulation;
  Layout layout{
      .outer_ipv4 = tunnel.underlay() == Family::Ipv4,
      .inner_ipv4 = tunnel.pods == Family::Ipv4,
      .has_udp = encapsulation == Encapsulation::Vxlan || encapsulation == Encapsulation::Geneve};
  layout.inner = overhead(encapsulation, tunnel.underlay());
  layout.payload = layout.inner;
  if (!layout.has_udp) return layout;
  layout.frame = layout.inner - wire::kEthernetBytes;
  layout.middle = layout.frame - kTunnelHeader;
  layout.payload = layout.middle - kUdp;
  return layout;
}

void sum_again(const Layout& layout, Bytes& packet) {
  if (layout.outer_ipv4) sum_ipv4(std::span(packet).first(20));
  if (!layout.has_udp || packet.size() < layout.payload + kUdp) return;
  const std::span<std::uint8_t> rest = std::span(packet).subspan(layout.payload);
  if (load_be16(rest.data() + 6) == 0) return;
  // A wrong length may reach beyond the packet.
  const std::size_t length = std::min<std::size_t>(load_be16(rest.data() + 4), rest.size());
  if (length < kUdp) return;
  store_be16(rest.data() + 6, 0);
  const std::uint16_t sum =
      transport_checksum(outer_address(layout, packet, false), outer_address(layout, packet, true),
                         forward::kUdp, rest.first(length));
  store_be16(rest.data() + 6, sum == 0 ? 0xffff : sum);
}

Bytes cut_by_sender(const Layout& layout, Bytes packet, std::size_t size) {
  packet.resize(size);
  const std::size_t outer = layout.outer_ipv4 ? 20 : 40;
  store_be16(packet.data() + (layout.outer_ipv4 ? 2 : 4),
             static_cast<std::uint32_t>(layout.outer_ipv4 ? size : size - outer));
  if (layout.has_udp && size >= layout.payload + 6) {
    store_be16(packet.data() + layout.payload + 4,
               static_cast<std::uint32_t>(size - layout.payload));
  }
  sum_again(layout, packet);
  return packet;
}

std::vector<CorruptPacket> corrupt_packets(const Tunnel& tunnel, const Bytes& good) {
  return Liar(tunnel, good).all();
}

}  // namespace overlane::conformance::testing
