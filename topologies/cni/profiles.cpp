#include "topologies/cni/profiles.h"

#include <algorithm>
#include <cassert>

#include "topologies/cni/calico/calico.h"
#include "topologies/cni/cilium/cilium.h"

namespace overlane::cni {

std::span<const Profile* const> profiles() {
  static constexpr const Profile* kProfiles[] = {&calico::kCalico, &cilium::kCilium};
  return kProfiles;
}

const Profile& profile_of(effective::NodeAgent agent) {
  const auto profile = std::ranges::find(profiles(), agent, &Profile::agent);
  assert(profile != profiles().end());
  return **profile;
}

const Profile* find_profile(std::string_view network_type) {
  const auto profile = std::ranges::find(profiles(), network_type, &Profile::type);
  return profile == profiles().end() ? nullptr : *profile;
}

}  // namespace overlane::cni
