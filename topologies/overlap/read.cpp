#include "topologies/overlap/read.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <tuple>
#include <utility>

#include "topologies/domains/merge.h"
#include "topologies/explain/extensions.h"
#include "topologies/manifest/manifest_set.h"
#include "topologies/overlap/cluster_nodes.h"

namespace overlane::overlap {
namespace {

std::vector<Shoot> read_shoots(const document::Stream& stream,
                               const explain::DeriveOptions& options, unsigned threads,
                               Findings& findings) {
  std::vector<Shoot> shoots;
  const auto work = [&](const manifest::ClusterSpec& spec) {
    const auto shoot = std::make_shared<Shoot>(describe_shoot(spec, options));
    return [&shoots, shoot] { shoots.push_back(std::move(*shoot)); };
  };
  const manifest::Leftover rest =
      manifest::decode_each(stream, manifest::Detail::Summary, work, threads);
  findings.insert(findings.end(), rest.findings.begin(), rest.findings.end());
  return shoots;
}

bool precedes(const Shoot& a, const Shoot& b) {
  return std::tie(a.object.namespace_, a.object.name, a.landscape) <
         std::tie(b.object.namespace_, b.object.name, b.landscape);
}

/// Whether two shoots of one name may be one shoot that is given twice.
bool may_be_one(const Shoot& a, const Shoot& b) {
  const auto uses = [](const Range& range) { return std::pair(range.role, range.cidr); };
  return b.candidate == a.candidate && a.network.key == b.network.key &&
         std::ranges::equal(a.ranges, b.ranges, {}, uses, uses);
}

/// Of shoots of one name, a candidate counts instead of the others, and of equal ones the first.
/// Others are taken to be of several landscapes, which their files stand for.
void tell_apart(std::vector<Shoot>& shoots) {
  std::ranges::stable_sort(shoots, precedes);
  std::vector<Shoot> told;
  for (Shoot& shoot : shoots) {
    const bool repeats = !told.empty() && !precedes(told.back(), shoot) &&
                         (told.back().candidate || may_be_one(told.back(), shoot));
    if (repeats) continue;
    told.push_back(std::move(shoot));
  }
  for (std::size_t i = 1; i < told.size(); ++i)
    if (told[i].object.qualified() == told[i - 1].object.qualified() && told[i].landscape.empty())
      told[i].landscape = told[i].place.file.str();
  for (Shoot& shoot : told)
    if (!shoot.network.shared && !shoot.landscape.empty())
      shoot.network.key += '@' + shoot.landscape;
  std::ranges::stable_sort(told, precedes);
  shoots = std::move(told);
}

}  // namespace

Inventory read_inventory(std::vector<Landscape> landscapes,
                         std::vector<domains::DeclarationFile> declared,
                         const explain::DeriveOptions& options, unsigned threads) {
  Inventory inventory;
  inventory.landscape_reserved = options.landscape.reserved_ranges;
  inventory.route_quotas = options.landscape.route_quotas;
  explain::DeriveOptions asked = options;
  for (Landscape& landscape : landscapes) {
    std::vector<Shoot> shoots;
    std::vector<ClusterNode> nodes;
    for (document::Stream* stream : {&landscape.candidates, &landscape.documents}) {
      explain::take_network_providers(*stream, asked.described);
      domains::take_declarations(*stream, declared);
      std::ranges::move(take_nodes(*stream), std::back_inserter(nodes));
      std::vector<Shoot> some = read_shoots(*stream, asked, threads, inventory.findings);
      for (Shoot& shoot : some) {
        shoot.landscape = landscape.name;
        shoot.candidate = stream == &landscape.candidates;
      }
      std::ranges::move(some, std::back_inserter(shoots));
    }
    attach_nodes(nodes, shoots, inventory.findings);
    std::ranges::move(shoots, std::back_inserter(inventory.shoots));
  }
  tell_apart(inventory.shoots);
  domains::Merged merged = domains::merge(declared);
  inventory.declared = std::move(merged.declarations);
  inventory.findings.insert(inventory.findings.end(), merged.findings.begin(),
                            merged.findings.end());
  return inventory;
}

}  // namespace overlane::overlap
