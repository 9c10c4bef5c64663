#include "topologies/path/reach/node_key.h"

namespace overlane::path {

void put(Key& key, node::DeviceName name) {
  const std::string_view text = name.view();
  std::array<std::uint64_t, 2> words{};
  for (std::size_t i = 0; i < text.size(); ++i)
    words[i / 8] |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])) << i % 8 * 8;
  put(key, words[0], words[1]);
}

void put_part(Key& key, const Key& part) {
  put(key, part.size());
  key.insert(key.end(), part.begin(), part.end());
}

std::size_t KeyHash::operator()(const Key& key) const {
  std::uint64_t hash = key.size();
  for (const std::uint64_t word : key)
    hash = murmur_mix(hash ^ word) + word;
  return hash;
}

void LiveAddresses::insert(const OwnedAddress& added) {
  std::vector<OwnedAddress>& owned = sorted_[added.address.is_ipv4() ? 0 : 1];
  owned.insert(std::ranges::lower_bound(owned, added), added);
}

void LiveAddresses::insert(const std::vector<OwnedAddress>& added) {
  for (const OwnedAddress& one : added)
    sorted_[one.address.is_ipv4() ? 0 : 1].push_back(one);
  for (auto& owned : sorted_)
    std::ranges::sort(owned);
}

LiveAddresses::Held LiveAddresses::held(const IpPrefix& prefix) const {
  const std::vector<OwnedAddress>& owned = of(prefix.is_ipv4());
  auto at = std::ranges::lower_bound(owned, prefix.network(), {}, &OwnedAddress::address);
  Held result;
  for (; at != owned.end() && prefix.contains(at->address); ++at) {
    if (result.any && result.only != at->node) return {.any = true, .only = std::nullopt};
    result = {.any = true, .only = at->node};
  }
  return result;
}

bool LiveAddresses::contains(IpAddress address) const {
  const std::vector<OwnedAddress>& owned = of(address.is_ipv4());
  const auto at = std::ranges::lower_bound(owned, address, {}, &OwnedAddress::address);
  return at != owned.end() && at->address == address;
}

std::vector<std::uint32_t> LiveAddresses::sharing() const {
  std::vector<std::uint32_t> nodes;
  for (const auto& owned : sorted_)
    for (std::size_t i = 1; i < owned.size(); ++i) {
      if (owned[i - 1].address != owned[i].address) continue;
      nodes.push_back(owned[i - 1].node);
      nodes.push_back(owned[i].node);
    }
  return nodes;
}

void Literals::number() {
  std::ranges::sort(fixed_);
  fixed_.erase(std::ranges::unique(fixed_).begin(), fixed_.end());
  for (std::uint32_t i = 0; i < fixed_.size(); ++i) {
    numbers_.set(fixed_[i], i);
    if (fixed_[i].is_host()) hosts_.push_back(fixed_[i].network());
  }
}

bool Literals::are_known() const {
  return std::ranges::all_of(
      fixed_, [&](const IpPrefix& prefix) { return numbers_.find(prefix) != nullptr; });
}

bool Literals::touches(const IpPrefix& prefix) const {
  const auto at = std::ranges::lower_bound(hosts_, prefix.network());
  const bool holds_host = at != hosts_.end() && prefix.contains(*at);
  return holds_host || numbers_.find(prefix) != nullptr;
}

void KeyNumbers::enter(std::uint32_t node, Key key) {
  const std::uint32_t number = count();
  class_of_[node] = classes_.try_emplace(std::move(key), number).first->second;
  if (class_of_[node] == number) sizes_.push_back(0);
  ++sizes_[class_of_[node]];
}

void KeyNumbers::leave(std::uint32_t node) {
  if (class_of_[node] != kNone) --sizes_[class_of_[node]];
  class_of_[node] = kNone;
}

}  // namespace overlane::path
