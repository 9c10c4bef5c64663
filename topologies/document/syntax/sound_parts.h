#pragma once

#include <functional>

#include "topologies/document/syntax/pieces.h"

namespace overlane::document {

/// Hands on those parts of a piece that are text in UTF-8, and a refusal for each of the others.
/// `whole` is the refusal of the document that the piece was cut from, for a piece without parts.
void add_sound_parts(const Piece& piece, const Finding& whole,
                     const std::function<void(Piece)>& add);

}  // namespace overlane::document
