#pragma once

#include "dataplane/forward/decision_context.h"

namespace overlane::forward {

// Services of the cluster as the rules of kube-proxy translate them: which Service a connection is
// opened to, which endpoint takes it (KUBE-SERVICES, KUBE-SVC), whether its source is masqueraded
// (KUBE-MARK-MASQ, KUBE-POSTROUTING), and which packets are refused since no endpoint takes them.
// Only the first packet of a connection is translated by these rules; the others follow its entry
// in the connection table (connection_tracking.h). IPVS finds a Service in INPUT and sends what it
// has translated past FORWARD. Here it is found where iptables' rules are, and only the state's
// ip_forward shows the difference.

/// The Services of one node, for one packet.
template <typename Context>
class ServiceTranslation {
 public:
  /// `context`, a DecisionContext, must outlive this object.
  explicit ServiceTranslation(const Context& context) : context_(context) {}

  /// Whether the packet's destination is the address of a Service, at any port.
  bool is_to_service(const Packet& packet) const {
    return table() != nullptr && table()->has(packet.outermost().destination);
  }

  /// The Service that a connection opening with such a packet goes to, if it has endpoints and
  /// packets bear its address.
  const node::Service* find(const node::ConntrackTuple& tuple) const {
    if (table() == nullptr || table()->translates_at_socket(tuple.protocol)) return nullptr;
    const node::Service* service =
        table()->find({tuple.destination, tuple.destination_port, tuple.protocol});
    return service == nullptr || service->endpoints.empty() ? nullptr : service;
  }

  /// KUBE-SERVICES of nat's PREROUTING and OUTPUT: chooses the endpoint of a connection that opens.
  void redirect(node::Track& track, const node::Service& service,
                const node::ConntrackTuple& tuple) const {
    const auto choice =
        node::choose_endpoint(*table(), service, tuple, context_.runtime.service_turns);
    if (!choice) return;
    node::ConntrackTable::redirect(track, choice->endpoint.address, choice->endpoint.port);
    track.is_marked = choice->masqueraded;
  }

  /// KUBE-POSTROUTING, behind Felix's rules, for a marked connection. MASQUERADE takes the address
  /// of the device that the packet leaves through, or, as a pod's veth has none, the node's
  /// (inet_select_addr).
  std::optional<node::Masquerade> masquerade(const Packet& packet,
                                             const node::Device* device) const {
    const Family family = packet.outermost().family();
    auto address = device == nullptr ? std::nullopt : device->address(family);
    if (!address) address = context_.state().address(family);
    if (!address) return std::nullopt;
    return node::Masquerade{{.by = node::MasqueradeRule::By::Mark},
                            {.source = *address, .random_fully = true}};
  }

  /// Whether a rule at this place refuses the packet, as no endpoint takes it.
  bool is_refused(const Packet& packet, node::ServiceRefusal where) const {
    if (packet.icmp || packet.is_encapsulated() || !is_to_service(packet)) return false;
    return node::refusal(*table(), front_of(packet)) == where;
  }
  /// The Service of a packet that is refused.
  const node::Service* refusing(const Packet& packet) const {
    return table()->find(front_of(packet));
  }

 private:
  const node::ServiceTable* table() const {
    return context_.tracks() ? context_.state().services.get() : nullptr;
  }
  static node::ServicePort front_of(const Packet& packet) {
    return {packet.inner.destination, packet.destination_port, packet.inner.protocol};
  }

  const Context& context_;
};

}  // namespace overlane::forward
