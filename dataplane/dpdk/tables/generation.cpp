#include "dataplane/dpdk/tables/generation.h"

namespace overlane::dpdk {

Parsed<std::shared_ptr<const Generation>> generation(std::shared_ptr<const node::NodeState> state) {
  auto compiled = adjacency::compile(std::move(state));
  auto lpm = Lpm::make(compiled.classes);
  if (!lpm) return fail(lpm.error());
  adjacency::Ipv6Finder ipv6(compiled.classes);
  adjacency::PrefixFinder all_classes(compiled.classes);
  auto links =
      std::make_unique<adjacency::LinkHeaders>(compiled.next_hops.size(), compiled.has_neighbours);
  return std::make_shared<const Generation>(Generation{std::move(compiled), std::move(*lpm),
                                                       std::move(ipv6), std::move(all_classes),
                                                       std::move(links)});
}

}  // namespace overlane::dpdk
