#include "results/report/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <sys/ioctl.h>

#include <fmt/format.h>

#include "results/base/text.h"

namespace overlane::report {
namespace {

struct Unit {
  std::int64_t size;
  std::string_view name;
  int decimals;
};

constexpr std::array kRates = {Unit{1'000'000'000, "Gbit/s", 3}, Unit{1'000'000, "Mbit/s", 1},
                               Unit{1'000, "kbit/s", 1}, Unit{1, "bit/s", 0}};
constexpr std::array kDurations = {Unit{1'000'000'000, "s", 3}, Unit{1'000'000, "ms", 2},
                                   Unit{1'000, "µs", 1}, Unit{1, "ns", 0}};

std::string with_unit(std::int64_t value, const std::array<Unit, 4>& units) {
  const auto fits = [value](const Unit& unit) { return value >= unit.size; };
  const auto found = std::ranges::find_if(units, fits);
  const Unit& unit = found == units.end() ? units.back() : *found;
  const double scaled = static_cast<double>(value) / static_cast<double>(unit.size);
  return fmt::format("{:.{}f} {}", scaled, unit.decimals, unit.name);
}

}  // namespace

std::size_t terminal_width(int descriptor) {
  constexpr std::size_t kDefaultWidth = 80;  // Columns of the VT100, and of documents and logs.
  constexpr std::size_t kMin = 40;
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kDefaultWidth;
  return std::max<std::size_t>(size.ws_col, kMin);
}

std::size_t display_width(std::string_view text) {
  const auto starts_code_point = [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u;
  };
  return static_cast<std::size_t>(std::ranges::count_if(text, starts_code_point));
}

std::string rate_text(std::int64_t bits_per_second) {
  return with_unit(bits_per_second, kRates);
}

std::string duration_text(std::int64_t nanoseconds) {
  return with_unit(nanoseconds, kDurations);
}

std::string elapsed_text(double seconds) {
  constexpr double kMaxSeconds = 120, kMaxMinutes = 7200;
  if (seconds < kMaxSeconds) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(seconds + 0.5);
  if (seconds < kMaxMinutes)
    return whole % 60 == 0 ? fmt::format("{} min", whole / 60)
                           : fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string count_text(std::int64_t count) {
  std::string text = std::to_string(count);
  const std::size_t first_digit = count < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first_digit + 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string counted_text(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count_text(static_cast<std::int64_t>(count)), what,
                     count == 1 ? "" : "s");
}

std::string percent_text(std::int64_t ppm) {
  return fmt::format("{:.1f} %", static_cast<double>(ppm) / 1e4);
}

std::string change_text(std::int64_t ratio_ppm) {
  const std::int64_t change_ppm = ratio_ppm - 1'000'000;
  const bool is_none = change_ppm > -500 && change_ppm < 500;  // No "-0.0 %".
  return fmt::format("{:+.1f} %", is_none ? 0.0 : static_cast<double>(change_ppm) / 1e4);
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

namespace {

/// The first word of a text. A number and its unit are one word: "38.8 s".
std::string_view first_word(std::string_view text) {
  constexpr std::array<std::string_view, 7> kUnits{"%", "s", "ms", "µs", "ns", "min", "h"};
  const std::size_t end = text.find(' ');
  if (end == text.npos || end == 0 || text[end - 1] < '0' || text[end - 1] > '9')
    return text.substr(0, end);
  const std::string_view next = text.substr(end + 1, text.substr(end + 1).find(' '));
  const std::string_view unit = next.substr(0, next.find_first_of(",.;:)"));
  const bool is_unit = std::ranges::find(kUnits, unit) != kUnits.end();
  return text.substr(0, is_unit ? end + 1 + next.size() : end);
}

}  // namespace

std::string wrapped(std::string_view first, std::string_view text, std::size_t width) {
  return wrapped(first, text, width, display_width(first));
}

std::string wrapped(std::string_view first, std::string_view text, std::size_t width,
                    std::size_t indent) {
  std::string lines(first);
  std::size_t column = display_width(first);
  const char* const begin = text.data();
  bool has_word = first.find_first_not_of(' ') != first.npos;
  while (true) {
    const std::string_view word = first_word(text);
    const std::size_t columns = display_width(word);
    const std::size_t least = std::min<std::size_t>(indent, 2);
    const std::size_t start = std::clamp(width - std::min(width, columns), least, indent);
    const bool is_first = word.data() == begin;
    const std::size_t gap = is_first ? 0 : 1;
    if (has_word && column + gap + columns > width && start < column) {
      lines.erase(lines.find_last_not_of(' ') + 1);
      lines += fmt::format("\n{:{}}", "", start);
      column = start;
    } else if (!is_first) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += columns;
    has_word = true;
    if (word.size() == text.size()) return lines + '\n';
    text.remove_prefix(word.size() + 1);
  }
}

std::string wrapped_line(std::string_view first, std::string_view text) {
  return wrapped(first, one_line(text), terminal_width());
}

namespace {

/// Whether a spreadsheet would evaluate the text as a formula.
bool is_formula(std::string_view text) {
  constexpr std::string_view kFirst = "=+-@\t\r\n";
  if (text.empty() || kFirst.find(text.front()) == kFirst.npos) return false;
  double number = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
  return error != std::errc{} || end != text.end();  // A negative number is none.
}

void append_field(std::string field, std::string& record) {
  if (is_formula(field)) field.insert(0, 1, '\'');
  if (field.find_first_of(",\"\r\n") == field.npos) {
    record += field;
    return;
  }
  record += '"';
  for (const char c : field)
    record.append(c == '"' ? 2 : 1, c);
  record += '"';
}

}  // namespace

std::string csv_record(std::span<const std::string> fields) {
  std::string record;
  for (const std::string& field : fields) {
    if (&field != fields.data()) record += ',';
    append_field(field, record);
  }
  return record + "\r\n";
}

std::string markdown_text(std::string_view text) {
  constexpr std::string_view kMarkup = "|*_`<[\\";
  std::string result;
  for (const char c : text) {
    if (kMarkup.find(c) != std::string_view::npos) result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

}  // namespace overlane::report
