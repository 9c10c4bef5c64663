#pragma once

#include <map>
#include <string>

#include "topologies/overlap/inventory/inventory.h"
#include "topologies/overlap/report/report.h"

namespace overlane::overlap {

/// Marks what a question "what if" is about (Shoot::asked_about): in the landscape as it would be
/// the candidates and the shoots whose modes are assumed, in the landscape as it is those of their
/// names. Manifests there that candidates stand for are left out: nobody has applied them.
void mark_asked_about(const std::map<std::string, effective::Mode>& modes, Inventory& as_it_is,
                      Inventory& as_it_would_be);

/// Leaves in the report what the landscape as it is does not have at least as grave, and tells in
/// OverlapReport::what_if what is gone and how much stays as it is. An error about a document
/// stays: what cannot be read may be what the answer hangs on.
void tell_changes(OverlapReport as_it_is, OverlapReport& report);

}  // namespace overlane::overlap
