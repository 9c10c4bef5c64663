#pragma once

#include <string>
#include <string_view>

#include "topologies/overlap/map/address_map.h"

namespace overlane::overlap {

/// The class of a range's bar in the picture's style.
std::string_view style_of(Role role);

/// What a reader sees who points at a bar or a band; markup is escaped.
std::string tooltip(const AddressMap::Row& row, const Range& range);
std::string tooltip(const AddressMap::Piece& piece);

}  // namespace overlane::overlap
