#include <array>

#include "tools/overlane/field_texts.h"

namespace overlane::command {

std::span<const FieldText> header_texts() {
  static constexpr std::array kTexts = {
      FieldText{"apiVersion", "The release of this file's format."},
      FieldText{"kind", "What the file holds."},
      FieldText{"metadata", "What the file is called."},
      FieldText{"metadata.name", "The name in results and messages."},
      FieldText{"metadata.labels", "For your own use."},
      FieldText{"metadata.annotations", "For your own use."},
  };
  return kTexts;
}

std::span<const FieldText> scenario_texts() {
  static constexpr std::array kTexts = {
      FieldText{"spec", "What is run, and for how long."},
      FieldText{"spec.topology", "A Topology file, relative to this file."},
      FieldText{"spec.manifests", "Instead of a topology: files with Shoots or Networks."},
      FieldText{"spec.manifests[]", "A file or folder, relative to this file."},
      FieldText{"spec.shoot", "namespace/name of the shoot, when there are several."},
      FieldText{"spec.costProfile",
                "What CPU time costs: a CostProfile of the library, such as linux-server, or a "
                "file. Without it CPU time is free."},
      FieldText{"spec.variants", "The ways to run the shoot. Without them, as written."},
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
                "What the ways between nodes carry where that is less than the links' MTU; else "
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
                "What the ways between nodes carry where that is less than the links' MTU; else "
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
}  // namespace overlane::command

std::span<const FieldText> topology_texts() {
  static constexpr std::array kTexts = {
      FieldText{"spec", "What exists; what is left out keeps the provider's default."},
      FieldText{"spec.vpcs", "Exactly one VPC."},
      FieldText{"spec.vpcs[]", "A VPC."},
      FieldText{"spec.vpcs[].name", "The name that shoots refer to."},
      FieldText{"spec.vpcs[].provider", "aws, gcp, azure, openstack, alicloud, metal, local …"},
      FieldText{"spec.vpcs[].mtu", "The largest IP packet of a link, in bytes."},
      FieldText{"spec.vpcs[].zones", "The zones that nodes are spread over."},
      FieldText{"spec.vpcs[].zones[]", "A zone's name."},
      FieldText{"spec.vpcs[].routeQuota", "How many routes a route table holds."},
      FieldText{"spec.vpcs[].singleFlowCap",
                "What the cloud lets one flow have, or none; on AWS 5Gbit/s by default."},
      FieldText{"spec.vpcs[].pathMtu",
                "What the ways between nodes carry where that is less than the links' MTU."},
      FieldText{"spec.vpcs[].pathMtu.withinZone", "The largest IP packet within a zone, in bytes."},
      FieldText{"spec.vpcs[].pathMtu.acrossZones",
                "The largest IP packet from one zone to another, in bytes."},
      FieldText{"spec.vpcs[].pathMtu.tooBig",
                "What becomes of a larger packet with DF: it is dropped and its sender told by "
                "ICMP (the default), or not."},
      FieldText{"spec.vpcs[].deny",
                "What a packet filter between the nodes drops, by the outermost header."},
      FieldText{"spec.vpcs[].deny[]", "Packets that are dropped, whichever way they go."},
      FieldText{"spec.vpcs[].deny[].protocol", "Their IP protocol; ipip is number 4."},
      FieldText{"spec.vpcs[].deny[].port", "Of tcp and udp: the destination port; else all."},
      FieldText{"spec.vpcs[].deny[].type", "Of icmp and icmpv6: the message's type; else all."},
      FieldText{"spec.vpcs[].deny[].code", "With type: the code; else all."},
      FieldText{"spec.vpcs[].racks",
                "A leaf-spine fabric: nodes stand in racks, which share links to spines."},
      FieldText{"spec.vpcs[].racks.nodesPerRack",
                "How many nodes share a leaf; racks are filled in order and never span zones."},
      FieldText{"spec.vpcs[].racks.spines", "How many spines each zone has."},
      FieldText{"spec.vpcs[].racks.uplink",
                "The rate of each link between a leaf and a spine, both ways."},
      FieldText{"spec.vpcs[].racks.queue", "Packets that wait for each of them; 1000 by default."},
      FieldText{"spec.vpcs[].latency", "How long a packet is on its way through the fabric."},
      FieldText{"spec.vpcs[].latency.withinZone", "One way within a zone."},
      FieldText{"spec.vpcs[].latency.acrossZones", "One way between two zones."},
      FieldText{"spec.shoots", "Exactly one shoot."},
      FieldText{"spec.shoots[]", "A shoot in a VPC."},
      FieldText{"spec.shoots[].manifest",
                "A file with the Shoot or Network, relative to this file."},
      FieldText{"spec.shoots[].shoot", "namespace/name, when the manifest holds several."},
      FieldText{"spec.shoots[].vpc", "The VPC that it is in."},
      FieldText{"spec.shoots[].nodes",
                "How many nodes; the sum of the workers' minimum by default."},
      FieldText{"spec.shoots[].services", "How many Services the cluster has; 100 by default."},
      FieldText{"spec.shoots[].podsPerNode", "How many pods each node has."},
      FieldText{"spec.shoots[].wire",
                "What joins the nodes: nic (the default), or veth for nodes that are network "
                "namespaces of one machine."},
      FieldText{"spec.shoots[].kernel",
                "The nodes' kernel, by a name of the cost profile; the profile's own by default."},
      FieldText{"spec.shoots[].machine",
                "What each node has; with wire veth, what all of them share."},
      FieldText{"spec.shoots[].machine.cores", "CPUs as Linux counts them: hardware threads."},
      FieldText{"spec.shoots[].machine.threadsPerCore",
                "Hardware threads that share a core, 1 (the default) or 2."},
      FieldText{"spec.shoots[].machine.nic", "Speed of the network interface."},
      FieldText{"spec.shoots[].machine.receiveRing",
                "Packets that one receive queue of the NIC holds (ethtool -g); 1024 by default."},
      FieldText{"spec.shoots[].machine.interruptGap",
                "Between two interrupts of one queue at least (ethtool -c); 8us by default."},
      FieldText{"spec.shoots[].machine.udp4Rss",
                "What the NIC hashes of UDP packets: addresses and ports (4tuple, the default), or "
                "addresses only."},
      FieldText{"spec.shoots[].machine.rps",
                "Receive packet steering over all cores (rps_cpus); false by default."},
      FieldText{"spec.shoots[].machine.offloads",
                "What the NIC and its driver do, as ethtool -k names it; the provider's usual "
                "NIC's by default."},
      FieldText{"spec.shoots[].machine.offloads.generic-segmentation-offload",
                "TCP hands up to 64 KiB down the stack as one buffer."},
      FieldText{"spec.shoots[].machine.offloads.tcp-segmentation-offload",
                "The NIC cuts such buffers."},
      FieldText{"spec.shoots[].machine.offloads.tx-ipxip4-segmentation",
                "It does so inside IP-in-IP."},
      FieldText{"spec.shoots[].machine.offloads.tx-udp_tnl-segmentation",
                "It does so inside VXLAN and Geneve."},
      FieldText{"spec.shoots[].machine.offloads.generic-receive-offload",
                "A poll merges what it finds of one stream."},
      FieldText{"spec.shoots[].machine.bandwidth",
                "What the cloud lets an instance send, and receive, in the long run."},
      FieldText{"spec.shoots[].machine.bandwidth.baseline", "The rate."},
      FieldText{"spec.shoots[].machine.bandwidth.burst",
                "How long it may go at the NIC's rate first; 0 by default."},
      FieldText{"spec.shoots[].machine.packets",
                "How many packets the cloud lets it send, and receive."},
      FieldText{"spec.shoots[].machine.packets.perSecond", "In the long run."},
      FieldText{"spec.shoots[].machine.packets.burst", "At once; 1 by default."},
  };
  return kTexts;
}

std::span<const FieldText> cost_profile_texts() {
  static constexpr std::array kTexts = {
      FieldText{"spec", "What each stage of the kernel's packet path takes."},
      FieldText{"spec.description", "The machine and the kernel that it stands for."},
      FieldText{"spec.latency",
                "One way between two such hosts, where it was fitted together with the stages."},
      FieldText{"spec.kernel", "The kernel that the stages' costs are of."},
      FieldText{"spec.kernels", "What other kernels of the same hosts take."},
      FieldText{"spec.kernels[]", "One kernel."},
      FieldText{"spec.kernels[].name", "As measurement tables name it."},
      FieldText{"spec.kernels[].scale", "A multiple of every stage's costs."},
      FieldText{"spec.stages", "Every stage; a stage without costs is free."},
      FieldText{"spec.stages.*", "A stage's costs, which are added up."},
      FieldText{"spec.stages.*.nanoseconds",
                "Each time: connection, system-call, interrupt, wake-up, sleep …"},
      FieldText{"spec.stages.*.perSkbNanoseconds", "For each socket buffer."},
      FieldText{"spec.stages.*.perPacketNanoseconds", "For each packet on the wire."},
      FieldText{"spec.stages.*.perByteNanoseconds", "For each byte of it."},
      FieldText{"spec.stages.*.source", "Where the figures come from."},
      FieldText{"spec.ipv6", "What stages take for IPv6 packets, where they differ from IPv4's."},
      FieldText{"spec.ipv6.netfilter", "ip6tables' chains and connection tracking."},
      FieldText{"spec.ipv6.fib", "The look-up of an IPv6 route."},
      FieldText{"spec.ipv6.*.perSkbNanoseconds", "For each socket buffer."},
      FieldText{"spec.ipv6.*.perPacketNanoseconds", "For each packet on the wire."},
      FieldText{"spec.ipv6.*.perByteNanoseconds", "For each byte of it."},
      FieldText{"spec.ipv6.*.source", "Where the figures come from."},
  };
  return kTexts;
}

std::span<const FieldText> network_provider_texts() {
  static constexpr std::array kTexts = {
      FieldText{"spec", "What the network extension does with a shoot."},
      FieldText{"spec.type", "The networking.type that this file is about."},
      FieldText{"spec.configVersions",
                "The apiVersions of its NetworkConfig; another one is an error."},
      FieldText{"spec.configVersions[]", "group/version"},
      FieldText{"spec.fields",
                "The fields of its NetworkConfig; others are errors. The block "
                "overlay is always known."},
      FieldText{"spec.fields[]", "A field of the NetworkConfig."},
      FieldText{"spec.fields[].path", "From the NetworkConfig's root, such as ipam.cidr."},
      FieldText{"spec.fields[].type", "What it holds; block: anything. string by default."},
      FieldText{"spec.fields[].values", "The only values that are allowed."},
      FieldText{"spec.fields[].values[]", "A value as written."},
      FieldText{"spec.fields[].default", "What the extension takes when it is not given."},
      FieldText{"spec.mtuField",
                "The field that sets the pods' MTU; without it, it is the link's "
                "less the overhead."},
      FieldText{"spec.nodeAgent", "Whose devices and routes a node gets."},
      FieldText{"spec.replacesKubeProxy",
                "Whether it routes services when kube-proxy is disabled; if not, such a shoot is "
                "refused."},
      FieldText{"spec.masquerade", "What pods' packets to addresses of no pod leave under."},
      FieldText{"spec.masquerade.enabled",
                "Whether they take their node's address; true by default."},
      FieldText{"spec.masquerade.exceptNodes", "But not towards nodes; false by default."},
      FieldText{"spec.rows", "The first row whose conditions all hold decides."},
      FieldText{"spec.rows[]", "What happens under some conditions."},
      FieldText{"spec.rows[].name", "The row's name in explanations."},
      FieldText{"spec.rows[].when",
                "Conditions: a field of the NetworkConfig, or overlay.enabled, "
                "overlay.createPodRoutes, shoot.provider, shoot.ipFamily, shoot.kubeProxy, and the "
                "value it must have; what is not there is \"absent\"."},
      FieldText{"spec.rows[].dataplane", "What pods get."},
      FieldText{"spec.rows[].dataplane.mode", "Through a tunnel between nodes, or routed."},
      FieldText{"spec.rows[].dataplane.encapsulation", "The tunnel's; none when routed."},
      FieldText{"spec.rows[].dataplane.crossSubnet",
                "Whether only packets to other subnets are "
                "encapsulated."},
      FieldText{"spec.rows[].dataplane.backend", "What makes routes and tunnels on a node."},
      FieldText{"spec.rows[].dataplane.routesBy",
                "Who makes routes to pods of other nodes; without an overlay the provider's own by "
                "default."},
      FieldText{"spec.rows[].dataplane.encryption", "Encryption between nodes."},
      FieldText{"spec.rows[].dataplane.overheadBytes",
                "What the encapsulation adds to an IP packet."},
      FieldText{"spec.rows[].because", "The reason that explanations give."},
  };
  return kTexts;
}

}  // namespace overlane::command
