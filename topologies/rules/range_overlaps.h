#pragma once

#include "topologies/effective/network_inputs.h"
#include "topologies/rules/rule.h"

namespace overlane::rules {

/// A finding of the running rule for every two of a shoot's ranges that overlap. IPv6 ranges of the
/// status are left out: aws and gcp report the range of the VPC or subnet, which nodes and pods
/// share.
void report_overlaps(const effective::NetworkInputs& in, RuleReport& report);

}  // namespace overlane::rules
