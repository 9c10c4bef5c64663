#pragma once

#include <string_view>
#include <vector>

#include "dataplane/net/prefix.h"
#include "topologies/effective/families.h"
#include "topologies/manifest/spec/cluster_spec.h"

namespace overlane::effective {

enum class RangeRole { Pods, Services, Nodes };
/// Where a range stands: in the spec, in `status.networking`, or among a seed's shootDefaults.
enum class RangeOrigin { Spec, Status, Seed };

std::string_view to_string(RangeRole);

/// One of a shoot's ranges as a document gives it.
struct GivenRange {
  RangeRole role = RangeRole::Pods;
  RangeOrigin origin = RangeOrigin::Spec;
  const manifest::Located<IpPrefix>* given = nullptr;  ///< A part of the shoot's PodNetworkSpec.

  const IpPrefix& value() const { return given->value; }
};

/// The ranges that a shoot uses as far as documents say, role by role, those of its first family
/// first. What the spec gives counts; the status adds what the spec is silent about (in dual-stack
/// only the status knows the second range); a seed's default stands for what both leave out, where
/// it is of the shoot's first family (gardener/gardener plugin/pkg/shoot/mutator/admission.go).
/// They refer to `spec`.
std::vector<GivenRange> given_ranges(const manifest::PodNetworkSpec& spec,
                                     const Families& families);

}  // namespace overlane::effective
