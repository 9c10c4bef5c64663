#include "scenarios/spec/traffic.h"

#include <array>
#include <set>

#include <fmt/format.h>

#include "scenarios/spec/ranges.h"

namespace overlane::spec {
namespace {

using document::Fields;
using model::TrafficKind;

constexpr std::uint32_t kMostFlows = 100'000;
/// An IPv4 packet's 65,535 bytes less 20 of IPv4 and 8 of UDP.
constexpr std::uint32_t kMostPayload = 65'507;
constexpr std::uint32_t kMostMessage = 100'000'000;
constexpr std::int64_t kMostWindow = 1 << 30;

template <typename Enum>
struct Word {
  std::string_view word;
  Enum value;
};

constexpr std::array kPatterns = {
    Word<Pattern>{"pair", Pattern::Pair}, Word<Pattern>{"ring", Pattern::Ring},
    Word<Pattern>{"all-to-all", Pattern::AllToAll}, Word<Pattern>{"incast", Pattern::Incast}};
constexpr std::array kZones = {Word<Zones>{"any", Zones::Any}, Word<Zones>{"same", Zones::Same},
                               Word<Zones>{"different", Zones::Different}};
constexpr std::array kKinds = {Word<TrafficKind>{"udp", TrafficKind::Udp},
                               Word<TrafficKind>{"tcp", TrafficKind::Tcp},
                               Word<TrafficKind>{"request-response", TrafficKind::RequestResponse}};

template <typename Enum, std::size_t N>
Enum word(const std::array<Word<Enum>, N>& words, const std::optional<std::string>& text,
          Enum otherwise) {
  for (const Word<Enum>& candidate : words) {
    if (text && candidate.word == *text) return candidate.value;
  }
  return otherwise;
}

void decode_udp(Fields& fields, Traffic& traffic) {
  fields.required("rate");
  fields.required("payloadBytes");
  traffic.rate = rate(fields, "rate").value_or(BitsPerSecond{1});
  traffic.payload_bytes = count_between(fields, "payloadBytes", 1, kMostPayload).value_or(1);
  traffic.dont_fragment = fields.boolean("dontFragment").value_or(false);
}

void decode_tcp(Fields& fields, Traffic& traffic) {
  traffic.window_bytes = integer_between(fields, "windowBytes", 1024, kMostWindow);
}

void decode_request_response(Fields& fields, Traffic& traffic) {
  decode_tcp(fields, traffic);
  traffic.request_bytes = count_between(fields, "requestBytes", 1, kMostMessage).value_or(1);
  traffic.response_bytes = count_between(fields, "responseBytes", 1, kMostMessage).value_or(1);
  traffic.think_time = duration(fields, "thinkTime").value_or(Picos{});
}

Traffic decode_group(Fields& fields) {
  Traffic traffic;
  traffic.place = fields.value().place();
  fields.required("name");
  traffic.name = fields.string("name").value_or("");
  fields.required("kind");
  const auto kind = fields.one_of("kind", {"udp", "tcp", "request-response"});
  traffic.kind = word(kKinds, kind, TrafficKind::Tcp);
  traffic.pattern = word(
      kPatterns, fields.one_of("pattern", {"pair", "ring", "all-to-all", "incast"}), Pattern::Pair);
  traffic.zones = word(kZones, fields.one_of("zones", {"any", "same", "different"}), Zones::Any);
  traffic.flows = count_between(fields, "flows", 1, kMostFlows).value_or(1);
  if (!kind) return traffic;  // Which other fields there may be hangs on the kind.
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

std::vector<Traffic> decode_traffic(Fields& spec) {
  std::vector<Traffic> groups;
  std::set<std::string> names;
  const document::Value list = spec.list("traffic");
  if (list.size() == 0) {
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
