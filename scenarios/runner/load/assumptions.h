#pragma once

#include <string>
#include <vector>

#include "results/model/run_report.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::runner {

// Values that no given document sets. A run reports each with its value, plausible range, source
// and tag, so that readers can judge the result.

/// Collects the values that no given document sets.
class Assumptions {
 public:
  Assumptions() = default;
  /// Starts with the shoot's assumed values that all variants share: ranges, sizes and link MTU
  /// (not results of a variant's configuration), and IPv6 ranges.
  Assumptions(const effective::EffectiveDataplane& shoot,
              const std::vector<model::Assumption>& ranges)
      : list_(ranges) {
    for (const effective::Reason& reason : shoot.reasons) {
      const bool of_variant =
          reason.field.starts_with("dataplane") && reason.field != "dataplane.link_mtu";
      if (reason.assumed && !of_variant) {
        add(std::string(reason.field), reason.value, "",
            fmt::format("{} ({})", reason.because, reason.source), "default");
      }
    }
  }

  void add(std::string parameter, std::string value, std::string range, std::string source,
           std::string tag) {
    list_.push_back({std::move(parameter), std::move(value), std::move(range), std::move(source),
                     std::move(tag)});
  }

  const std::vector<model::Assumption>& list() const { return list_; }

 private:
  std::vector<model::Assumption> list_;
};

/// The profile of the provider that the documents name.
const provider::Profile& provider_profile(const manifest::PodNetworkSpec& spec);

/// Adds IPv6 ranges to the shoot's status if the cloud chooses them and no document gives them, as
/// the cloud's controller would: from the documentation prefix (RFC 3849). Returns the assumptions;
/// none for providers that do not choose ranges.
std::vector<model::Assumption> assume_ipv6_ranges(manifest::PodNetworkSpec& spec);

}  // namespace overlane::runner
