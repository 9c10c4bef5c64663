#include "scenarios/spec/traffic.h"

#include <array>
#include <set>

#include <fmt/format.h>

#include "scenarios/spec/ranges.h"
#include "scenarios/spec/traffic_kinds.h"
#include "scenarios/spec/words.h"

namespace overlane::spec {
namespace {

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

/// Decodes which pods communicate.
void decode_pattern(Fields& fields, Traffic& traffic) {
  traffic.pattern = word(fields, "pattern", kPatterns).value_or(Pattern::Pair);
  traffic.zones = word(fields, "zones", kZones).value_or(Zones::Any);
  traffic.pods_per_node = count_between(fields, "podsPerNode", 1, kMaxPods).value_or(1);
  traffic.hot_ppm = millionths_between(fields, "hotShare", 0, 1'000'000).value_or(traffic.hot_ppm);
  traffic.from_node = fields.one_of("from", {"pod", "node"}) == "node";
  const auto to = fields.one_of("to", {"pod", "service", "node"});
  traffic.to_service = to == "service";
  traffic.to_node = to == "node";
  traffic.flows = count_between(fields, "flows", 1, kMaxFlows).value_or(1);
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

Traffic decode_group(Fields& fields) {
  Traffic traffic;
  traffic.place = fields.value().place();
  fields.required("name");
  traffic.name = fields.string("name").value_or("");
  fields.required("kind");
  const auto kind = word(fields, "kind", kKinds);
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
  const document::Value list = spec.list("traffic");
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
