#include "dataplane/node/state/services.h"

#include <algorithm>

#include <fmt/format.h>

#include "dataplane/node/state/node_state.h"

namespace overlane::node {
namespace {

std::string text(IpAddress address, std::uint16_t port) {
  const std::string bare = address.to_string();
  return address.is_ipv4() ? fmt::format("{}:{}", bare, port) : fmt::format("[{}]:{}", bare, port);
}

std::string text(const ServicePort& front) {
  return fmt::format("{} {}", front.protocol == kTrackedTcp ? "tcp" : "udp",
                     text(front.address, front.port));
}

Finding invalid(const ServicePort& front, std::string_view what, std::string hint) {
  return {.rule = "invalid-service",
          .severity = Severity::Error,
          .message = fmt::format("Service {} {}", text(front), what),
          .hint = std::move(hint)};
}

Result<void> check(const Service& service) {
  const ServicePort& front = service.front;
  if (front.protocol != kTrackedTcp && front.protocol != kTrackedUdp) {
    return fail(invalid(front, fmt::format("is of IP protocol {}", front.protocol),
                        "Services take TCP and UDP; SCTP is not supported"));
  }
  if (front.port == 0) return fail(invalid(front, "has no port", "ports are 1 to 65535"));
  for (const Endpoint& endpoint : service.endpoints) {
    if (endpoint.port == 0) {
      return fail(invalid(front, "has an endpoint without a port", "ports are 1 to 65535"));
    }
    if (endpoint.address.family() != front.address.family()) {
      return fail(invalid(
          front,
          fmt::format("has the endpoint {} of the other family", endpoint.address.to_string()),
          "a Service's address and its endpoints are of one family"));
    }
  }
  return {};
}

}  // namespace

std::string_view to_string(ServiceProxy proxy) {
  switch (proxy) {
    case ServiceProxy::Iptables:
      return "kube-proxy (iptables)";
    case ServiceProxy::Ipvs:
      return "kube-proxy (IPVS)";
    case ServiceProxy::Nftables:
      return "kube-proxy (nftables)";
    case ServiceProxy::CalicoEbpf:
      return "calico-node (eBPF)";
    case ServiceProxy::Cilium:
      return "Cilium (at the pod's socket)";
  }
  return "";
}

Result<ServiceTable> ServiceTable::make(ServiceProxy proxy, std::vector<Service> services,
                                        std::vector<IpPrefix> pods, std::uint64_t seed) {
  for (const Service& service : services)
    if (auto sound = check(service); !sound) return fail(std::move(sound.error()));
  std::ranges::sort(services);
  const auto twice = std::ranges::adjacent_find(services, {}, &Service::front);
  if (twice != services.end()) {
    return fail(invalid(twice->front, "is there twice",
                        "an address, port and protocol belong to one Service"));
  }
  ServiceTable table;
  table.proxy_ = proxy;
  table.services_ = std::move(services);
  table.pods_ = std::move(pods);
  table.seed_ = seed;
  return table;
}

const Service* ServiceTable::find(const ServicePort& front) const {
  const auto at = std::ranges::lower_bound(services_, front, {}, &Service::front);
  return at != services_.end() && at->front == front ? &*at : nullptr;
}

bool ServiceTable::has(IpAddress address) const {
  const auto at = std::ranges::lower_bound(services_, ServicePort{address}, {}, &Service::front);
  return at != services_.end() && at->front.address == address;
}

ServiceTable ServiceTable::with_moved(IpAddress before, IpAddress now) const {
  ServiceTable table = *this;
  for (Service& service : table.services_)
    for (Endpoint& endpoint : service.endpoints)
      if (endpoint.address == before) endpoint.address = now;
  return table;
}

ServiceTable ServiceTable::without(const ServicePort& front) const {
  ServiceTable table = *this;
  std::erase_if(table.services_, [&](const Service& service) { return service.front == front; });
  return table;
}

std::optional<ServiceChoice> choose_endpoint(const ServiceTable& table, const Service& service,
                                             const ConntrackTuple& packet,
                                             RoundRobinCounters& counters) {
  const std::size_t count = service.endpoints.size();
  if (count == 0) return std::nullopt;
  const std::uint64_t number =
      table.proxy() == ServiceProxy::Ipvs ? counters[service.front]++ : hash(packet, table.seed());
  ServiceChoice choice{.endpoint = service.endpoints[number % count]};
  const bool is_pods = std::ranges::any_of(
      table.pods(), [&](const IpPrefix& pods) { return pods.contains(packet.source); });
  choice.masqueraded =
      choice.endpoint.address == packet.source || (!table.pods().empty() && !is_pods);
  return choice;
}

ServiceRefusal refusal(const ServiceTable& table, const ServicePort& front) {
  if (table.translates_at_socket(front.protocol)) return ServiceRefusal::None;
  if (!table.has(front.address)) return ServiceRefusal::None;
  const bool has_ports = front.protocol == kTrackedTcp || front.protocol == kTrackedUdp;
  const Service* service = table.find(front);
  // A packet to a Service with endpoints that was not translated opens no connection; no rule
  // applies to it.
  if (service != nullptr && !service->endpoints.empty()) return ServiceRefusal::None;
  const bool is_empty = service != nullptr;
  switch (table.proxy()) {
    case ServiceProxy::Iptables:
      return is_empty ? ServiceRefusal::AtForwarding : ServiceRefusal::None;
    case ServiceProxy::Ipvs:
      return has_ports ? ServiceRefusal::AtInput : ServiceRefusal::None;
    case ServiceProxy::Nftables:
      return ServiceRefusal::AtForwarding;
    case ServiceProxy::CalicoEbpf:
      return is_empty ? ServiceRefusal::AtVeth : ServiceRefusal::None;
    case ServiceProxy::Cilium:
      return ServiceRefusal::None;
  }
  return ServiceRefusal::None;
}

std::string service_line(const ServiceTable& table, const Service& service) {
  std::string endpoints;
  for (const Endpoint& endpoint : service.endpoints)
    endpoints += ' ' + text(endpoint.address, endpoint.port);
  return fmt::format("service {} endpoints{} by {}", text(service.front),
                     endpoints.empty() ? " (none)" : endpoints, to_string(table.proxy()));
}

std::vector<std::string> service_lines(const NodeState& state) {
  std::vector<std::string> lines;
  if (state.services == nullptr) return lines;
  for (const Service& service : state.services->services())
    lines.push_back(service_line(*state.services, service));
  return lines;
}

}  // namespace overlane::node
