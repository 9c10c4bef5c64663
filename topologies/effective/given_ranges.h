#pragma once

#include <string_view>
#include <vector>

#include "dataplane/net/prefix.h"
#include "topologies/effective/families.h"
#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::effective {

enum class RangeRole { Pods, Services, Nodes };
/// Which document part gives a range: the spec, `status.networking`, or a seed's shootDefaults.
enum class RangeOrigin { Spec, Status, Seed };

std::string_view to_string(RangeRole);

/// A range that a document gives for a shoot.
struct GivenRange {
  RangeRole role = RangeRole::Pods;
  RangeOrigin origin = RangeOrigin::Spec;
  const manifest::Located<IpPrefix>* given = nullptr;  ///< A part of the shoot's PodNetworkSpec.

  const IpPrefix& value() const { return given->value; }
};

/// The ranges of a shoot that documents give, by role, the first family first. The spec takes
/// precedence; the status fills gaps (in dual-stack only the status has the second range); a seed's
/// default of the shoot's first family fills what both lack (gardener/gardener
/// plugin/pkg/shoot/mutator/admission.go). They refer to `spec`.
std::vector<GivenRange> given_ranges(const manifest::PodNetworkSpec& spec,
                                     const Families& families);

}  // namespace overlane::effective
