#include <map>

#include "dataplane/neighbour/address_kind.h"
#include "dataplane/neighbour/link.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/net/testing/fuzz_input.h"
#include "dataplane/net/testing/require.h"
#include "dataplane/wire/ip.h"
#include "dataplane/wire/testing/bytes.h"

namespace overlane::neighbour {
namespace {

using overlane::testing::Bytes;
using overlane::testing::FuzzInput;
using overlane::testing::require;

const MacAddress kMac{{2, 0, 0, 0, 0, 1}};
const IpAddress kFirst4 = IpAddress::parse("10.0.0.0").value();
const IpAddress kFirst6 = IpAddress::parse("2001:db8::").value();
constexpr std::size_t kMax = 3;
constexpr std::size_t kMaxPackets = 2;
/// Size of the packets that are sent. They are IPv4, so that they differ from the link's own
/// messages.
constexpr std::size_t kPacketBytes = 20;

/// Returns a frame: its length in one byte, then its bytes.
Bytes frame_of(FuzzInput& input) {
  const std::size_t length = input.byte();
  return input.bytes(length);
}

IpAddress address_of(FuzzInput& input) {
  const std::uint8_t number = input.byte();
  return (number & 0x80) != 0 ? kFirst6 + (number & 0x7f) : kFirst4 + number;
}

/// A link, and the state that its events imply.
class Driven {
 public:
  void receive(const Bytes& frame) { link_.receive(frame, now_, *this); }
  void send(const IpAddress& to) {
    ++in_;
    link_.send(to, Bytes(kPacketBytes, 0x45), now_, *this);
  }
  void resolve(const IpAddress& address) { link_.resolve(address, now_, *this); }
  void answer(bool for_all) {
    link_.set_answers({.own = {kFirst4 + 1, kFirst6 + 1}, .proxy_arp = for_all});
  }
  void pass(Picos time) {
    now_ += time;
    link_.tick(now_, *this);
    require(link_.next_deadline().value_or(now_ + picoseconds(1)) > now_);
  }

  void check() const {
    require(link_.neighbours() <= kMax && known_.size() <= link_.neighbours());
    require(link_.next_deadline().has_value() == (link_.neighbours() != 0));
    for (const auto& [address, mac] : known_)
      require(link_.find(address) == mac);
    require(in_ - out_ == link_.kept() && link_.kept() <= kMax * kMaxPackets);
  }
  void check_all_is_over() const {
    require(link_.neighbours() == 0 && known_.empty() && in_ == out_);
  }

  void transmit(std::span<const std::uint8_t> frame, Mark) {
    const auto ethernet = wire::parse_ethernet(frame).value();
    require(ethernet.source == kMac && ethernet.ether_type == wire::kEtherTypeIpv4);
    require(frame.size() == wire::kEthernetBytes + kPacketBytes && is_port(ethernet.destination));
    ++out_;
  }
  void transmit_own(std::span<const std::uint8_t> frame) {
    const auto ethernet = wire::parse_ethernet(frame).value();
    require(ethernet.source == kMac);
    const auto payload = frame.subspan(wire::kEthernetBytes);
    if (ethernet.ether_type == wire::kEtherTypeArp) {
      require(wire::parse_arp(payload)->sender_mac == kMac);
    } else {
      const auto ip = wire::parse_ipv6(payload).value();
      const auto message = payload.subspan(wire::kIpv6Bytes);
      require(wire::parse_icmpv6(ip.source, ip.destination, message).has_value());
      require(wire::parse_neighbour_message(message)->mac.value_or(kMac) == kMac);
    }
  }
  void learned(const IpAddress& address, const MacAddress& mac) {
    require(is_host(address) && is_port(mac) &&
            (!known_.contains(address) || known_[address] != mac));
    known_[address] = mac;
  }
  void lost(const IpAddress& address) { require(known_.erase(address) == 1); }
  void unanswered(const IpAddress& next_hop, std::span<const std::uint8_t> packet, Mark mark) {
    undelivered(next_hop, packet, mark);
  }
  void undelivered(const IpAddress&, std::span<const std::uint8_t> packet, Mark) {
    require(packet.size() == kPacketBytes);
    ++out_;
  }

 private:
  Link link_{{.mac = kMac,
              .answers = {.own = {kFirst4 + 1, kFirst6 + 1}},
              .max_neighbours = kMax,
              .max_queued_bytes = kMaxPackets * (kPacketBytes + kPacketOverhead)}};
  Picos now_;
  std::map<IpAddress, MacAddress> known_;
  std::size_t in_ = 0;   ///< Packets passed to send().
  std::size_t out_ = 0;  ///< Packets transmitted or dropped.
};

/// Corrects the checksum of an ICMPv6 message, which mutations break.
void sum_again(Bytes& frame) {
  constexpr std::size_t kMessage = wire::kEthernetBytes + wire::kIpv6Bytes;
  if (frame.size() < kMessage + wire::kIcmpv6Bytes) return;
  const auto ip = wire::parse_ipv6(std::span(frame).subspan(wire::kEthernetBytes));
  if (!ip || ip->payload_length < wire::kIcmpv6Bytes) return;
  const auto message = std::span(frame).subspan(kMessage, ip->payload_length);
  store_be16(&message[2], 0);
  store_be16(&message[2], transport_checksum(ip->source, ip->destination, wire::kIcmpv6, message));
}

/// Runs actions from the input: one byte selects the action, the next ones are its arguments.
void check(FuzzInput input) {
  Driven driven;
  while (!input.empty()) {
    switch (input.byte() & 7) {
      case 0:
        driven.send(address_of(input));
        break;
      case 1:
        driven.resolve(address_of(input));
        break;
      case 2:
        driven.pass(milliseconds(250) * input.byte());
        break;
      case 3:
        driven.answer((input.byte() & 1) != 0);
        break;
      case 4:
        driven.receive(frame_of(input));
        break;
      default:
        Bytes frame = frame_of(input);
        sum_again(frame);
        driven.receive(frame);
        break;
    }
    driven.check();
  }
  for (int i = 0; i < 10; ++i)
    driven.pass(kStale);
  driven.check_all_is_over();
}

}  // namespace
}  // namespace overlane::neighbour

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overlane::neighbour::check(overlane::testing::FuzzInput({data, size}));
  return 0;
}
