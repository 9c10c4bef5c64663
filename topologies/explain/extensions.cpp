#include "topologies/explain/extensions.h"

#include <algorithm>
#include <array>

#include "topologies/cni/calico/calico.h"
#include "topologies/cni/cilium/cilium.h"

namespace overlane::explain {

std::span<const effective::NetworkExtension* const> network_extensions() {
  static const calico::Extension kCalico;
  static const cilium::Extension kCilium;
  static const std::array<const effective::NetworkExtension*, 2> kAll = {&kCalico, &kCilium};
  return kAll;
}

const effective::NetworkExtension* extension_of(std::string_view type) {
  const auto all = network_extensions();
  const auto found = std::ranges::find_if(
      all, [&](const effective::NetworkExtension* one) { return one->type() == type; });
  return found == all.end() ? nullptr : *found;
}

}  // namespace overlane::explain
