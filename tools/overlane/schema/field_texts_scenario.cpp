#include <array>

#include "tools/overlane/schema/json_schema.h"

namespace overlane::command {

std::span<const FieldText> scenario_texts() {
  static constexpr std::array kTexts = {
      FieldText{"spec", "What is run, and for how long."},
      FieldText{"spec.topology",
                "A Topology file, relative to this file, or the name of one of the library, such "
                "as aws-two-zones."},
      FieldText{"spec.manifests", "Instead of a topology: files with Shoots or Networks."},
      FieldText{"spec.manifests[]",
                "A file or folder, relative to this file, or the name of a Shoot or "
                "NetworkProvider of the library, such as shoot-aws."},
      FieldText{"spec.shoot", "namespace/name of the shoot, when there are several."},
      FieldText{"spec.costProfile",
                "What CPU time costs: a CostProfile of the library, such as linux-server, or a "
                "file. Without it CPU time is free."},
      FieldText{"spec.variants", "The modes in which to run the shoot. Without them, as written."},
      FieldText{"spec.variants[]", "One way to run the shoot."},
      FieldText{"spec.variants[].name", "The name in the results."},
      FieldText{"spec.variants[].networkConfig",
                "A merge patch (RFC 7386) to the shoot's providerConfig."},
      FieldText{"spec.variants[].calicoVersion",
                "Calico's release for this variant, such as 3.33."},
      FieldText{"spec.variants[].kubeProxy",
                "kube-proxy's mode for this variant, or none to do without it."},
      FieldText{"spec.variants[].encryption",
                "Whether WireGuard encrypts between nodes in this variant."},
      FieldText{"spec.variants[].family",
                "The IP family in which pods talk in this variant; else spec.family."},
      FieldText{"spec.family", "The IP family in which pods talk; by default the shoot's first."},
      FieldText{"spec.variants[].loss", "What the fabric loses in this variant; else spec.loss."},
      FieldText{"spec.loss", "What the fabric loses at random; nothing by default."},
      FieldText{"spec.variants[].loss.ratio", "The share of packets that is lost, each way."},
      FieldText{"spec.variants[].loss.withinZone", "Instead of ratio: that within a zone."},
      FieldText{"spec.variants[].loss.acrossZones",
                "Instead of ratio: that from one zone to another."},
      FieldText{"spec.variants[].loss.meanBurst",
                "How many packets of a flow are lost in a row on average; without it each is lost "
                "or not by itself."},
      FieldText{"spec.loss.ratio", "The share of packets that is lost, each way."},
      FieldText{"spec.loss.withinZone", "Instead of ratio: that within a zone."},
      FieldText{"spec.loss.acrossZones", "Instead of ratio: that from one zone to another."},
      FieldText{"spec.loss.meanBurst",
                "How many packets of a flow are lost in a row on average; without it each is lost "
                "or not by itself."},
      FieldText{"spec.variants[].pathMtu",
                "What the paths between nodes carry where that is less than the links' MTU; else "
                "what spec or the topology says."},
      FieldText{"spec.variants[].pathMtu.withinZone",
                "The largest IP packet within a zone, in bytes."},
      FieldText{"spec.variants[].pathMtu.acrossZones",
                "The largest IP packet from one zone to another, in bytes."},
      FieldText{"spec.variants[].pathMtu.tooBig",
                "What becomes of a larger packet with DF: it is dropped and its sender told by "
                "ICMP (the default), or not."},
      FieldText{"spec.variants[].deny",
                "What a packet filter between the nodes drops, by the outermost header; else what "
                "spec or the topology says."},
      FieldText{"spec.variants[].deny[]", "Packets that are dropped, whichever way they go."},
      FieldText{"spec.variants[].deny[].protocol", "Their IP protocol; ipip is number 4."},
      FieldText{"spec.variants[].deny[].port", "Of tcp and udp: the destination port; else all."},
      FieldText{"spec.variants[].deny[].type", "Of icmp and icmpv6: the message's type; else all."},
      FieldText{"spec.variants[].deny[].code", "With type: the code; else all."},
      FieldText{"spec.pathMtu",
                "What the paths between nodes carry where that is less than the links' MTU; else "
                "what the topology says."},
      FieldText{"spec.pathMtu.withinZone", "The largest IP packet within a zone, in bytes."},
      FieldText{"spec.pathMtu.acrossZones",
                "The largest IP packet from one zone to another, in bytes."},
      FieldText{"spec.pathMtu.tooBig",
                "What becomes of a larger packet with DF: it is dropped and its sender told by "
                "ICMP (the default), or not."},
      FieldText{"spec.deny",
                "What a packet filter between the nodes drops, by the outermost header; else what "
                "the topology says."},
      FieldText{"spec.deny[]", "Packets that are dropped, whichever way they go."},
      FieldText{"spec.deny[].protocol", "Their IP protocol; ipip is number 4."},
      FieldText{"spec.deny[].port", "Of tcp and udp: the destination port; else all."},
      FieldText{"spec.deny[].type", "Of icmp and icmpv6: the message's type; else all."},
      FieldText{"spec.deny[].code", "With type: the code; else all."},
      FieldText{"spec.variants[].mtuProbing",
                "net.ipv4.tcp_mtu_probing of all TCP in this variant, whatever the traffic says."},
      FieldText{"spec.baseline",
                "The variant that the others are compared with; the first by default."},
      FieldText{"spec.events", "Changes of nodes, pods and the fabric during the run."},
      FieldText{"spec.events[]", "One change, in every variant."},
      FieldText{"spec.events[].at", "When it happens, from the start of the run."},
      FieldText{"spec.events[].for",
                "After this time it is undone; without it, never. Of restart-pods: how long the "
                "pods are away; 0 by default."},
      FieldText{"spec.events[].what",
                "remove-cloud-route, add-cloud-route: of the VPC's route tables; remove-route, "
                "add-route, change-device, remove-device, change-sysctl, remove-filter, "
                "restart-agent, restart-pods: on nodes; remove-node, add-node; change-instance: of "
                "a node's interface in the cloud; change-fabric."},
      FieldText{"spec.events[].node",
                "The node, such as node-1; without it every node. Of a cloud route: the node whose "
                "pod CIDRs it leads to."},
      FieldText{"spec.events[].destination",
                "The route's destination, a CIDR; of a cloud route by default the pod CIDRs of "
                "node."},
      FieldText{"spec.events[].device", "The network device, such as eth0 or tunl0."},
      FieldText{"spec.events[].type",
                "What the new route says, as `ip route add` has it: unicast (the default), local, "
                "blackhole, unreachable or prohibit."},
      FieldText{"spec.events[].via",
                "The next hop of the new route; without it the device's link."},
      FieldText{"spec.events[].mtu", "The new MTU of the device, or of the pods, in bytes."},
      FieldText{"spec.events[].to",
                "The node on which the pods are made again, with new addresses; without it, their "
                "own, with the same addresses."},
      FieldText{"spec.events[].up", "Whether the device is up."},
      FieldText{"spec.events[].sourceDestinationCheck",
                "Whether the cloud drops packets whose address is not the interface's."},
      FieldText{"spec.events[].sysctl", "The kernel parameter."},
      FieldText{"spec.events[].value", "Its new value."},
      FieldText{"spec.events[].pathMtu",
                "What the paths between nodes carry from then on, as spec.pathMtu."},
      FieldText{"spec.events[].pathMtu.withinZone",
                "The largest IP packet within a zone, in bytes."},
      FieldText{"spec.events[].pathMtu.acrossZones",
                "The largest IP packet from one zone to another, in bytes."},
      FieldText{"spec.events[].pathMtu.tooBig",
                "Whether the sender of a larger packet with DF gets an ICMP error (icmp, the "
                "default) or not (silent)."},
      FieldText{"spec.events[].deny",
                "What a packet filter between the nodes drops from then on, as spec.deny."},
      FieldText{"spec.events[].deny[]", "Packets that are dropped, in either direction."},
      FieldText{"spec.events[].deny[].protocol", "Their IP protocol; ipip is number 4."},
      FieldText{"spec.events[].deny[].port", "Of tcp and udp: the destination port; else all."},
      FieldText{"spec.events[].deny[].type", "Of icmp and icmpv6: the message's type; else all."},
      FieldText{"spec.events[].deny[].code", "With type: the code; else all."},
      FieldText{"spec.traffic", "What is sent; at least one group."},
      FieldText{"spec.traffic[]", "Flows of one kind."},
      FieldText{"spec.traffic[].name", "The name in the results."},
      FieldText{"spec.traffic[].kind",
                "udp: datagrams at a rate; tcp: a bulk stream, or transfers that end; "
                "request-response: one request at a time over TCP."},
      FieldText{"spec.traffic[].pattern",
                "pair: the first pod of one node to another's; ring: every node to the next; "
                "all-to-all; incast: every node to the first pod of the first; permutation: every "
                "pod sends to one other and receives from one, at random; hot-spot: a share of "
                "the flows goes to the first node, each other one to a random node."},
      FieldText{"spec.traffic[].podsPerNode",
                "How many pods of each node take part; 1 by default. Not for pair."},
      FieldText{"spec.traffic[].hotShare",
                "For hot-spot: the share of the flows from other nodes that goes to the first "
                "node; 0.5 by default."},
      FieldText{"spec.traffic[].zones",
                "For pair: nodes of the same zone, of different ones, or "
                "any."},
      FieldText{"spec.traffic[].from",
                "From pods (the default), or from their nodes' own network (hostNetwork): without "
                "a veth, from the address of the device that leads to the receiver."},
      FieldText{"spec.traffic[].to",
                "To the pods themselves (the default), to a Service in front of them, or to their "
                "nodes' own network (hostNetwork)."},
      FieldText{"spec.traffic[].flows",
                "Flows for each pair of pods, for hot-spot from each pod; 1 by default."},
      FieldText{"spec.traffic[].rate", "Application payload of each flow, while it sends."},
      FieldText{"spec.traffic[].payloadBytes", "Bytes of each datagram's payload."},
      FieldText{"spec.traffic[].dontFragment",
                "Whether the sender sets DF (IP_PMTUDISC_DO); by default large datagrams are "
                "fragmented, as Linux does."},
      FieldText{"spec.traffic[].arrivals",
                "When datagrams leave: at even intervals (constant, the default) or as a Poisson "
                "process of the same rate."},
      FieldText{
          "spec.traffic[].onTime",
          "With offTime: a flow sends for this long on average, then is silent; not shorter than "
          "a datagram's share of the rate."},
      FieldText{"spec.traffic[].offTime", "How long it is silent on average."},
      FieldText{"spec.traffic[].onOffDistribution",
                "Whether onTime and offTime are means of exponential distributions (the default) "
                "or fixed."},
      FieldText{"spec.traffic[].windowBytes", "The TCP receive window."},
      FieldText{"spec.traffic[].mtuProbing",
                "net.ipv4.tcp_mtu_probing: 0 never (the default), 1 once a black hole is "
                "suspected (the default of Cilium's shoots), 2 from the start."},
      FieldText{"spec.traffic[].congestionControl",
                "The algorithm of both ends, as net.ipv4.tcp_congestion_control names it: cubic "
                "(the default) or reno (NewReno)."},
      FieldText{"spec.traffic[].connections",
                "keep-alive (the default): one connection lasts; per-request: each request or "
                "transfer opens one, from the next source port, and closes it."},
      FieldText{"spec.traffic[].transferBytes",
                "Payload of a transfer; without it and sizes a flow sends until the end."},
      FieldText{"spec.traffic[].sizes", "Instead of transferBytes: sizes that vary."},
      FieldText{
          "spec.traffic[].sizes.distribution",
          "fixed; exponential; pareto: heavy-tailed, cut off at cap; lognormal; or empirical: "
          "as points say."},
      FieldText{"spec.traffic[].sizes.mean",
                "The mean size in bytes; empirical has that of its points."},
      FieldText{"spec.traffic[].sizes.shape",
                "Of pareto, 1.05 to 10: the smaller, the heavier the tail."},
      FieldText{"spec.traffic[].sizes.cap", "Of pareto: the largest size in bytes."},
      FieldText{"spec.traffic[].sizes.sigma",
                "Of lognormal, 0.01 to 3: the standard deviation of the size's natural logarithm."},
      FieldText{"spec.traffic[].sizes.points",
                "Of empirical: points of the distribution function, which is straight between "
                "them."},
      FieldText{"spec.traffic[].sizes.points[]", "A point; both fields rise from one to the next."},
      FieldText{"spec.traffic[].sizes.points[].bytes", "A size."},
      FieldText{"spec.traffic[].sizes.points[].cumulative",
                "The share of transfers that is not larger; the last one's is 100%."},
      FieldText{"spec.traffic[].gap",
                "Mean time from the end of a transfer to the beginning of the next; without it "
                "there is one transfer."},
      FieldText{"spec.traffic[].gapDistribution",
                "Whether gap is the mean of an exponential distribution (the default) or fixed."},
      FieldText{"spec.traffic[].requestBytes", "Bytes of a request."},
      FieldText{"spec.traffic[].responseBytes", "Bytes of a response."},
      FieldText{"spec.traffic[].protocol",
                "request-response: tcp (the default), or udp, where each message is a datagram."},
      FieldText{"spec.traffic[].thinkTime", "Pause between a response and the next request."},
      FieldText{"spec.traffic[].timeout",
                "After this time without a response a client gives its request up and asks again, "
                "over TCP by another connection; 1s by default over UDP, and none over TCP."},
      FieldText{"spec.migration",
                "A switch of the shoot's pod network, which `overlane migrate` simulates; then the "
                "scenario has neither traffic nor events."},
      FieldText{"spec.migration.to",
                "The dataplane mode to switch to, as migrate --to: routed, ipip, vxlan or geneve."},
      FieldText{"spec.migration.strategies",
                "Strategies to compare: names, such as today, or MigrationStrategy files; all that "
                "suit the switch by default."},
      FieldText{"spec.migration.strategies[]", "A name or a file."},
      FieldText{"spec.migration.timing",
                "How long components take, by the parameters of "
                "docs/reference/migration-timing.md: aws.call: 500ms."},
      FieldText{"spec.migration.runs",
                "How often each strategy runs, each time with another seed; 10 by default."},
      FieldText{
          "spec.migration.disturb",
          "What happens in the middle of the switch: rollback@120s (the Shoot is changed back "
          "after this time), scale-up@120s (a node joins), worker-roll@0s (all machines are "
          "replaced) or hibernate@0s (and woken up later)."},
      FieldText{"spec.migration.maxOutage",
                "The longest outage of a connection that counts as a go; 0 by default."},
      FieldText{"spec.concurrent",
                "Whether all traffic runs at once (the default), or each group in a run of its "
                "own."},
      FieldText{"spec.duration", "Simulated time; 100ms by default."},
      FieldText{"spec.warmup",
                "What is not counted at the beginning; a tenth by default. auto finds out, by "
                "running everything twice, from when on the goodput is steady."},
      FieldText{"spec.startSpread",
                "Flows start at random moments within this time, which is no longer than the "
                "duration; 1ms by default, a tenth of a duration below 10ms."},
      FieldText{"spec.repetitions",
                "How often each variant runs, each time with another seed; 1 by default. Figures "
                "get their mean and a confidence interval."},
      FieldText{"spec.seed", "Of every random stream; --seed wins."},
  };
  return kTexts;
}

std::span<const FieldText> migration_strategy_texts() {
  static constexpr std::array kTexts = {
      FieldText{"spec", "What is done, and in which order."},
      FieldText{"spec.summary", "What is special about this order, in a few words."},
      FieldText{"spec.steps",
                "In order: protect-node-conditions (calico-node is kept from marking nodes as "
                "unavailable), create-routes (cloud routes are written by hand), change-shoot, "
                "wait-for-routes (the Network waits until every node has its cloud route), "
                "delete-pods (all pods of the CNI's agent are deleted by hand)."},
      FieldText{"spec.steps[]", "A step."},
      FieldText{"spec.maxUnavailable",
                "How many pods of the CNI's agent are replaced at a time; 2 by default, as the "
                "charts have it."},
  };
  return kTexts;
}

}  // namespace overlane::command
