#include "dataplane/net/address.h"

#include <algorithm>
#include <arpa/inet.h>
#include <bit>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "dataplane/net/byte_order.h"

namespace overlane {
namespace {

/// Takes a number of 0…255 without leading zeros from the front of `text`.
std::optional<std::uint32_t> take_octet(std::string_view& text) {
  std::uint32_t octet = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    if (digits == 3 || (digits == 1 && octet == 0)) return std::nullopt;
    octet = octet * 10 + static_cast<std::uint32_t>(text[digits] - '0');
  }
  if (digits == 0 || octet > 0xff) return std::nullopt;
  text.remove_prefix(digits);
  return octet;
}

/// Accepts the texts that inet_pton accepts, without its need for a terminated string, and faster.
std::optional<Ipv4Address> read_dotted_quad(std::string_view text) {
  Ipv4Address address;
  for (int i = 0; i < 4; ++i) {
    if (i > 0) {
      if (!text.starts_with('.')) return std::nullopt;
      text.remove_prefix(1);
    }
    const auto octet = take_octet(text);
    if (!octet) return std::nullopt;
    address.bits = address.bits << 8 | *octet;
  }
  if (!text.empty()) return std::nullopt;
  return address;
}

/// Parses with inet_pton, which needs a terminated copy. Refuses text that is longer than any
/// address.
bool read_ipv6(std::string_view text, in6_addr& raw) {
  std::array<char, INET6_ADDRSTRLEN> terminated{};
  if (text.size() >= terminated.size() || text.find('\0') != text.npos) return false;
  std::copy(text.begin(), text.end(), terminated.begin());
  return inet_pton(AF_INET6, terminated.data(), &raw) == 1;
}

}  // namespace

Parsed<Ipv4Address> Ipv4Address::parse(std::string_view text) {
  const auto address = read_dotted_quad(text);
  if (!address) return fail(fmt::format("\"{}\" is not an IPv4 address", text));
  return *address;
}

std::string Ipv4Address::to_string() const {
  return fmt::format(FMT_COMPILE("{}.{}.{}.{}"), bits >> 24, bits >> 16 & 0xff, bits >> 8 & 0xff,
                     bits & 0xff);
}

Parsed<Ipv6Address> Ipv6Address::parse(std::string_view text) {
  in6_addr raw{};
  if (!read_ipv6(text, raw)) return fail(fmt::format("\"{}\" is not an IPv6 address", text));
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
