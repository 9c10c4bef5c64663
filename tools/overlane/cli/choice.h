#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace overlane::command {

/// Adds an option with the values `words`; calls `choose` with the index. Other values are an error
/// that lists them.
void add_word(CLI::App& verb, const std::string& names, const std::vector<std::string_view>& words,
              std::function<void(std::size_t)> choose, const std::string& what);

/// A word on the command line and its value.
template <typename T>
using Choice = std::pair<std::string_view, T>;

/// The same with a table of values, which must outlive parsing.
template <typename T, std::size_t count>
void add_choice(CLI::App& verb, const std::string& names, T& target,
                const std::array<Choice<T>, count>& choices, const std::string& what) {
  std::vector<std::string_view> words;
  for (const Choice<T>& choice : choices)
    words.push_back(choice.first);
  add_word(
      verb, names, words, [&](std::size_t i) { target = choices[i].second; }, what);
}

}  // namespace overlane::command
