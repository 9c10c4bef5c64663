#pragma once

#include <cstdint>

#include "scenarios/migration/inputs/transition.h"

namespace overlane::migration {

// Blocks that calico-ipam allocates after a switch from host-local IPAM. calico-ipam does not know
// the nodes' pod CIDRs: each node claims blocks (/26) of the whole pod range, beginning at an index
// that depends on its host name (libcalico-go, lib/ipam/ipam_block_reader_writer.go,
// randomBlockGenerator). Felix then has a route to each block by the tunnel, on every node. Where a
// block lies in the pod CIDR of another node, packets for pods there that host-local gave their
// addresses go to the node of the block, until those pods are made again.

/// How many blocks a node claims at most: one holds 64 addresses.
std::uint32_t blocks_per_node(const Transition& transition);

/// How many of the nodes that are there in the beginning have a pod CIDR in which another node, or
/// the node itself, claims a block; drawn by the seed. 0 where IPAM does not change.
std::uint32_t nodes_with_foreign_blocks(const Transition& transition, std::uint64_t seed);

/// The probability that there is such a node, from 0 to 1.
double probability_of_foreign_blocks(const Transition& transition);

}  // namespace overlane::migration
