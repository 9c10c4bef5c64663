#include "dataplane/capture/decoded_packet.h"

#include <algorithm>

namespace overlane::capture {
namespace {

template <typename T>
const T* find(const Fields& fields, std::string_view name) {
  const auto field = std::ranges::find(fields, name, &Field::name);
  return field == fields.end() ? nullptr : std::get_if<T>(&field->value);
}

}  // namespace

Field::Field(std::string_view field, std::uint64_t number) : name(field), value(number) {}
Field::Field(std::string_view field, std::string text) : name(field), value(std::move(text)) {}
Field::Field(std::string_view field, std::vector<Fields> list)
    : name(field), value(std::move(list)) {}

std::uint64_t Layer::number(std::string_view name) const {
  const auto* value = find<std::uint64_t>(fields, name);
  return value != nullptr ? *value : 0;
}

std::string_view Layer::text(std::string_view name) const {
  const auto* value = find<std::string>(fields, name);
  return value != nullptr ? std::string_view(*value) : std::string_view();
}

}  // namespace overlane::capture
