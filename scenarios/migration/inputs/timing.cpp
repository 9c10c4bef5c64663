#include "scenarios/migration/inputs/timing.h"

#include <array>

#include <fmt/format.h>

#include "results/report/text.h"
#include "scenarios/migration/inputs/transition.h"
#include "topologies/provider/profile.h"

namespace overlane::migration {

namespace {

using provider::RouteWrites;

// How to find the durations of the cloud and of the agents.
constexpr std::string_view kTimeACall = "how long a call takes";
constexpr std::string_view kAgentRollout = "the last roll-out of the agent";
/// Shows when each pod was created, its init containers ended, its first container started, and it
/// became ready.
constexpr std::string_view kWatchAgent =
    "kubectl --kubeconfig \"$SHOOT\" -n kube-system get pods -l {agent} -o json | jq -r "
    "'.items[] | [.metadata.name, .status.startTime, (.status.initContainerStatuses[]? | .name, "
    ".state.terminated.finishedAt), .status.containerStatuses[0].state.running.startedAt, "
    "(.status.conditions[] | select(.type == \"Ready\") | .lastTransitionTime)] | @tsv'";
constexpr std::string_view kAgentLog = "the log of the agent around its last start";
constexpr std::string_view kReadAgentLog =
    "kubectl --kubeconfig \"$SHOOT\" -n kube-system logs -l {agent} --all-containers --tail=-1 "
    "--timestamps --prefix | grep -iE 'bird|bgp|pool|snat'";
constexpr std::string_view kTimeAws = "time aws ec2 describe-route-tables --output text";
constexpr std::string_view kGcpOperations =
    "gcloud compute operations list --limit 20 "
    "--format 'table(operationType,insertTime,endTime)'";
constexpr std::string_view kTimeShoot =
    "time kubectl --kubeconfig \"$SHOOT\" -n kube-system get pods -l {agent}";
constexpr std::string_view kTimeOpenStack = "time openstack router list";

constexpr const char* kNotMeasured = "no measurement is published";

bool has_bird(const Transition& transition) {
  return transition.cni().start == cni::AgentStart::FelixAndBird;
}
bool has_gate(const Transition& transition) {
  return !transition.cni().route_gate.empty() && !missing_routes(transition).empty();
}
bool ends_bird(const Transition& transition) {
  return transition.ends_bird();
}
bool may_lose_nodes(const Transition& transition) {
  return transition.may_lose_nodes();
}
template <provider::RouteWrites... writes>
bool writes_routes(const Transition& transition) {
  const auto how = provider::profile_of(transition.after.provider).routes.writes;
  return !missing_routes(transition).empty() &&
         (sizeof...(writes) == 0 || ((how == writes) || ...));
}

bool moves_to_interfaces(const Transition& transition) {
  return transition.moves_to_interfaces();
}
bool may_create_routes(const Transition& transition) {
  return writes_routes<RouteWrites::Concurrent>(transition) || transition.moves_to_interfaces();
}
bool replaces_machines(const Transition& transition) {
  return transition.joining > 1;
}
bool drains_nodes(const Transition& transition) {
  return may_lose_nodes(transition) || replaces_machines(transition);
}
bool rolls_next_time(const Transition& transition) {
  return transition.cni().rolls_next_time;
}
constexpr std::array kFacts{
    TimingFact{"gardenlet.start", &Timing::reconcile_start, seconds(1), seconds(60),
               "from the change of the Shoot until gardenlet reconciles it", kNotMeasured,
               "derived"},
    TimingFact{
        "gardenlet.control-plane", &Timing::control_plane, seconds(20), seconds(300),
        "from the start of the reconciliation until infrastructure and ControlPlane are ready",
        kNotMeasured, "derived"},
    TimingFact{
        "gardenlet.network", &Timing::network, seconds(5), seconds(60),
        "from the ready ControlPlane until the agents' configuration is changed in the shoot",
        kNotMeasured, "derived"},
    TimingFact{"gardenlet.retry", &Timing::gate_retry, seconds(15), seconds(120),
               "from the refusal of a Network until gardenlet tries it again", kNotMeasured,
               "derived", has_gate},
    TimingFact{
        "gardenlet.next", &Timing::next_reconcile, seconds(30), seconds(24 * 3600),
        "from the change of the agents' configuration until the Shoot is reconciled again; only "
        "then does cilium's DaemonSet replace its pods. Without a trigger it takes an hour, or a "
        "day if reconciliations wait for the maintenance window",
        "gardener/gardener example/20-componentconfig-gardenlet.yaml: "
        "controllers.shoot.syncPeriod and reconcileInMaintenanceOnly, which an "
        "operator sets",
        "derived", rolls_next_time},
    TimingFact{"route-controller.start", &Timing::route_controller_start, seconds(5), seconds(60),
               "from the deployment of the route controller until its first pass, with the leader "
               "election",
               kNotMeasured, "derived", writes_routes<>},
    TimingFact{"aws.tick", &Timing::aws_tick, seconds(5), seconds(5),
               "interval between passes of the route controller",
               "gardener/aws-custom-route-controller main.go: default tick", "default",
               writes_routes<RouteWrites::OneByOne>},
    TimingFact{"aws.call", &Timing::aws_call, milliseconds(50), seconds(2),
               "duration of one EC2 call; a route takes two calls, one after the other",
               "gardener/aws-custom-route-controller pkg/updater/routes.go: calls are "
               "sequential, their latency is not published",
               "derived", writes_routes<RouteWrites::OneByOne>, kTimeACall, kTimeAws},
    TimingFact{
        "aws.sync", &Timing::aws_sync, seconds(3600), seconds(3600),
        "interval between passes that update the nodes' conditions even if no route is missing",
        "gardener/aws-custom-route-controller main.go: default sync period", "default",
        writes_routes<RouteWrites::OneByOne>},
    TimingFact{"machine.health-timeout", &Timing::machine_health_timeout, seconds(600),
               seconds(600),
               "how long a node's condition NetworkUnavailable must be True before its machine is "
               "replaced",
               "gardener/gardener "
               "pkg/component/nodemanagement/machinecontrollermanager/provider.go: "
               "--machine-health-timeout=10m",
               "default"},
    TimingFact{"machine.deletion", &Timing::machine_deletion, seconds(60), seconds(2 * 3600),
               "from the decision to replace a machine until its node is drained and deleted",
               "gardener/gardener "
               "pkg/component/nodemanagement/machinecontrollermanager/provider.go: "
               "--machine-drain-timeout=2h is the limit, how long pods take is not "
               "published",
               "derived", drains_nodes},
    TimingFact{"machine.creation", &Timing::machine_creation, seconds(60), seconds(600),
               "from the creation of a machine until its node has joined", kNotMeasured, "derived",
               replaces_machines},
    TimingFact{"machine.creation-timeout", &Timing::machine_creation_timeout, seconds(1200),
               seconds(1200),
               "time limit from the creation of a machine until its node accepts pods",
               "gardener/gardener "
               "pkg/component/nodemanagement/machinecontrollermanager/provider.go: "
               "--machine-creation-timeout=20m",
               "default", replaces_machines},
    TimingFact{"hibernation", &Timing::hibernation, seconds(8 * 3600), seconds(8 * 3600),
               "from the deletion of the last node until the shoot is woken up",
               "the landscape's operator", "derived", replaces_machines},
    TimingFact{"route-controller.period", &Timing::route_period, seconds(10), seconds(10),
               "interval between passes of the route controller",
               "kubernetes/cloud-provider config/v1alpha1/defaults.go: "
               "--route-reconciliation-period",
               "default",
               writes_routes<RouteWrites::Concurrent, RouteWrites::RouterUpdates,
                             RouteWrites::WholeTable>},
    TimingFact{
        "gcp.operation", &Timing::route_operation, seconds(3), seconds(60),
        "duration of the creation or deletion of a route until it is in force; at most 200 run "
        "at the same time",
        "kubernetes/cloud-provider controllers/route/route_controller.go: "
        "maxConcurrentRouteOperations, the latency is not published",
        "derived", may_create_routes, kTimeACall, kGcpOperations},
    TimingFact{"gcp.alias", &Timing::alias_operation, seconds(2), seconds(30),
               "duration of assigning the pod CIDR to a machine's interface; one after the other",
               "gardener-extension-provider-gcp docs/usage/ipv6.md: the latency is not "
               "published",
               "derived", moves_to_interfaces, kTimeACall, kGcpOperations},
    TimingFact{
        "openstack.router-update", &Timing::router_update, milliseconds(300), seconds(5),
        "duration of a read or a write of a router; a route takes one of each, one after the other",
        "kubernetes/cloud-provider-openstack pkg/openstack/routes.go: the "
        "latency is not published",
        "derived", writes_routes<RouteWrites::RouterUpdates>, kTimeACall, kTimeOpenStack},
    TimingFact{"azure.batch", &Timing::route_batch, seconds(30), seconds(30),
               "interval between two writes of the route table",
               "kubernetes-sigs/cloud-provider-azure pkg/consts/consts.go: delayed "
               "route updater",
               "default", writes_routes<RouteWrites::WholeTable>},
    TimingFact{
        "bird.reload", &Timing::bird_reload, seconds(2), seconds(10),
        "maximum time from the change of an IPPool until confd has written BIRD's new export "
        "filter and BIRD, which scans every 2 s, has written the routes",
        "projectcalico/calico "
        "node/filesystem/etc/calico/confd/templates/bird.cfg.template: scan time "
        "2 s, confd's delay is not published",
        "derived", has_bird, kAgentLog, kReadAgentLog},
    TimingFact{"bird.connect", &Timing::bgp_connect, seconds(2), seconds(10),
               "maximum time from the start of BIRD until its BGP sessions are established",
               "projectcalico/calico "
               "node/filesystem/etc/calico/confd/templates/bird.cfg.template: connect "
               "delay 2 s, connect retry 5 s",
               "derived", has_bird, kAgentLog, kReadAgentLog},
    TimingFact{"bird.graceful-restart", &Timing::graceful_restart, seconds(0), seconds(120),
               "how long BIRD keeps the routes to a peer whose BIRD has ended",
               "BIRD 1.6 documentation: graceful restart time is 120 s by default, but "
               "not at all where BIRD was not killed but asked to end "
               "(tools/check-bird-routes)",
               "derived", ends_bird},
    TimingFact{
        "daemon-set.replace", &Timing::pod_replacement, seconds(2), seconds(60),
        "maximum time from the deletion of an agent's pod until the new pod's init containers "
        "run",
        "gardener-extension-networking-calico "
        "charts/internal/calico/templates/node/daemonset-calico-node.yaml: "
        "terminationGracePeriodSeconds is 0, a node that has to pull the image "
        "takes longer",
        "derived", nullptr, kAgentRollout, kWatchAgent},
    TimingFact{
        "agent.init", &Timing::pod_init, seconds(2), seconds(20),
        "from the start of the init containers of a pod (with cleanup-routes) until they are done",
        kNotMeasured, "derived", nullptr, kAgentRollout, kWatchAgent},
    TimingFact{"agent.start", &Timing::agent_start, seconds(2), seconds(20),
               "from the start of the agent in a new pod until it has written the node's state",
               kNotMeasured, "derived", nullptr, kAgentRollout, kWatchAgent},
    TimingFact{
        "agent.ready", &Timing::pod_ready, seconds(5), seconds(30),
        "from the start of the agent until its pod is ready; the readiness probe runs every 10 s",
        "gardener-extension-networking-calico "
        "charts/internal/calico/templates/node/daemonset-calico-node.yaml: "
        "readinessProbe, cilium's is not published",
        "derived", nullptr, kAgentRollout, kWatchAgent},
    TimingFact{"felix.pools", &Timing::felix_pools, milliseconds(100), seconds(5),
               "from the change of the IPPools until Felix in the old pods masquerades by them",
               kNotMeasured, "derived", has_bird, kAgentLog, kReadAgentLog},
    TimingFact{"calico.nameserver-rules", &Timing::nameserver_rules, seconds(15), seconds(15),
               "from the start of a new pod until its sidecar has added the rules that masquerade "
               "queries to upstream DNS",
               "gardener-extension-networking-calico "
               "charts/internal/calico/templates/node/daemonset-calico-node.yaml: the "
               "container add-snat-rule-to-upstream-dns sleeps first",
               "default", has_bird, kAgentLog, kReadAgentLog},
    TimingFact{"operator.reaction", &Timing::operator_reaction, seconds(1), seconds(60),
               "from the change of the DaemonSet until all its pods are deleted by hand",
               "assumed: a loop in a shell takes a second, a person up to a minute", "derived",
               nullptr, "how long a pass of the loop takes that deletes the pods", kTimeShoot},
};

void replace(std::string& text, std::string_view placeholder, std::string_view value) {
  for (std::size_t at = text.find(placeholder); at != std::string::npos;
       at = text.find(placeholder, at + value.size()))
    text.replace(at, placeholder.size(), value);
}

}  // namespace

std::string command_of(const TimingFact& fact, const Transition& transition) {
  std::string command(fact.command);
  replace(command, "{namespace}", transition.before.namespace_);
  replace(command, "{name}", transition.before.name);
  replace(command, "{agent}", transition.cni().pod_selector);
  return command;
}

std::span<const TimingFact> timing_facts() {
  return kFacts;
}

std::string duration_text(Picos time) {
  const double seconds = static_cast<double>(time.count) / 1e12;
  return time <= overlane::seconds(120) ? fmt::format("{:g} s", seconds)
                                        : report::elapsed_text(seconds);
}

std::string setting_text(Picos time) {
  const std::int64_t milliseconds = time.count / overlane::milliseconds(1).count;
  return milliseconds % 1000 == 0 ? fmt::format("{}s", milliseconds / 1000)
                                  : fmt::format("{}ms", milliseconds);
}

std::string outage_text(Picos time) {
  return report::elapsed_text(static_cast<double>(time.count) / 1e12);
}

}  // namespace overlane::migration
