#pragma once

#include "topologies/cni/extension/profile.h"

namespace overlane::calico {

// Calico as Gardener installs it: gardener-extension-networking-calico renders Calico's chart
// from a shoot's NetworkConfig, and calico-node (Felix and BIRD) configures each node from it.
// The folder follows that order: config.h decodes the NetworkConfig, dataplane.h decides what
// the chart makes of it, rule_tables.h lists what admission refuses and what misbehaves, node.h
// gives the devices, routes and filters of a node, live.h compares a running cluster. Only the
// profile is used from outside.

/// gardener-extension-networking-calico.
extern const cni::Profile kCalico;

}  // namespace overlane::calico
