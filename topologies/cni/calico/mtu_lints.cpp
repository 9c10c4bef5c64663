#include <algorithm>

#include <fmt/format.h>

#include "topologies/cni/calico/rule_tables.h"
#include "topologies/rules/lint_conditions.h"

namespace overlane::calico {
namespace {

using effective::Dataplane;
using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

bool is_explicit(const LintInputs& in) {
  return in.config.veth_mtu && in.config.veth_mtu->value > 0;
}

std::uint32_t size_on_link(const Dataplane& dataplane) {
  return dataplane.pod_mtu + dataplane.overhead_bytes;
}

void add_excess(const LintInputs& in, const Dataplane& dataplane, RuleReport& report) {
  add_against_link(
      in.shoot, *in.config.veth_mtu,
      fmt::format("vethMTU {} and {} bytes of headers exceed {} by {}: full-size "
                  "packets are fragmented or lost",
                  dataplane.pod_mtu, dataplane.overhead_bytes, rules::link_mtu_in_words(in.shoot),
                  size_on_link(dataplane) - dataplane.link_mtu),
      report);
}

void check_too_large(const LintInputs& in, RuleReport& report) {
  const Dataplane& primary = in.dataplane.dataplane;
  if (is_explicit(in) && size_on_link(primary) > primary.link_mtu) add_excess(in, primary, report);
}

void check_second_family(const LintInputs& in, RuleReport& report) {
  const Dataplane& primary = in.dataplane.dataplane;
  const auto& secondary = in.dataplane.secondary_dataplane;
  if (is_explicit(in) && secondary && size_on_link(*secondary) > secondary->link_mtu &&
      size_on_link(primary) <= primary.link_mtu)
    add_excess(in, *secondary, report);
}

void check_small(const LintInputs& in, RuleReport& report) {
  const Dataplane& primary = in.dataplane.dataplane;
  const auto& secondary = in.dataplane.secondary_dataplane;
  const std::uint32_t most =
      std::max(size_on_link(primary), secondary ? size_on_link(*secondary) : 0);
  if (is_explicit(in) && most < primary.link_mtu)
    add_against_link(in.shoot, *in.config.veth_mtu,
                     fmt::format("vethMTU {} leaves {} bytes of {} unused", primary.pod_mtu,
                                 primary.link_mtu - most, rules::link_mtu_in_words(in.shoot)),
                     report);
}

void check_too_small(const LintInputs& in, RuleReport& report) {
  const std::uint32_t least = rules::least_mtu(in.shoot.families);
  if (is_explicit(in) && in.config.veth_mtu->value < least)
    report.add(*in.config.veth_mtu, fmt::format("vethMTU {} is less than the minimum of {} bytes",
                                                in.config.veth_mtu->value, least));
}

void check_wire_guard(const LintInputs& in, RuleReport& report) {
  const Dataplane& primary = in.dataplane.dataplane;
  if (in.config.wireguard && in.config.wireguard->value &&
      primary.encapsulation != effective::Encapsulation::None)
    report.add(*in.config.wireguard,
               fmt::format("between nodes WireGuard replaces {}, which stays enabled",
                           to_string(primary.encapsulation)));
}

constexpr const char* kFelix = "projectcalico/calico felix/dataplane/linux/int_dataplane.go";

constexpr Check<LintInputs> kMtuLints[] = {
    {{.id = "mtu-too-large",
      .section = "§2.4",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "The explicit vethMTU leaves no room for the tunnel's headers.",
      .why = "vethMTU is used for the pods and for every tunnel device alike, and Felix only logs "
             "a value that is too large. Full-size packets are then fragmented or lost.",
      .remedy = "write \"0\" and let Calico choose",
      .source = kFelix},
     check_too_large},
    {{.id = "mtu-too-large-for-second-family",
      .section = "§2.4",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "The explicit vethMTU leaves no room for the headers of the second IP family.",
      .why = "WireGuard adds 60 bytes over IPv4 and 80 over IPv6. A value that fits the first "
             "family may be too large for the other.",
      .remedy = "write \"0\" and let Calico choose",
      .source = kFelix},
     check_second_family},
    {{.id = "mtu-smaller-than-needed",
      .section = "§2.4",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "The explicit vethMTU is smaller than the link allows.",
      .why = "Until April 2024 the extension fixed 1440, and many manifests still do. Where the "
             "link has a larger MTU, packets are smaller than they could be.",
      .remedy = "write \"0\" and let Calico choose",
      .source = kFelix},
     check_small},
    {{.id = "mtu-too-small",
      .section = "§2.4",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "The explicit vethMTU is smaller than an IP family allows.",
      .why = "Every IPv4 host accepts packets of 576 bytes, and every IPv6 link carries 1280 "
             "bytes: Linux disables IPv6 on a device with a smaller MTU.",
      .remedy = "write \"0\" and let Calico choose",
      .source = "RFC 791; RFC 8200"},
     check_too_small},
    {{.id = "wireguard-beside-tunnel",
      .section = "§2.4",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "An encrypted shoot also has a tunnel.",
      .why = "Felix sends packets to nodes with WireGuard through WireGuard. The other tunnel "
             "carries only packets to nodes without it, unencrypted, and the pods' MTU allows for "
             "the larger overhead.",
      .remedy = "set overlay.enabled: false where the network allows it",
      .source = kFelix},
     check_wire_guard},
};

}  // namespace

std::span<const Check<LintInputs>> mtu_lints() {
  return kMtuLints;
}

}  // namespace overlane::calico
