#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "topologies/rules/lint_conditions.h"
#include "topologies/rules/subject_tables.h"

namespace overlane::rules {

using effective::GivenRange;
namespace {

Ipv4Prefix ipv4(const char* text) {
  return Ipv4Prefix::parse(text).value();
}

void check_old_vpn(const LintInputs& in, RuleReport& report) {
  static const IpPrefix kOldVpn = ipv4("192.168.123.0/24");
  for (const GivenRange& range : in.shoot.addressing.given)
    if (range.value().overlaps(kOldVpn))
      report.add(
          *range.given,
          fmt::format("{} {} overlaps {}, which the VPN of older releases uses",
                      to_string(range.role), range.value().to_string(), kOldVpn.to_string()));
}

void check_landscape(const LintInputs& in, RuleReport& report) {
  for (const GivenRange& range : in.shoot.addressing.given)
    for (const IpPrefix& reserved : in.shoot.landscape.reserved_ranges)
      if (range.value().overlaps(reserved))
        report.add(
            *range.given,
            fmt::format("{} {} overlaps {}, which the landscape reserves", to_string(range.role),
                        range.value().to_string(), reserved.to_string()),
            hint_of_fixed_range(in, kOtherRanges));
}

/// Not routed in the internet: RFC 1918, RFC 6598, and the ranges of RFC 6890 that private networks
/// use in practice (benchmarking, documentation, class E).
const std::array<Ipv4Prefix, 9>& own_use() {
  static const std::array<Ipv4Prefix, 9> kOwnUse = {
      ipv4("10.0.0.0/8"),      ipv4("172.16.0.0/12"),  ipv4("192.168.0.0/16"),
      ipv4("100.64.0.0/10"),   ipv4("198.18.0.0/15"),  ipv4("192.0.2.0/24"),
      ipv4("198.51.100.0/24"), ipv4("203.0.113.0/24"), ipv4("240.0.0.0/4")};
  return kOwnUse;
}

/// Never assigned to a network: "this network", loopback, link-local (RFC 6890), multicast (RFC
/// 5771).
const std::array<Ipv4Prefix, 4>& of_no_network() {
  static const std::array<Ipv4Prefix, 4> kOfNoNetwork = {
      ipv4("0.0.0.0/8"), ipv4("127.0.0.0/8"), ipv4("169.254.0.0/16"), ipv4("224.0.0.0/4")};
  return kOfNoNetwork;
}

void check_public(const LintInputs& in, RuleReport& report) {
  for (const GivenRange& range : in.shoot.addressing.given) {
    const std::optional<Ipv4Prefix> given = range.value().ipv4();
    if (!given) continue;
    const auto holds = [&](const Ipv4Prefix& other) { return other.contains(*given); };
    const auto special = std::ranges::find_if(of_no_network(), holds);
    if (special != of_no_network().end())
      report.add(*range.given,
                 fmt::format("{} {} is in {}, which is never routed", to_string(range.role),
                             given->to_string(), special->to_string()),
                 hint_of_fixed_range(in, kOtherRanges));
    else if (std::ranges::none_of(own_use(), holds))
      report.add(*range.given,
                 fmt::format("{} {} is in public address space", to_string(range.role),
                             given->to_string()),
                 hint_of_fixed_range(in, kOtherRanges));
  }
}

constexpr Check<LintInputs> kReservedRangeLints[] = {
    {{.id = "old-vpn-range",
      .section = "§3.1",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "A range overlaps 192.168.123.0/24.",
      .why = "Older releases of Gardener use this range for the VPN between seed and shoot, and "
             "refuse the shoot on every seed.",
      .remedy = "choose another range if the landscape is an old one",
      .source = "gardener/dashboard issue 1231"},
     check_old_vpn},
    {{.id = "landscape-reserved-range",
      .section = "§3.5",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "A range overlaps those that the landscape reserves.",
      .why = "An operator's own ranges are in no API object, and Gardener does not compare them. "
             "The landscape setting reserved-ranges names them.",
      .remedy = "choose another range",
      .source = "the landscape's operator"},
     check_landscape},
    {{.id = "public-range",
      .section = "§9",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "A range lies in public address space.",
      .why = "Pods cannot reach the internet hosts that own such addresses. 100.128.0.0/11, for "
             "example, is outside the shared address space 100.64.0.0/10. Loopback, link-local and "
             "multicast addresses are never routed at all.",
      .remedy = "use private addresses (RFC 1918) or shared ones (RFC 6598)",
      .source = "RFC 6890"},
     check_public},
};

}  // namespace

std::span<const Check<LintInputs>> reserved_range_lints() {
  return kReservedRangeLints;
}

}  // namespace overlane::rules
