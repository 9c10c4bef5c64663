#include "topologies/document/syntax/sound_parts.h"

#include <utility>

#include <fmt/format.h>

#include "topologies/document/tree/text_check.h"

namespace overlane::document {
namespace {

Piece refused(Finding finding) {
  return {.form = Piece::Form::Refused, .refusal = std::move(finding)};
}

}  // namespace

void add_sound_parts(const Piece& piece, const Finding& whole,
                     const std::function<void(Piece)>& add) {
  if (piece.form == Piece::Form::Refused) return add(piece);
  if (piece.parts.empty()) return add(refused(whole));
  TextPart here = piece.text;
  for (std::size_t i = 0; i < piece.parts.size(); ++i) {
    const std::string_view part = piece.parts[i];
    const auto skipped = static_cast<std::size_t>(part.data() - here.text.data());
    here = {here.text.substr(skipped), here.origin.after(here.text.substr(0, skipped))};
    if (auto finding = check_encoding(part, here.origin)) {
      if (piece.list) finding->path = fmt::format("items[{}]", piece.first_item + i);
      add(refused(*std::move(finding)));
      continue;
    }
    add({.form = piece.form,
         .text = {part, here.origin},
         .parts = {part},
         .list = piece.list,
         .first_item = piece.first_item + i});
  }
}

}  // namespace overlane::document
