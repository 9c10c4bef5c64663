#include "scenarios/spec/fabric.h"

#include <array>

#include <fmt/format.h>

#include "dataplane/wire/ip.h"
#include "scenarios/spec/optional_fields.h"

namespace overlane::spec {
namespace {

using document::FieldKey;
using document::Fields;
using document::Value;

/// Protocol names of OpenStack and GCP; ipip is protocol 4.
constexpr std::array kProtocols = {
    Word<std::uint8_t>{"icmp", wire::kIcmp},     Word<std::uint8_t>{"icmpv6", wire::kIcmpv6},
    Word<std::uint8_t>{"ipip", wire::kIpv4InIp}, Word<std::uint8_t>{"tcp", wire::kTcp},
    Word<std::uint8_t>{"udp", wire::kUdp},
};
/// Whether the ICMP error is missing.
constexpr std::array kTooBig = {Word<bool>{"icmp", false}, Word<bool>{"silent", true}};

node::FabricPathMtu decode_path_mtu(Fields fields, std::string_view too_big) {
  node::FabricPathMtu path;
  path.within_zone =
      mtu(fields, FieldKey("withinZone", "The largest IP packet within a zone, in bytes."))
          .value_or(0);
  path.across_zones =
      mtu(fields,
          FieldKey("acrossZones", "The largest IP packet from one zone to another, in bytes."))
          .value_or(0);
  path.silent = word(fields, FieldKey("tooBig", too_big), kTooBig).value_or(false);
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
  rule.protocol =
      word(fields, FieldKey("protocol", "Their IP protocol; ipip is number 4."), kProtocols)
          .value_or(0);
  if (const auto port = count_between(
          fields, FieldKey("port", "Of tcp and udp: the destination port; else all."), 1, 65'535))
    rule.port = static_cast<std::uint16_t>(*port);
  if (const auto type = count_between(
          fields, FieldKey("type", "Of icmp and icmpv6: the message's type; else all."), 0, 255))
    rule.icmp_type = static_cast<std::uint8_t>(*type);
  if (const auto code =
          count_between(fields, FieldKey("code", "With type: the code; else all."), 0, 255))
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

FabricSpec decode_fabric(Fields& fields, const FieldKey& path_mtu, const FieldKey& deny,
                         std::string_view too_big) {
  FabricSpec spec;
  Fields path = fields.fields(path_mtu);
  const bool has_path = path.value().exists();
  const node::FabricPathMtu decoded = decode_path_mtu(std::move(path), too_big);
  if (has_path) spec.path_mtu = decoded;
  const Value denied = fields.list(deny);
  if (denied.exists()) spec.denied.emplace();
  for (const Value item : denied)
    spec.denied->push_back(decode_rule(item, fields.problems()));
  return spec;
}

namespace {

constexpr std::int64_t kMinBurst = 1'000'000;
constexpr std::int64_t kMaxBurst = 1'000'000'000;
constexpr std::int64_t kLossMillionthsInThousandth = 1'000;

/// Reads a loss ratio. `most` is the largest possible ratio for these bursts.
std::optional<std::uint32_t> lost_share(document::Fields& fields, const FieldKey& key,
                                        std::uint32_t most) {
  const auto lost = share(fields, key);
  if (!lost || *lost <= most) return lost;
  fields.problems().error(
      fields.value()[key.name], "out-of-range",
      fmt::format("{} is {}; with such bursts at most {:.1f}% can be lost, as a packet passes "
                  "between two of them",
                  key.name, fields.value()[key.name].text(), most * 100.0 / fabric::Loss::kAll),
      "make meanBurst longer, or leave it out");
  return std::nullopt;
}

}  // namespace

std::optional<fabric::Loss> decode_loss(document::Fields fields) {
  if (!fields.value()) return std::nullopt;
  const auto burst =
      millionths_between(fields,
                         FieldKey("meanBurst",
                                  "How many packets of a flow are lost in a row on average; "
                                  "without it each is lost or not by itself."),
                         kMinBurst, kMaxBurst);
  fabric::Loss loss;
  loss.mean_burst = static_cast<std::uint32_t>(burst.value_or(0) / kLossMillionthsInThousandth);
  const std::uint32_t most = burst ? fabric::most_loss(loss.mean_burst) : fabric::Loss::kAll;
  const std::uint32_t ratio =
      lost_share(fields, FieldKey("ratio", "The share of packets that is lost, each way."), most)
          .value_or(0);
  loss.within_zone =
      lost_share(fields, FieldKey("withinZone", "Instead of ratio: that within a zone."), most)
          .value_or(ratio);
  loss.across_zones =
      lost_share(fields,
                 FieldKey("acrossZones", "Instead of ratio: that from one zone to another."), most)
          .value_or(ratio);
  fields.no_others();
  const document::Value& mapping = fields.value();
  for (const char* key : {"withinZone", "acrossZones"}) {
    if (mapping["ratio"].exists() && mapping[key].exists())
      fields.problems().error(mapping[key], "bad-value",
                              fmt::format("ratio and {} both say what is lost there", key),
                              "remove one of them");
  }
  return loss;
}

}  // namespace overlane::spec
