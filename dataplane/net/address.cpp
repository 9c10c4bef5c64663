#include "dataplane/net/address.h"

#include <arpa/inet.h>
#include <bit>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "dataplane/net/byte_order.h"

namespace overlane {
namespace {

/// inet_pton wants a terminated string; nothing longer than an address can be one.
template <typename Raw>
bool parse_with(int family, std::string_view text, Raw& raw) {
  return text.size() < INET6_ADDRSTRLEN && inet_pton(family, std::string(text).c_str(), &raw) == 1;
}

}  // namespace

Parsed<Ipv4Address> Ipv4Address::parse(std::string_view text) {
  in_addr raw{};
  if (!parse_with(AF_INET, text, raw)) {
    return fail(fmt::format("\"{}\" is not an IPv4 address", text));
  }
  return Ipv4Address{ntohl(raw.s_addr)};
}

std::string Ipv4Address::to_string() const {
  return fmt::format(FMT_COMPILE("{}.{}.{}.{}"), bits >> 24, bits >> 16 & 0xff, bits >> 8 & 0xff,
                     bits & 0xff);
}

Parsed<Ipv6Address> Ipv6Address::parse(std::string_view text) {
  in6_addr raw{};
  if (!parse_with(AF_INET6, text, raw)) {
    return fail(fmt::format("\"{}\" is not an IPv6 address", text));
  }
  return std::bit_cast<Ipv6Address>(raw);
}

std::string Ipv6Address::to_string() const {
  const auto raw = std::bit_cast<in6_addr>(*this);
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(AF_INET6, &raw, text.data(), text.size());
  return text.data();
}

IpAddress::IpAddress(const Ipv6Address& address)
    : high(load_be64(address.bytes.data())), low(load_be64(address.bytes.data() + 8)) {}

Parsed<IpAddress> IpAddress::parse(std::string_view text) {
  if (text.find(':') == std::string_view::npos) {
    const auto address = Ipv4Address::parse(text);
    if (!address) return fail(fmt::format("\"{}\" is not an IP address", text));
    return IpAddress(*address);
  }
  const auto address = Ipv6Address::parse(text);
  if (!address) return fail(address.error());
  const IpAddress either(*address);
  if (either.is_ipv4()) return fail(fmt::format("\"{}\" is an IPv4-mapped address", text));
  return either;
}

Ipv6Address IpAddress::ipv6() const {
  Ipv6Address address;
  store_be64(address.bytes.data(), high);
  store_be64(address.bytes.data() + 8, low);
  return address;
}

std::string IpAddress::to_string() const {
  return is_ipv4() ? ipv4().to_string() : ipv6().to_string();
}

std::string MacAddress::to_string() const {
  return fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", bytes[0], bytes[1], bytes[2],
                     bytes[3], bytes[4], bytes[5]);
}

}  // namespace overlane
