#include <array>

#include "tools/overlane/schema/json_schema.h"

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
      FieldText{"spec.vpcs[].foreignRoutes",
                "Routes of others in every table of the shoot's subnets: they count against the "
                "quota, and attract packets to what they cover."},
      FieldText{"spec.vpcs[].foreignRoutes[]", "One route."},
      FieldText{"spec.vpcs[].foreignRoutes[].destination", "Its destination, a CIDR."},
      FieldText{"spec.vpcs[].foreignRoutes[].leadsTo",
                "instance: one of another owner (the default); blackhole: its target is gone."},
      FieldText{"spec.vpcs[].singleFlowCap",
                "What the cloud lets one flow have, or none; on AWS 5Gbit/s by default."},
      FieldText{"spec.vpcs[].pathMtu",
                "What the paths between nodes carry where that is less than the links' MTU."},
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
                "A file with the Shoot or Network, relative to this file, or the name of a Shoot "
                "of the library."},
      FieldText{"spec.shoots[].shoot", "namespace/name, when the manifest holds several."},
      FieldText{"spec.shoots[].vpc", "The VPC that it is in."},
      FieldText{"spec.shoots[].nodes",
                "How many nodes; the sum of the workers' minimum by default."},
      FieldText{"spec.shoots[].services", "How many Services the cluster has; 100 by default."},
      FieldText{"spec.shoots[].podsPerNode", "How many pods each node has."},
      FieldText{"spec.shoots[].wire",
                "What joins the nodes: nic, veth for nodes that are network namespaces of one "
                "machine, or virtio for virtual machines whose hypervisor serves their queues; "
                "the provider's usual one by default."},
      FieldText{"spec.shoots[].kernel",
                "The nodes' kernel, by a name of the cost profile; the profile's own by default."},
      FieldText{"spec.shoots[].machine",
                "What each node has; with wire veth, what all of them share."},
      FieldText{"spec.shoots[].machine.cores", "CPUs as Linux counts them: hardware threads."},
      FieldText{"spec.shoots[].machine.threadsPerCore",
                "Hardware threads that share a core, 1 (the default) or 2."},
      FieldText{"spec.shoots[].machine.nic", "Speed of the network interface."},
      FieldText{"spec.shoots[].machine.queues",
                "Receive queues of the NIC, the first cores' (ethtool -l); with wire virtio 1 by "
                "default, else one for each core."},
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
      FieldText{"spec.hosts",
                "Where the costs are a mean: the profiles of its hosts, by their names in the "
                "library or their paths. Comparisons get a range over them."},
      FieldText{"spec.hosts[]", "One of them."},
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

std::span<const FieldText> routing_domains_texts() {
  static constexpr std::array kTexts = {
      FieldText{"spec", "What is declared; what is left out is not known."},
      FieldText{"spec.projects", "Accounts, projects and subscriptions."},
      FieldText{"spec.projects[]", "One of them."},
      FieldText{"spec.projects[].name", "A name of your own, for networks to refer to."},
      FieldText{"spec.projects[].provider", "The cloud that it is of."},
      FieldText{"spec.projects[].credentials",
                "The credentials bindings or secret bindings of shoots that lead into it."},
      FieldText{"spec.projects[].credentials[]", "namespace/name"},
      FieldText{"spec.networks", "Networks that shoots share, and what else is in them."},
      FieldText{"spec.networks[]", "A network; in several files it counts as one."},
      FieldText{"spec.networks[].provider", "The cloud; of others name a shoot."},
      FieldText{"spec.networks[].network",
                "The VPC's id (aws, alicloud), the network's name (gcp), the vnet's name (azure) "
                "or the router's id (openstack)."},
      FieldText{"spec.networks[].resourceGroup", "azure: the vnet's resource group."},
      FieldText{"spec.networks[].project",
                "The project of spec.projects that it is in; names of gcp and azure are one "
                "network's only within one."},
      FieldText{"spec.networks[].shoot",
                "Instead of all that: the network that this shoot is in, namespace/name."},
      FieldText{"spec.networks[].ranges",
                "Its real ranges: primary and secondary CIDRs, subnets of others than shoots."},
      FieldText{"spec.networks[].ranges[]", "A range."},
      FieldText{"spec.networks[].ranges[].cidr", "A network in CIDR notation, without host bits."},
      FieldText{"spec.networks[].ranges[].purpose", "What it is, for messages."},
      FieldText{"spec.networks[].routeQuota",
                "How many routes one table, network or router may hold; the provider's usual "
                "number by default."},
      FieldText{"spec.networks[].otherRoutes",
                "How many routes each table holds that lead to no shoot's node; the provider's own "
                "by default."},
      FieldText{"spec.networks[].foreignRoutes",
                "Those among its routes to no shoot's node whose destinations are known, beside "
                "otherRoutes: they count against the quota, and overlap with ranges of shoots."},
      FieldText{"spec.networks[].foreignRoutes[]", "A route."},
      FieldText{"spec.networks[].foreignRoutes[].destination",
                "Its destination in CIDR notation, without host bits."},
      FieldText{"spec.networks[].foreignRoutes[].purpose", "Whose it is, for messages."},
      FieldText{"spec.networks[].routeTables",
                "aws, azure, alicloud: tables that route subnets that were brought along."},
      FieldText{"spec.networks[].routeTables[]", "A route table."},
      FieldText{"spec.networks[].routeTables[].name", "Its id or name, for messages."},
      FieldText{"spec.networks[].routeTables[].subnets", "The subnets whose nodes it routes."},
      FieldText{"spec.networks[].routeTables[].subnets[]",
                "An id or name, as the shoot's infrastructureConfig gives it."},
      FieldText{"spec.connections",
                "What joins networks with each other, or with ranges beyond them."},
      FieldText{"spec.connections[]", "A connection."},
      FieldText{"spec.connections[].name", "A name of your own, for messages."},
      FieldText{"spec.connections[].kind",
                "What it is; a peering joins two networks and leads no further."},
      FieldText{"spec.connections[].carriesPodRoutes",
                "Whether routes to pods are announced over it; false by default."},
      FieldText{"spec.connections[].networks", "The networks at its ends."},
      FieldText{"spec.connections[].networks[]", "One of them."},
      FieldText{"spec.connections[].networks[].provider", "The cloud; of others name a shoot."},
      FieldText{"spec.connections[].networks[].network",
                "The VPC's id (aws, alicloud), the network's name (gcp), the vnet's name (azure) "
                "or the router's id (openstack)."},
      FieldText{"spec.connections[].networks[].resourceGroup", "azure: the vnet's resource group."},
      FieldText{"spec.connections[].networks[].project",
                "The project of spec.projects that it is in; names of gcp and azure are one "
                "network's only within one."},
      FieldText{"spec.connections[].networks[].shoot",
                "Instead of all that: the network that this shoot is in, namespace/name."},
      FieldText{"spec.connections[].ranges",
                "What else is reached over it, such as on-premises networks."},
      FieldText{"spec.connections[].ranges[]", "A range."},
      FieldText{"spec.connections[].ranges[].cidr",
                "A network in CIDR notation, without host bits."},
      FieldText{"spec.connections[].ranges[].purpose", "What it is, for messages."},
      FieldText{"spec.reserved", "Ranges that the landscape uses itself, in every network."},
      FieldText{"spec.reserved[]", "A range."},
      FieldText{"spec.reserved[].cidr", "A network in CIDR notation, without host bits."},
      FieldText{"spec.reserved[].purpose", "What it is, for messages."},
  };
  return kTexts;
}

}  // namespace overlane::command
