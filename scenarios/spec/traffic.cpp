#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "scenarios/spec/optional_fields.h"
#include "scenarios/spec/scenario.h"
#include "sim/random/distribution.h"

// Decodes `spec.traffic` of a Scenario: the groups of traffic with their kinds (UDP, TCP, requests
// with responses) and the distributions of transfer sizes.

namespace overlane::spec {

namespace {

using document::FieldKey;
using document::Fields;
using model::TrafficKind;

constexpr std::uint32_t kMaxFlows = 100'000;
constexpr std::uint32_t kMaxPods = 65'535;

constexpr std::array kPatterns = {Word<Pattern>{"pair", Pattern::Pair},
                                  Word<Pattern>{"ring", Pattern::Ring},
                                  Word<Pattern>{"all-to-all", Pattern::AllToAll},
                                  Word<Pattern>{"incast", Pattern::Incast},
                                  Word<Pattern>{"permutation", Pattern::Permutation},
                                  Word<Pattern>{"hot-spot", Pattern::HotSpot}};
constexpr std::array kZones = {Word<Zones>{"any", Zones::Any}, Word<Zones>{"same", Zones::Same},
                               Word<Zones>{"different", Zones::Different}};
constexpr std::array kKinds = {Word<TrafficKind>{"udp", TrafficKind::Udp},
                               Word<TrafficKind>{"tcp", TrafficKind::Tcp},
                               Word<TrafficKind>{"request-response", TrafficKind::RequestResponse}};

/// The words of congestionControl: the names of transport::kCongestionControls.
constexpr auto kCongestionControlWords = [] {
  std::array<Word<transport::CongestionControl>, transport::kCongestionControls.size()> words{};
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = {transport::kCongestionControls[i].name, transport::kCongestionControls[i].value};
  return words;
}();

/// Decodes which pods communicate.
void decode_pattern(Fields& fields, Traffic& traffic) {
  traffic.pattern =
      word(fields,
           FieldKey("pattern",
                    "pair: the first pod of one node to another's; ring: every node to the next; "
                    "all-to-all; incast: every node to the first pod of the first; permutation: "
                    "every pod sends to one other and receives from one, at random; hot-spot: a "
                    "share of the flows goes to the first node, each other one to a random node."),
           kPatterns)
          .value_or(Pattern::Pair);
  traffic.zones =
      word(fields,
           FieldKey("zones", "For pair: nodes of the same zone, of different ones, or any."),
           kZones)
          .value_or(Zones::Any);
  traffic.pods_per_node =
      count_between(fields,
                    FieldKey("podsPerNode",
                             "How many pods of each node take part; 1 by default. Not for pair."),
                    1, kMaxPods)
          .value_or(1);
  traffic.hot_ppm =
      millionths_between(fields,
                         FieldKey("hotShare",
                                  "For hot-spot: the share of the flows from other nodes that goes "
                                  "to the first node; 0.5 by default."),
                         0, 1'000'000)
          .value_or(traffic.hot_ppm);
  traffic.from_node =
      fields.one_of(
          FieldKey("from",
                   "From pods (the default), or from their nodes' own network (hostNetwork): "
                   "without a veth, from the address of the device that leads to the receiver."),
          {"pod", "node"}) == "node";
  const auto to =
      fields.one_of(FieldKey("to",
                             "To the pods themselves (the default), to a Service in front of them, "
                             "or to their nodes' own network (hostNetwork)."),
                    {"pod", "service", "node"});
  traffic.to_service = to == "service";
  traffic.to_node = to == "node";
  traffic.flows =
      count_between(
          fields,
          FieldKey("flows",
                   "Flows for each pair of pods, for hot-spot from each pod; 1 by default."),
          1, kMaxFlows)
          .value_or(1);
  const document::Value& group = fields.value();
  if (group["podsPerNode"].exists() && traffic.pattern == Pattern::Pair) {
    fields.problems().error(group["podsPerNode"], "bad-value",
                            "one pair of pods is all that pattern pair has",
                            "choose another pattern, or more flows");
  }
  if (group["hotShare"].exists() && traffic.pattern != Pattern::HotSpot) {
    fields.problems().error(group["hotShare"], "bad-value", "hotShare is for pattern hot-spot",
                            "set pattern: hot-spot");
  }
}

/// Bytes of one transfer: about a quarter of an hour at 10 Gbit/s.
constexpr std::int64_t kMaxTransfer = 1'000'000'000'000;

/// Distributions have parameters in thousandths; files are read in millionths.
constexpr std::int64_t kMillionthsInThousandth = 1'000;

/// A parameter that one distribution requires and all others reject.
struct Parameter {
  const char* key;
  std::string_view of;
};
constexpr std::array kParameters = {Parameter{"shape", "pareto"}, Parameter{"cap", "pareto"},
                                    Parameter{"sigma", "lognormal"},
                                    Parameter{"points", "empirical"}};

void check_parameters(Fields& fields, std::string_view kind) {
  for (const auto& [key, of] : kParameters) {
    const document::Value value = fields.value()[key];
    if (kind == of && (!value || (value.is(document::Kind::Sequence) && value.size() == 0))) {
      fields.problems().error(fields.value(), "missing-key",
                              fmt::format("{} distribution needs {}", of, key),
                              fmt::format("add {}", key));
    } else if (kind != of && value.exists()) {
      fields.problems().error(value, "bad-value", fmt::format("{} is for distribution {}", key, of),
                              fmt::format("set distribution: {}", of));
    }
  }
  const document::Value mean = fields.value()["mean"];
  if (kind == "empirical" && mean.exists())
    fields.problems().error(mean, "bad-value", "the points say what the mean is", "remove mean");
}

std::optional<std::int64_t> thousandths(Fields& fields, const FieldKey& key, std::int64_t least,
                                        std::int64_t most) {
  const auto value = millionths_between(fields, key, least * kMillionthsInThousandth,
                                        most * kMillionthsInThousandth);
  if (!value) return std::nullopt;
  return *value / kMillionthsInThousandth;
}

std::optional<Distribution> pareto(Fields& fields, std::int64_t mean, std::int64_t shape,
                                   std::int64_t cap) {
  auto result = Distribution::pareto(mean, shape, cap);
  if (!result) {
    fields.problems().error(
        fields.value()["mean"], "out-of-range",
        fmt::format("no Pareto distribution of sizes from 1 byte to {} bytes with this shape has a "
                    "mean of {} bytes",
                    cap, mean),
        mean > cap ? "make cap larger than mean" : "make mean or shape larger");
  }
  return result;
}

/// The points of a distribution function; nothing if there are none or one is invalid.
std::optional<Distribution> decode_points(Fields& fields) {
  document::Problems& problems = fields.problems();
  std::vector<Distribution::Point> points;
  bool all_are_good = true;
  for (const document::Value item : fields.list(FieldKey(
           "points",
           "Of empirical: points of the distribution function, which is straight between them.",
           "A point; both fields rise from one to the next."))) {
    Fields point(item, problems);
    point.required("bytes");
    point.required("cumulative");
    const auto bytes = integer_between(point, FieldKey("bytes", "A size."), 1, kMaxTransfer);
    const auto cumulative = share(
        point, FieldKey("cumulative",
                        "The share of transfers that is not larger; the last one's is 100%."));
    point.no_others();
    if (!bytes || !cumulative) {
      all_are_good = false;
    } else if (!points.empty() &&
               (*bytes <= points.back().value || *cumulative <= points.back().cumulative)) {
      problems.error(item, "bad-value", "bytes and cumulative must rise from point to point",
                     "sort the points, and leave out those that add nothing");
      all_are_good = false;
    } else {
      points.push_back({*bytes, *cumulative});
    }
  }
  if (!all_are_good || points.empty()) return std::nullopt;
  if (points.back().cumulative == Distribution::Point::kAll)
    return Distribution::empirical(std::move(points));
  problems.error(fields.value()["points"], "bad-value",
                 "the last point must have cumulative: 100%: no transfer is larger",
                 "add the largest size");
  return std::nullopt;
}

/// The distribution of transfer sizes; nothing if absent or invalid.
std::optional<Distribution> decode_sizes(Fields fields) {
  if (!fields.value()) return std::nullopt;
  fields.required("distribution");
  const auto kind = fields.one_of(FieldKey("distribution",
                                           "fixed; exponential; pareto: heavy-tailed, cut off at "
                                           "cap; lognormal; or empirical: as points say."),
                                  {"fixed", "exponential", "pareto", "lognormal", "empirical"});
  if (kind && *kind != "empirical") fields.required("mean");
  const auto mean = integer_between(
      fields, FieldKey("mean", "The mean size in bytes; empirical has that of its points."), 1,
      kMaxTransfer);
  const auto shape = thousandths(
      fields, FieldKey("shape", "Of pareto, 1.05 to 10: the smaller, the heavier the tail."),
      Distribution::kMinShape, Distribution::kMaxShape);
  const auto cap = integer_between(fields, FieldKey("cap", "Of pareto: the largest size in bytes."),
                                   1, kMaxTransfer);
  const auto sigma = thousandths(
      fields,
      FieldKey("sigma",
               "Of lognormal, 0.01 to 3: the standard deviation of the size's natural logarithm."),
      Distribution::kMinSigma, Distribution::kMaxSigma);
  auto points = decode_points(fields);
  fields.no_others();
  if (!kind) return std::nullopt;
  check_parameters(fields, *kind);
  if (kind == "empirical") return points;
  if (!mean) return std::nullopt;
  if (kind == "fixed") return Distribution::fixed(*mean);
  if (kind == "exponential") return Distribution::exponential(*mean);
  if (kind == "lognormal")
    return sigma ? std::optional(Distribution::lognormal(*mean, *sigma)) : std::nullopt;
  return shape && cap ? pareto(fields, *mean, *shape, *cap) : std::nullopt;
}

constexpr std::uint32_t kMaxMessage = 100'000'000;
constexpr std::int64_t kMaxWindow = 1 << 30;

/// A distribution with this mean: fixed, or exponential (the default).
std::optional<Distribution> spread(const std::optional<Picos>& mean, bool fixed) {
  if (!mean) return std::nullopt;
  return fixed ? Distribution::fixed(mean->count) : Distribution::exponential(mean->count);
}
bool is_fixed(Fields& fields, const FieldKey& key) {
  return fields.one_of(key, {"exponential", "fixed"}) == "fixed";
}

/// `share`: time of one datagram at the group's rate, if known.
void decode_on_off(Fields& fields, std::optional<Picos> share, Traffic& traffic) {
  const auto on = duration_above_zero(
      fields, FieldKey("onTime",
                       "With offTime: a flow sends for this long on average, then is silent; not "
                       "shorter than a datagram's share of the rate."));
  const auto off =
      duration_above_zero(fields, FieldKey("offTime", "How long it is silent on average."));
  const bool fixed =
      is_fixed(fields, FieldKey("onOffDistribution",
                                "Whether onTime and offTime are means of exponential distributions "
                                "(the default) or fixed."));
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
  traffic.window_bytes =
      integer_between(fields, FieldKey("windowBytes", "The TCP receive window."), 1024, kMaxWindow);
  traffic.mtu_probing = mtu_probing(
      fields, FieldKey("mtuProbing",
                       "net.ipv4.tcp_mtu_probing: 0 never (the default), 1 once a black hole is "
                       "suspected (the default of Cilium's shoots), 2 from the start."));
  traffic.congestion_control =
      word(
          fields,
          FieldKey("congestionControl",
                   "The algorithm of both ends, as net.ipv4.tcp_congestion_control names it: cubic "
                   "(the default) or reno (NewReno)."),
          kCongestionControlWords)
          .value_or(traffic.congestion_control);
  traffic.connection_per_request =
      fields.one_of(
          FieldKey("connections",
                   "keep-alive (the default): one connection lasts; per-request: each request or "
                   "transfer opens one, from the next source port, and closes it."),
          {"keep-alive", "per-request"}) == "per-request";
}

/// The size of a message; over UDP a message is one datagram.
std::uint32_t message_bytes(Fields& fields, const FieldKey& key, bool over_udp) {
  const auto bytes =
      over_udp ? datagram_payload(fields, key) : count_between(fields, key, 1, kMaxMessage);
  return bytes.value_or(1);
}

void decode_udp(Fields& fields, Traffic& traffic) {
  fields.required("rate");
  fields.required("payloadBytes");
  const auto rate =
      spec::rate(fields, FieldKey("rate", "Application payload of each flow, while it sends."));
  const auto payload =
      datagram_payload(fields, FieldKey("payloadBytes", "Bytes of each datagram's payload."));
  traffic.rate = rate.value_or(BitsPerSecond{1});
  traffic.payload_bytes = payload.value_or(1);
  traffic.dont_fragment =
      fields
          .boolean(FieldKey("dontFragment",
                            "Whether the sender sets DF (IP_PMTUDISC_DO); by default large "
                            "datagrams are fragmented, as Linux does."))
          .value_or(false);
  traffic.poisson = fields.one_of(FieldKey("arrivals",
                                           "When datagrams leave: at even intervals (constant, the "
                                           "default) or as a Poisson process of the same rate."),
                                  {"constant", "poisson"}) == "poisson";
  std::optional<Picos> share;
  if (rate && payload) share = serialization_time(Bytes{*payload}, *rate);
  decode_on_off(fields, share, traffic);
}

void decode_tcp(Fields& fields, Traffic& traffic) {
  decode_window(fields, traffic);
  const auto bytes = integer_between(
      fields,
      FieldKey("transferBytes",
               "Payload of a transfer; without it and sizes a flow sends until the end."),
      1, kMaxTransfer);
  if (bytes) traffic.transfer = Distribution::fixed(*bytes);
  if (const auto sizes = decode_sizes(
          fields.fields(FieldKey("sizes", "Instead of transferBytes: sizes that vary."))))
    traffic.transfer = sizes;
  const auto gap =
      duration_above_zero(fields, FieldKey("gap",
                                           "Mean time from the end of a transfer to the beginning "
                                           "of the next; without it there is one transfer."));
  traffic.gap = spread(
      gap,
      is_fixed(
          fields,
          FieldKey(
              "gapDistribution",
              "Whether gap is the mean of an exponential distribution (the default) or fixed.")));

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
  traffic.over_udp =
      fields.one_of(
          FieldKey(
              "protocol",
              "request-response: tcp (the default), or udp, where each message is a datagram."),
          {"tcp", "udp"}) == "udp";
  for (const char* key : {"windowBytes", "mtuProbing", "congestionControl", "connections"}) {
    const document::Value value = fields.value()[key];
    if (traffic.over_udp && value.exists())
      fields.problems().error(value, "bad-value", fmt::format("{} is TCP's", key),
                              "remove it, or set protocol: tcp");
  }
  decode_window(fields, traffic);
  traffic.request_bytes =
      message_bytes(fields, FieldKey("requestBytes", "Bytes of a request."), traffic.over_udp);
  traffic.response_bytes =
      message_bytes(fields, FieldKey("responseBytes", "Bytes of a response."), traffic.over_udp);
  traffic.think_time =
      duration(fields, FieldKey("thinkTime", "Pause between a response and the next request."))
          .value_or(Picos{});
  traffic.timeout = duration_above_zero(
      fields,
      FieldKey("timeout",
               "After this time without a response a client gives its request up and asks again, "
               "over TCP by another connection; 1s by default over UDP, and none over TCP."));
}

Traffic decode_group(Fields& fields) {
  Traffic traffic;
  traffic.place = fields.value().place();
  fields.required("name");
  traffic.name = fields.string(FieldKey("name", "The name in the results.")).value_or("");
  fields.required("kind");
  const auto kind = word(fields,
                         FieldKey("kind",
                                  "udp: datagrams at a rate; tcp: a bulk stream, or transfers that "
                                  "end; request-response: one request at a time over TCP."),
                         kKinds);
  traffic.kind = kind.value_or(TrafficKind::Tcp);
  decode_pattern(fields, traffic);
  if (!kind) return traffic;  // The other fields depend on the kind.
  switch (traffic.kind) {
    case TrafficKind::Udp:
      decode_udp(fields, traffic);
      break;
    case TrafficKind::Tcp:
      decode_tcp(fields, traffic);
      break;
    case TrafficKind::RequestResponse:
      decode_request_response(fields, traffic);
      break;
  }
  fields.no_others();
  return traffic;
}

}  // namespace

std::vector<Traffic> decode_traffic(Fields& spec, bool is_required) {
  std::vector<Traffic> groups;
  std::set<std::string> names;
  const document::Value list =
      spec.list(FieldKey("traffic", "What is sent; at least one group.", "Flows of one kind."));
  if (list.size() == 0 && is_required) {
    spec.problems().error(list ? list : spec.value(), "no-traffic",
                          "the scenario has no traffic, so there is nothing to measure",
                          "list at least one group under spec.traffic");
  }
  for (const document::Value item : list) {
    Fields fields(item, spec.problems());
    groups.push_back(decode_group(fields));
    if (item["name"] && !names.insert(groups.back().name).second) {
      spec.problems().error(item["name"], "duplicate-name",
                            fmt::format("traffic \"{}\" is there twice", groups.back().name));
    }
  }
  return groups;
}

}  // namespace overlane::spec
