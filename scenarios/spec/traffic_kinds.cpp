#include "scenarios/spec/traffic_kinds.h"

#include <fmt/format.h>

#include "scenarios/spec/ranges.h"
#include "scenarios/spec/sizes.h"

namespace overlane::spec {
namespace {

using document::Fields;

constexpr std::uint32_t kMaxMessage = 100'000'000;
constexpr std::int64_t kMaxWindow = 1 << 30;

/// A distribution with this mean: fixed, or exponential (the default).
std::optional<Distribution> spread(const std::optional<Picos>& mean, bool fixed) {
  if (!mean) return std::nullopt;
  return fixed ? Distribution::fixed(mean->count) : Distribution::exponential(mean->count);
}
bool is_fixed(Fields& fields, std::string_view key) {
  return fields.one_of(key, {"exponential", "fixed"}) == "fixed";
}

/// `share`: time of one datagram at the group's rate, if known.
void decode_on_off(Fields& fields, std::optional<Picos> share, Traffic& traffic) {
  const auto on = duration_above_zero(fields, "onTime");
  const auto off = duration_above_zero(fields, "offTime");
  const bool fixed = is_fixed(fields, "onOffDistribution");
  const document::Value& group = fields.value();
  if (group["onTime"].exists() != group["offTime"].exists()) {
    const char* there = group["onTime"].exists() ? "onTime" : "offTime";
    fields.problems().error(
        group[there], "incomplete",
        "onTime and offTime belong together: how long a flow sends, and how long not",
        fmt::format("add {}", group["onTime"].exists() ? "offTime" : "onTime"));
  }
  if (!on || !off) return;
  if (share && *on < *share) {
    fields.problems().error(
        group["onTime"], "out-of-range",
        fmt::format("onTime is {} ns, and one datagram at this rate takes {} ns",
                    on->whole_nanoseconds(), share->whole_nanoseconds()),
        "make onTime longer, rate higher or payloadBytes smaller");
    return;
  }
  traffic.on = spread(on, fixed);
  traffic.off = spread(off, fixed);
}

void decode_window(Fields& fields, Traffic& traffic) {
  traffic.window_bytes = integer_between(fields, "windowBytes", 1024, kMaxWindow);
  traffic.mtu_probing = mtu_probing(fields);
  traffic.connection_per_request =
      fields.one_of("connections", {"keep-alive", "per-request"}) == "per-request";
}

/// The size of a message; over UDP a message is one datagram.
std::uint32_t message_bytes(Fields& fields, const char* key, bool over_udp) {
  const auto bytes =
      over_udp ? datagram_payload(fields, key) : count_between(fields, key, 1, kMaxMessage);
  return bytes.value_or(1);
}

}  // namespace

void decode_udp(Fields& fields, Traffic& traffic) {
  fields.required("rate");
  fields.required("payloadBytes");
  const auto rate = spec::rate(fields, "rate");
  const auto payload = datagram_payload(fields, "payloadBytes");
  traffic.rate = rate.value_or(BitsPerSecond{1});
  traffic.payload_bytes = payload.value_or(1);
  traffic.dont_fragment = fields.boolean("dontFragment").value_or(false);
  traffic.poisson = fields.one_of("arrivals", {"constant", "poisson"}) == "poisson";
  std::optional<Picos> share;
  if (rate && payload) share = serialization_time(Bytes{*payload}, *rate);
  decode_on_off(fields, share, traffic);
}

void decode_tcp(Fields& fields, Traffic& traffic) {
  decode_window(fields, traffic);
  const auto bytes = integer_between(fields, "transferBytes", 1, kMaxTransfer);
  if (bytes) traffic.transfer = Distribution::fixed(*bytes);
  if (const auto sizes = decode_sizes(fields.fields("sizes"))) traffic.transfer = sizes;
  const auto gap = duration_above_zero(fields, "gap");
  traffic.gap = spread(gap, is_fixed(fields, "gapDistribution"));

  const document::Value& group = fields.value();
  const bool ends = group["transferBytes"].exists() || group["sizes"].exists();
  constexpr const char* kHint = "set transferBytes, or sizes";
  if (group["transferBytes"].exists() && group["sizes"].exists()) {
    fields.problems().error(group["sizes"], "bad-value",
                            "transferBytes and sizes both say how long a transfer is",
                            "remove one of them");
  }
  if (!ends && group["gap"].exists()) {
    fields.problems().error(group["gap"], "incomplete",
                            "a gap follows a transfer, and this one never ends", kHint);
  }
  if (!ends && traffic.connection_per_request) {
    fields.problems().error(group["connections"], "incomplete",
                            "a connection for each transfer needs transfers that end", kHint);
  }
}

void decode_request_response(Fields& fields, Traffic& traffic) {
  traffic.over_udp = fields.one_of("protocol", {"tcp", "udp"}) == "udp";
  for (const char* key : {"windowBytes", "mtuProbing", "connections"}) {
    const document::Value value = fields.value()[key];
    if (traffic.over_udp && value.exists())
      fields.problems().error(value, "bad-value", fmt::format("{} is TCP's", key),
                              "remove it, or set protocol: tcp");
  }
  decode_window(fields, traffic);
  traffic.request_bytes = message_bytes(fields, "requestBytes", traffic.over_udp);
  traffic.response_bytes = message_bytes(fields, "responseBytes", traffic.over_udp);
  traffic.think_time = duration(fields, "thinkTime").value_or(Picos{});
  traffic.timeout = duration_above_zero(fields, "timeout");
}

}  // namespace overlane::spec
