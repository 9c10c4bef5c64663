#include "topologies/effective/given_ranges.h"

#include <algorithm>

namespace overlane::effective {
namespace {

using manifest::Field;
using manifest::Located;
using GivenRanges = std::vector<GivenRange>;

class Collector {
 public:
  Collector(const Families& families, GivenRanges& ranges)
      : ipv4_first_(families.primary() == Family::Ipv4), ranges_(ranges) {}

  void collect(RangeRole role, const Field<IpPrefix>& spec,
               const std::vector<Located<IpPrefix>>& status, const Field<IpPrefix>* by_seed) {
    const std::size_t begin = ranges_.size();
    if (spec) ranges_.push_back({role, RangeOrigin::Spec, &*spec});
    for (const Located<IpPrefix>& range : status)
      if (!(spec && spec->value.is_ipv4() == range.value.is_ipv4()) && is_new(begin, range.value))
        ranges_.push_back({role, RangeOrigin::Status, &range});
    if (ranges_.size() == begin && by_seed != nullptr && *by_seed && is_first((*by_seed)->value))
      ranges_.push_back({role, RangeOrigin::Seed, &**by_seed});
    std::stable_partition(ranges_.begin() + static_cast<std::ptrdiff_t>(begin), ranges_.end(),
                          [this](const GivenRange& range) { return is_first(range.value()); });
  }

 private:
  bool is_first(const IpPrefix& range) const { return range.is_ipv4() == ipv4_first_; }

  bool is_new(std::size_t begin, const IpPrefix& range) const {
    return std::none_of(ranges_.begin() + static_cast<std::ptrdiff_t>(begin), ranges_.end(),
                        [&](const GivenRange& known) { return known.value() == range; });
  }

  bool ipv4_first_;
  GivenRanges& ranges_;
};

}  // namespace

std::string_view to_string(RangeRole role) {
  switch (role) {
    case RangeRole::Pods:
      return "pods";
    case RangeRole::Services:
      return "services";
    case RangeRole::Nodes:
      return "nodes";
  }
  return "";
}

std::vector<GivenRange> given_ranges(const manifest::PodNetworkSpec& spec,
                                     const Families& families) {
  GivenRanges ranges;
  Collector collector(families, ranges);
  const manifest::ShootSpec& shoot = spec.shoot;
  const manifest::SeedSpec* seed = spec.seed.get();
  collector.collect(RangeRole::Pods, spec.pods, shoot.status_pods,
                    seed != nullptr ? &seed->default_pods : nullptr);
  collector.collect(RangeRole::Services, spec.services, shoot.status_services,
                    seed != nullptr ? &seed->default_services : nullptr);
  collector.collect(RangeRole::Nodes, shoot.nodes, shoot.status_nodes, nullptr);
  return ranges;
}

}  // namespace overlane::effective
