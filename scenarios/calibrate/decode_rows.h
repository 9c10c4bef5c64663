#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "scenarios/calibrate/measurement_table.h"
#include "scenarios/spec/words.h"
#include "topologies/document/fields/fields.h"

namespace overlane::calibrate {

inline constexpr std::array kUses = {spec::Word<Use>{"fit", Use::Fit},
                                     spec::Word<Use>{"check", Use::Check},
                                     spec::Word<Use>{"left-out", Use::LeftOut}};

inline constexpr std::array kDatapaths = {
    spec::Word<cost::Datapath>{"host", cost::Datapath::Host},
    spec::Word<cost::Datapath>{"netfilter", cost::Datapath::Netfilter},
    spec::Word<cost::Datapath>{"ebpf", cost::Datapath::Ebpf}};

/// Decodes `rows` of a table; its hosts and systems must be decoded already.
std::vector<Row> decode_rows(document::Fields& spec, const MeasurementTable& table);

/// The block `offloads` of a system or a row.
std::vector<spec::OffloadSwitch> decode_offloads(document::Fields& fields);
/// `spreadPercent`, as a share.
std::optional<double> spread(document::Fields& fields);
/// Reports a missing key that is required because of another key. Nothing is required in an absent
/// mapping.
void demand(document::Fields& fields, std::string_view key, std::string_view because);
/// A number above zero.
std::optional<double> positive(document::Fields& fields, std::string_view key);
/// The position of the system named by a required field; an unknown name is an error.
std::size_t position_of(document::Fields& fields, std::string_view key,
                        const std::vector<System>& systems);

}  // namespace overlane::calibrate
