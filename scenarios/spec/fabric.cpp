#include "scenarios/spec/fabric.h"

#include <array>

#include <fmt/format.h>

#include "dataplane/wire/ip_packet.h"
#include "scenarios/spec/ranges.h"
#include "scenarios/spec/words.h"

namespace overlane::spec {
namespace {

using document::Fields;
using document::Value;

/// Names as in OpenStack and GCP; ipip is protocol 4.
constexpr std::array kProtocols = {
    Word<std::uint8_t>{"icmp", wire::kIcmp},     Word<std::uint8_t>{"icmpv6", wire::kIcmpv6},
    Word<std::uint8_t>{"ipip", wire::kIpv4InIp}, Word<std::uint8_t>{"tcp", wire::kTcp},
    Word<std::uint8_t>{"udp", wire::kUdp},
};
/// Whether the ICMP error is missing.
constexpr std::array kTooBig = {Word<bool>{"icmp", false}, Word<bool>{"silent", true}};

node::FabricPathMtu decode_path_mtu(Fields fields) {
  node::FabricPathMtu path;
  path.within_zone = mtu(fields, "withinZone").value_or(0);
  path.across_zones = mtu(fields, "acrossZones").value_or(0);
  path.silent = word(fields, "tooBig", kTooBig).value_or(false);
  fields.no_others();
  return path;
}

/// Rejects a field that only some protocols have.
void refuse(const Fields& fields, const char* key, std::string_view whose) {
  const Value value = fields.value()[key];
  if (!value.exists()) return;
  fields.problems().error(value, "bad-value", fmt::format("{} is {}", key, whose),
                          "remove it, or name such a protocol");
}

node::DenyRule decode_rule(const Value& item, document::Problems& problems) {
  Fields fields(item, problems);
  node::DenyRule rule;
  fields.required("protocol");
  rule.protocol = word(fields, "protocol", kProtocols).value_or(0);
  if (const auto port = count_between(fields, "port", 1, 65'535))
    rule.port = static_cast<std::uint16_t>(*port);
  if (const auto type = count_between(fields, "type", 0, 255))
    rule.icmp_type = static_cast<std::uint8_t>(*type);
  if (const auto code = count_between(fields, "code", 0, 255))
    rule.icmp_code = static_cast<std::uint8_t>(*code);
  const bool has_ports = rule.protocol == wire::kTcp || rule.protocol == wire::kUdp;
  const bool is_icmp = rule.protocol == wire::kIcmp || rule.protocol == wire::kIcmpv6;
  if (rule.protocol != 0 && !has_ports) refuse(fields, "port", "TCP's and UDP's");
  if (rule.protocol != 0 && !is_icmp)
    for (const char* key : {"type", "code"})
      refuse(fields, key, "ICMP's");
  if (is_icmp && rule.icmp_code && !rule.icmp_type) {
    problems.error(item["code"], "bad-value", "codes are a type's, and none is given",
                   "add type: 3 for destination unreachable");
  }
  fields.no_others();
  return rule;
}

}  // namespace

FabricSpec decode_fabric(Fields& fields) {
  FabricSpec spec;
  Fields path = fields.fields("pathMtu");
  const bool has_path = path.value().exists();
  const node::FabricPathMtu decoded = decode_path_mtu(std::move(path));
  if (has_path) spec.path_mtu = decoded;
  const Value denied = fields.list("deny");
  if (denied.exists()) spec.denied.emplace();
  for (const Value item : denied)
    spec.denied->push_back(decode_rule(item, fields.problems()));
  return spec;
}

}  // namespace overlane::spec
