#include "scenarios/spec/events.h"

#include <array>

#include <fmt/format.h>

#include "dataplane/node/state/device.h"
#include "scenarios/spec/optional_fields.h"

namespace overlane::spec {
namespace {

using document::FieldKey;
using document::Fields;
using document::Value;

constexpr std::array kEventKinds = {
    Word<EventKind>{"remove-cloud-route", EventKind::RemoveCloudRoute},
    Word<EventKind>{"add-cloud-route", EventKind::AddCloudRoute},
    Word<EventKind>{"remove-route", EventKind::RemoveRoute},
    Word<EventKind>{"add-route", EventKind::AddRoute},
    Word<EventKind>{"change-device", EventKind::ChangeDevice},
    Word<EventKind>{"remove-device", EventKind::RemoveDevice},
    Word<EventKind>{"change-sysctl", EventKind::ChangeSysctl},
    Word<EventKind>{"remove-filter", EventKind::RemoveFilter},
    Word<EventKind>{"restart-agent", EventKind::RestartAgent},
    Word<EventKind>{"change-fabric", EventKind::ChangeFabric},
    Word<EventKind>{"remove-node", EventKind::RemoveNode},
    Word<EventKind>{"add-node", EventKind::AddNode},
    Word<EventKind>{"restart-pods", EventKind::RestartPods},
    Word<EventKind>{"change-instance", EventKind::ChangeInstance}};

constexpr std::array kRouteTypes = {Word<RouteType>{"unicast", RouteType::Unicast},
                                    Word<RouteType>{"local", RouteType::Local},
                                    Word<RouteType>{"blackhole", RouteType::Blackhole},
                                    Word<RouteType>{"unreachable", RouteType::Unreachable},
                                    Word<RouteType>{"prohibit", RouteType::Prohibit}};

constexpr std::array kSysctls = {
    Word<Sysctl>{"net.ipv4.ip_forward", Sysctl::IpForward},
    Word<Sysctl>{"net.ipv6.conf.all.forwarding", Sysctl::Ipv6Forwarding},
    Word<Sysctl>{"net.ipv4.conf.all.rp_filter", Sysctl::RpFilter}};

template <typename T>
std::optional<T> parsed(Fields& fields, const FieldKey& key, std::string_view what) {
  const auto text = fields.string(key);
  if (!text) return std::nullopt;
  const auto value = T::parse(*text);
  if (value) return *value;
  fields.problems().error(fields.value()[key.name], "bad-value",
                          fmt::format("\"{}\" is no {}: {}", *text, what, value.error()));
  return std::nullopt;
}

std::optional<IpPrefix> destination_in(Fields& fields) {
  return parsed<IpPrefix>(
      fields,
      FieldKey(
          "destination",
          "The route's destination, a CIDR; of a cloud route by default the pod CIDRs of node."),
      "CIDR");
}

std::string given_device(Fields& fields) {
  const std::string name =
      fields.string(FieldKey("device", "The network device, such as eth0 or tunl0.")).value_or("");
  if (name.size() > node::DeviceName::kMaxLength)
    fields.problems().error(fields.value()["device"], "bad-value",
                            fmt::format("{} is longer than a device's name in Linux", name));
  return name.substr(0, node::DeviceName::kMaxLength);
}

std::string device_in(Fields& fields) {
  fields.required("device");
  return given_device(fields);
}

/// Only a unicast route leads anywhere.
void check_route(Fields& fields, const Event& event) {
  const Value& item = fields.value();
  if (event.route == RouteType::Unicast && !item["device"])
    fields.problems().error(item, "incomplete", "the route leads to no device",
                            "add device, or a type such as blackhole");
  for (const char* key : {"device", "via"})
    if (event.route != RouteType::Unicast && item[key])
      fields.problems().error(
          item[key], "bad-value",
          fmt::format("a route of type {} has no {}", spec::to_string(event.route), key),
          "remove it");
}

/// Reads the fields that depend on the kind of the event.
void decode_kind(Fields& fields, Event& event) {
  const Value& item = fields.value();
  switch (event.kind) {
    case EventKind::RemoveCloudRoute:
      event.destination = destination_in(fields);
      if (event.node.empty() == !item["destination"])
        fields.problems().error(item, "incomplete",
                                "a cloud route is named by a node or by a destination",
                                "give one of both");
      break;
    case EventKind::AddCloudRoute:
      fields.required("node");
      event.destination = destination_in(fields);
      break;
    case EventKind::RemoveRoute:
      fields.required("destination");
      event.destination = destination_in(fields);
      break;
    case EventKind::AddRoute:
      fields.required("destination");
      event.destination = destination_in(fields);
      event.route = word(fields,
                         FieldKey("type",
                                  "What the new route says, as `ip route add` has it: unicast (the "
                                  "default), local, blackhole, unreachable or prohibit."),
                         kRouteTypes)
                        .value_or(RouteType::Unicast);
      event.device = given_device(fields);
      event.via = parsed<IpAddress>(
          fields, FieldKey("via", "The next hop of the new route; without it the device's link."),
          "IP address");
      if (event.via && event.destination && event.via->is_ipv4() != event.destination->is_ipv4())
        fields.problems().error(item["via"], "bad-value",
                                "the next hop is not of the destination's IP family");
      check_route(fields, event);
      break;
    case EventKind::ChangeDevice:
      event.device = device_in(fields);
      event.mtu =
          mtu(fields, FieldKey("mtu", "The new MTU of the device, or of the pods, in bytes."));
      event.up = fields.boolean(FieldKey("up", "Whether the device is up."));
      if (!item["mtu"] && !item["up"])
        fields.problems().error(item, "incomplete", "the device gets neither an MTU nor a state",
                                "add mtu or up");
      break;
    case EventKind::RemoveDevice:
      event.device = device_in(fields);
      break;
    case EventKind::ChangeSysctl: {
      fields.required("sysctl");
      fields.required("value");
      event.sysctl = word(fields, FieldKey("sysctl", "The kernel parameter."), kSysctls)
                         .value_or(Sysctl::IpForward);
      const bool is_switch = event.sysctl != Sysctl::RpFilter;
      event.value = static_cast<std::uint8_t>(
          count_between(fields, FieldKey("value", "Its new value."), 0, is_switch ? 1 : 2)
              .value_or(0));
      break;
    }
    case EventKind::RemoveFilter:
      break;
    case EventKind::RestartAgent:
      if (event.lasts)
        fields.problems().error(item["for"], "bad-value", "a restart of the agent is not undone",
                                "remove for");
      break;
    case EventKind::RemoveNode:
    case EventKind::AddNode:
      fields.required("node");
      break;
    case EventKind::RestartPods:
      event.mtu =
          mtu(fields, FieldKey("mtu", "The new MTU of the device, or of the pods, in bytes."));
      event.to = fields
                     .string(FieldKey("to",
                                      "The node on which the pods are made again, with new "
                                      "addresses; without it, their own, with the same addresses."))
                     .value_or("");
      break;
    case EventKind::ChangeInstance:
      fields.required("node");
      fields.required("sourceDestinationCheck");
      event.source_destination_check = fields.boolean(
          FieldKey("sourceDestinationCheck",
                   "Whether the cloud drops packets whose address is not the interface's."));
      break;
    case EventKind::ChangeFabric:
      event.fabric = decode_fabric(
          fields,
          FieldKey("pathMtu", "What the paths between nodes carry from then on, as spec.pathMtu."),
          FieldKey("deny",
                   "What a packet filter between the nodes drops from then on, as spec.deny.",
                   "Packets that are dropped, in either direction."),
          "Whether the sender of a larger packet with DF gets an ICMP error (icmp, the default) or "
          "not (silent).");
      if (!item["pathMtu"] && !item["deny"])
        fields.problems().error(item, "incomplete", "nothing of the fabric is changed",
                                "add pathMtu or deny");
      break;
  }
}

bool is_of_fabric(EventKind kind) {
  return kind == EventKind::ChangeFabric;
}
bool is_cloud_route(EventKind kind) {
  return kind == EventKind::RemoveCloudRoute || kind == EventKind::AddCloudRoute;
}
bool is_route(EventKind kind) {
  return kind == EventKind::RemoveRoute || kind == EventKind::AddRoute;
}
bool is_device(EventKind kind) {
  return kind == EventKind::ChangeDevice || kind == EventKind::RemoveDevice;
}

bool is_filter(EventKind kind) {
  return kind == EventKind::RemoveFilter || kind == EventKind::RestartAgent;
}

/// Whether both events change the same thing, regardless of their times.
bool have_one_target(const Event& a, const Event& b) {
  if (is_of_fabric(a.kind) && is_of_fabric(b.kind))
    return (a.fabric.path_mtu && b.fabric.path_mtu) || (a.fabric.denied && b.fabric.denied);
  if (is_cloud_route(a.kind) && is_cloud_route(b.kind)) {
    if (a.destination && b.destination) return *a.destination == *b.destination;
    return a.node == b.node;
  }
  if (!a.node.empty() && !b.node.empty() && a.node != b.node) return false;
  if (is_route(a.kind) && is_route(b.kind)) return a.destination == b.destination;
  if (is_device(a.kind) && is_device(b.kind)) return a.device == b.device;
  if (is_lifecycle(a.kind) && is_lifecycle(b.kind)) return true;
  if (a.kind == EventKind::ChangeInstance && b.kind == a.kind) return true;
  if (is_filter(a.kind) && is_filter(b.kind)) return a.at == b.at || a.kind == b.kind;
  return a.kind == EventKind::ChangeSysctl && b.kind == a.kind && a.sysctl == b.sysctl;
}

/// Whether `later` begins while `earlier` is in force or at the same time.
bool begins_within(const Event& earlier, const Event& later) {
  if (later.at == earlier.at) return true;
  return earlier.lasts && earlier.at < later.at && later.at < earlier.at + *earlier.lasts;
}

void refuse_contradictions(const std::vector<Event>& events, const std::vector<Value>& items,
                           document::Problems& problems) {
  for (std::size_t i = 0; i < events.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Event& a = events[j];
      const Event& b = events[i];
      if (!have_one_target(a, b) || !overlap_in_time(a, b)) continue;
      problems.error(items[i], kContradictoryEvents, contradiction(a, b),
                     std::string(kContradictionHint));
      break;
    }
}

}  // namespace

bool overlap_in_time(const Event& a, const Event& b) {
  return begins_within(a, b) || begins_within(b, a);
}

std::string contradiction(const Event& a, const Event& b) {
  return fmt::format("{} changes what {} in line {} changes at the same time", b.to_string(),
                     a.to_string(), a.place.line);
}

bool is_lifecycle(EventKind kind) {
  return kind == EventKind::RemoveNode || kind == EventKind::AddNode ||
         kind == EventKind::RestartPods;
}

std::string_view to_string(EventKind kind) {
  return word_for(kind, kEventKinds);
}

std::string_view to_string(RouteType type) {
  return word_for(type, kRouteTypes);
}

std::string_view to_string(Sysctl sysctl) {
  return word_for(sysctl, kSysctls);
}

std::string Event::to_string() const {
  std::string text(spec::to_string(kind));
  const auto add = [&](std::string_view label, const std::string& what) {
    if (!what.empty()) text += fmt::format(" {}{}", label, what);
  };
  if (route != RouteType::Unicast) add("", std::string(spec::to_string(route)));
  if (destination) add("", destination->to_string());
  add("", device);
  if (via) add("via ", via->to_string());
  if (mtu) add("mtu ", std::to_string(*mtu));
  if (up) add("", *up ? "up" : "down");
  if (kind == EventKind::ChangeSysctl)
    add("", fmt::format("{}={}", spec::to_string(sysctl), value));
  if (source_destination_check)
    add("source/destination check ", *source_destination_check ? "on" : "off");
  if (fabric.path_mtu) add("", "pathMtu");
  if (fabric.denied) add("", "deny");
  if (!is_of_fabric(kind)) add("", node.empty() && !is_cloud_route(kind) ? "all nodes" : node);
  add("to ", to);
  return text;
}

std::vector<Event> decode_events(Fields& spec, Picos duration) {
  std::vector<Event> events;
  std::vector<Value> items;
  for (const Value item :
       spec.list(FieldKey("events", "Changes of nodes, pods and the fabric during the run.",
                          "One change, in every variant."))) {
    items.push_back(item);
    Fields fields(item, spec.problems());
    Event event{.place = item.place()};
    fields.required("at");
    fields.required("what");
    const auto at =
        spec::duration(fields, FieldKey("at", "When it happens, from the start of the run."));
    event.at = at.value_or(Picos{});
    event.lasts = duration_above_zero(
        fields, FieldKey("for",
                         "After this time it is undone; without it, never. Of restart-pods: how "
                         "long the pods are away; 0 by default."));
    const auto kind = word(
        fields,
        FieldKey("what",
                 "remove-cloud-route, add-cloud-route: of the VPC's route tables; remove-route, "
                 "add-route, change-device, remove-device, change-sysctl, remove-filter, "
                 "restart-agent, restart-pods: on nodes; remove-node, add-node; change-instance: "
                 "of a node's interface in the cloud; change-fabric."),
        kEventKinds);
    event.kind = kind.value_or(EventKind::RemoveCloudRoute);
    if (!kind || !is_of_fabric(event.kind))
      event.node = fields
                       .string(FieldKey("node",
                                        "The node, such as node-1; without it every node. Of a "
                                        "cloud route: the node whose pod CIDRs it leads to."))
                       .value_or("");
    if (at && duration > Picos{} && *at + event.lasts.value_or(Picos{}) >= duration)
      spec.problems().error(item[event.lasts ? "for" : "at"], "out-of-range",
                            "the event, or its end, is beyond the end of the run",
                            "make it earlier, or make spec.duration longer; without for it lasts "
                            "until the end");
    if (!kind) continue;  // The other fields depend on it.
    decode_kind(fields, event);
    fields.no_others();
    events.push_back(std::move(event));
  }
  if (events.size() == items.size()) refuse_contradictions(events, items, spec.problems());
  return events;
}

}  // namespace overlane::spec
