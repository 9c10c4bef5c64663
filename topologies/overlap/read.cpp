#include "topologies/overlap/read.h"

#include <algorithm>
#include <functional>
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

/// The NetworkConfig's block that switches the overlay, of every network extension.
const document::Tree& overlay_patch(effective::Mode mode) {
  const auto parse = [](const char* text) {
    return document::parse(text, "--assume").documents.front();
  };
  static const document::Tree kOn = parse("overlay: {enabled: true}");
  static const document::Tree kOff = parse("overlay: {enabled: false}");
  return mode == effective::Mode::Overlay ? kOn : kOff;
}

class ShootReader {
 public:
  ShootReader(const explain::DeriveOptions& derive, const ReadOptions& options, Findings& findings)
      : derive_(derive), options_(options), findings_(findings) {}

  std::vector<Shoot> read(const document::Stream& stream) {
    std::vector<Shoot> shoots;
    const auto work = [&](const manifest::ClusterSpec& spec) {
      const auto mode = options_.assumed_modes.find(spec.object.qualified());
      if (mode != options_.assumed_modes.end()) return keep(assume(spec, mode->second), shoots);
      return keep({describe_shoot(spec, derive_), {}}, shoots);
    };
    const manifest::Leftover rest =
        manifest::decode_each(stream, manifest::Detail::Summary, work, options_.threads);
    findings_.insert(findings_.end(), rest.findings.begin(), rest.findings.end());
    return shoots;
  }

 private:
  struct Described {
    Shoot shoot;
    std::optional<Finding> refusal;
  };

  std::function<void()> keep(Described described, std::vector<Shoot>& shoots) {
    const auto kept = std::make_shared<Described>(std::move(described));
    return [this, kept, &shoots] {
      shoots.push_back(std::move(kept->shoot));
      if (kept->refusal) findings_.push_back(*std::move(kept->refusal));
    };
  }

  Described assume(const manifest::ClusterSpec& spec, effective::Mode mode) {
    const manifest::ClusterSpec patched =
        manifest::with_network_config(spec, overlay_patch(mode).root());
    Described described{describe_shoot(patched, derive_), {}};
    const auto admitted = explain::derive(patched, derive_);
    if (!admitted) described.refusal = admitted.error();
    return described;
  }

  const explain::DeriveOptions& derive_;
  const ReadOptions& options_;
  Findings& findings_;
};

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

Inventory read_inventory(std::vector<Landscape> landscapes, const ReadOptions& options) {
  Inventory inventory;
  inventory.landscape_reserved = options.derive.landscape.reserved_ranges;
  inventory.route_quotas = options.derive.landscape.route_quotas;
  explain::DeriveOptions derive = options.derive;
  std::vector<domains::DeclarationFile> declared = options.declared;
  for (Landscape& landscape : landscapes) {
    std::vector<Shoot> shoots;
    std::vector<ClusterNode> nodes;
    for (document::Stream* stream : {&landscape.candidates, &landscape.documents}) {
      explain::take_network_providers(*stream, derive.described);
      domains::take_declarations(*stream, declared);
      std::ranges::move(take_nodes(*stream), std::back_inserter(nodes));
      std::vector<Shoot> some = ShootReader(derive, options, inventory.findings).read(*stream);
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
