#include "dataplane/net/prefix.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/compile.h>
#include <fmt/format.h>

namespace overlane {
namespace {

Ipv6Address masked(const Ipv6Address& address, std::uint8_t length) {
  return IpPrefix::first_bits(address, length).network().ipv6();
}

/// Splits "address/length"; the length has no sign, no leading zero and is at most `longest`.
template <typename Address>
Parsed<std::pair<Address, std::uint8_t>> split(std::string_view text, unsigned longest) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) {
    return fail(fmt::format("\"{}\" has no /length", text));
  }
  const auto address = Address::parse(text.substr(0, slash));
  if (!address) return fail(address.error());
  const std::string_view digits = text.substr(slash + 1);
  unsigned length = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
  const bool whole = error == std::errc{} && end == digits.data() + digits.size();
  if (!whole || length > longest || (digits.size() > 1 && digits[0] == '0')) {
    return fail(fmt::format("\"{}\" has no prefix length between 0 and {}", text, longest));
  }
  return std::pair{*address, static_cast<std::uint8_t>(length)};
}

template <typename Prefix, typename Address>
Parsed<Prefix> canonical(std::string_view text, Address address, Prefix prefix) {
  if (prefix.network == address) return prefix;
  return fail(fmt::format("\"{}\" has host bits; its network is {}", text, prefix.to_string()));
}

}  // namespace

Parsed<Ipv4Prefix> Ipv4Prefix::parse(std::string_view text) {
  const auto parts = split<Ipv4Address>(text, 32);
  if (!parts) return fail(parts.error());
  return canonical(text, parts->first, containing(parts->first, parts->second));
}

std::string Ipv4Prefix::to_string() const {
  const std::uint32_t bits = network.bits;
  return fmt::format(FMT_COMPILE("{}.{}.{}.{}/{}"), bits >> 24, bits >> 16 & 0xff, bits >> 8 & 0xff,
                     bits & 0xff, length);
}

Parsed<Ipv6Prefix> Ipv6Prefix::parse(std::string_view text) {
  const auto parts = split<Ipv6Address>(text, 128);
  if (!parts) return fail(parts.error());
  return canonical(text, parts->first,
                   Ipv6Prefix{masked(parts->first, parts->second), parts->second});
}

std::string Ipv6Prefix::to_string() const {
  return fmt::format(FMT_COMPILE("{}/{}"), network.to_string(), length);
}

Parsed<IpPrefix> IpPrefix::parse(std::string_view text) {
  if (text.find(':') != std::string_view::npos) {
    const auto prefix = Ipv6Prefix::parse(text);
    if (!prefix) return fail(prefix.error());
    const IpPrefix either(*prefix);
    if (either.is_ipv4()) return fail(fmt::format("\"{}\" is IPv4-mapped", text));
    return either;
  }
  const auto prefix = Ipv4Prefix::parse(text);
  if (!prefix) return fail(prefix.error());
  return IpPrefix(*prefix);
}

std::optional<Ipv4Prefix> IpPrefix::ipv4() const {
  if (!is_ipv4()) return std::nullopt;
  return Ipv4Prefix{network_.ipv4(), length()};
}

std::optional<Ipv6Prefix> IpPrefix::ipv6() const {
  if (is_ipv4()) return std::nullopt;
  return Ipv6Prefix{network_.ipv6(), bits_};
}

std::string IpPrefix::to_string() const {
  if (const auto prefix = ipv4()) return prefix->to_string();
  return fmt::format(FMT_COMPILE("{}/{}"), network_.to_string(), length());
}

bool is_global(IpAddress address) {
  constexpr std::array kLocal = {Ipv4Prefix{{0x00000000}, 8},  Ipv4Prefix{{0x0a000000}, 8},
                                 Ipv4Prefix{{0x64400000}, 10}, Ipv4Prefix{{0x7f000000}, 8},
                                 Ipv4Prefix{{0xa9fe0000}, 16}, Ipv4Prefix{{0xac100000}, 12},
                                 Ipv4Prefix{{0xc0a80000}, 16}, Ipv4Prefix{{0xe0000000}, 3}};
  constexpr std::uint64_t kNat64 = 0x0064'ff9b'0000'0000;  // 64:ff9b::/96 (RFC 6052)
  if (!address.is_ipv4()) {
    return address.high >> 61 == 1 ||  // 2000::/3
           (address.high == kNat64 && address.low >> 32 == 0);
  }
  return std::ranges::none_of(
      kLocal, [=](const Ipv4Prefix& network) { return network.contains(address.ipv4()); });
}

}  // namespace overlane
