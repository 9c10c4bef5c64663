#pragma once

#include <string>
#include <string_view>

#include "topologies/overlap/map/address_map.h"

namespace overlane::overlap {

/// The CSS class of a range's bar.
std::string_view style_of(Role role);

/// Tooltips of a bar and a band; markup is escaped.
std::string tooltip(const AddressMap::Row& row, const Range& range);
std::string tooltip(const AddressMap::Intersection& intersection);

}  // namespace overlane::overlap
