#include "dataplane/kernel/set_up/changes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "results/base/text.h"

namespace overlane::kernel {
namespace {

/// What a command makes or sets in a namespace.
enum class Object : std::uint8_t {
  Device,
  DeviceSetting,
  Address,
  Neighbour,
  ForwardingEntry,
  Route,
  Rule,
  Sysctl,
  FilterRule,
};

/// A command, and the object that it is about.
struct Statement {
  const Command* command = nullptr;
  Object object{};
  /// Equal for statements about the same object: the device, the address with its device, the
  /// destination with its table.
  std::string key;
  std::string device;              ///< The device that the object belongs to; empty: none.
  std::vector<std::string> words;  ///< Words of the command's arguments.

  const std::string& text() const { return command->arguments; }
  /// The word behind `name`; empty if there is none.
  std::string value_of(std::string_view name) const {
    const auto at = std::ranges::find(words, name);
    return at == words.end() || at + 1 == words.end() ? "" : *(at + 1);
  }
  bool has(std::string_view word) const { return std::ranges::count(words, word) > 0; }
};

/// "local" routes are in a table of their own.
std::string destination_of(const Statement& route) {
  constexpr std::array<std::string_view, 4> kTypes = {"local", "blackhole", "unreachable",
                                                      "prohibit"};
  std::string key;
  auto word = route.words.begin() + 2;
  if (std::ranges::count(kTypes, *word) > 0) key = *word++ == "local" ? "local " : "";
  key += *word;
  const std::string table = route.value_of("table");
  return table.empty() ? key : key + " table " + table;
}

Statement statement_of(const Command& command) {
  Statement made{.command = &command, .words = words_of(command.arguments)};
  const auto is = [&](std::size_t at, std::string_view word) {
    return made.words.size() > at && made.words[at] == word;
  };
  const auto set = [&](Object object, std::string key, std::string device) {
    made.object = object;
    made.key = std::move(key);
    made.device = std::move(device);
  };
  const std::string device = made.value_of("dev");
  switch (command.program) {
    case Program::Sysctl: {
      const std::string path = command.arguments.substr(0, command.arguments.find('='));
      const std::size_t conf = path.find("/conf/");
      std::string of_device;
      if (conf != std::string::npos) {
        const std::size_t begin = conf + std::string_view("/conf/").size();
        of_device = path.substr(begin, path.find('/', begin) - begin);
      }
      set(Object::Sysctl, path, of_device == "all" || of_device == "default" ? "" : of_device);
      break;
    }
    case Program::Iptables:
    case Program::Ip6tables:
      set(Object::FilterRule, command.arguments, "");
      break;
    case Program::Bridge:
      set(Object::ForwardingEntry, made.words.at(2) + ' ' + device, device);
      break;
    case Program::Ip:
      if (is(0, "link") && is(1, "add")) {
        set(Object::Device, made.words.at(2), made.words.at(2));
      } else if (is(0, "link")) {
        set(Object::DeviceSetting, command.arguments, made.words.at(2));
      } else if (is(0, "address")) {
        set(Object::Address, made.words.at(2) + ' ' + device, device);
      } else if (is(0, "neigh")) {
        set(Object::Neighbour, made.words.at(2) + ' ' + device, device);
      } else if (is(0, "rule")) {
        set(Object::Rule, command.arguments, "");
      } else {
        set(Object::Route, destination_of(made), device);
      }
      break;
  }
  return made;
}

/// The statements of a list of commands, by object.
class Statements {
 public:
  explicit Statements(std::span<const Command> commands) {
    for (const Command& command : commands) {
      Statement statement = statement_of(command);
      if (statement.object == Object::FilterRule) {
        filters_[command.program].push_back(command);
        continue;
      }
      by_key_[{statement.object, statement.key}] = all_.size();
      all_.push_back(std::move(statement));
    }
  }

  const std::vector<Statement>& all() const { return all_; }
  const std::map<Program, std::vector<Command>>& filters() const { return filters_; }
  const Statement* find(Object object, const std::string& key) const {
    const auto at = by_key_.find({object, key});
    return at == by_key_.end() ? nullptr : &all_[at->second];
  }

 private:
  std::vector<Statement> all_;
  std::map<std::pair<Object, std::string>, std::size_t> by_key_;
  std::map<Program, std::vector<Command>> filters_;
};

std::string without_mtu(const Statement& device) {
  std::string text;
  for (std::size_t i = 0; i < device.words.size(); ++i) {
    if (device.words[i] == "mtu")
      ++i;
    else
      text += device.words[i] + ' ';
  }
  return text;
}

class Difference {
 public:
  Difference(std::span<const Command> before, std::span<const Command> after)
      : before_(before), after_(after) {}

  std::vector<Command> take() {
    find_devices();
    remove();
    add();
    change_filters();
    return std::move(made_);
  }

 private:
  void ip(std::string arguments) { made_.push_back({Program::Ip, std::move(arguments)}); }
  bool is_gone(const std::string& device) const { return gone_.contains(device); }

  /// Finds the devices that are removed or made again, and those that come up.
  void find_devices() {
    for (const Statement& old : before_.all()) {
      if (old.object == Object::Device) {
        const Statement* now = after_.find(Object::Device, old.key);
        if (now == nullptr || without_mtu(*now) != without_mtu(old)) gone_.insert(old.key);
      }
      const bool is_setting = old.object == Object::DeviceSetting;
      if (is_setting && old.has("down") && after_.find(old.object, old.key) == nullptr)
        risen_.insert(old.device);
    }
  }

  void remove() {
    for (const Object object :
         {Object::Route, Object::Rule, Object::ForwardingEntry, Object::Neighbour, Object::Address,
          Object::Sysctl, Object::DeviceSetting, Object::Device})
      for (const Statement& old : before_.all())
        if (old.object == object) remove(old);
  }

  void remove(const Statement& old) {
    const bool stays = after_.find(old.object, old.key) != nullptr;
    if (old.object == Object::Device) {
      if (is_gone(old.key)) ip("link del " + old.key);
      return;
    }
    // The kernel removes with a device what belongs to it, except routes, which other devices may
    // have by then.
    if (stays || is_gone(old.device)) return;
    switch (old.object) {
      case Object::Route:
        ip("route del " + old.key);
        break;
      case Object::Rule:
        ip("rule del" + old.text().substr(std::string_view("rule add").size()));
        break;
      case Object::ForwardingEntry:
        made_.push_back({Program::Bridge, fmt::format("fdb del {} dev {} dst {} self", old.words[2],
                                                      old.device, old.value_of("dst"))});
        break;
      case Object::Neighbour:
        ip(fmt::format("neigh del {} dev {}", old.words[2], old.device));
        break;
      case Object::Address:
        ip(fmt::format("address del {} dev {}", old.words[2], old.device));
        break;
      case Object::Sysctl:
        made_.push_back({Program::Sysctl, old.key + "=0"});
        break;
      case Object::DeviceSetting:
        if (old.has("down"))
          ip(fmt::format("link set {} up", old.device));
        else if (old.has("up") && !is_up_afterwards(old.device))
          ip(fmt::format("link set {} down", old.device));
        break;
      case Object::Device:
      case Object::FilterRule:
        break;
    }
  }

  bool is_up_afterwards(const std::string& device) const {
    return std::ranges::any_of(after_.all(), [&](const Statement& now) {
      return now.object == Object::DeviceSetting && now.device == device && now.has("up");
    });
  }

  void add() {
    for (const Statement& now : after_.all()) {
      const Statement* old = before_.find(now.object, now.key);
      const bool is_lost =
          is_gone(now.device) || (risen_.contains(now.device) && now.object == Object::Route);
      if (old != nullptr && old->text() == now.text() && !is_lost) continue;
      if (now.object == Object::Device && old != nullptr && !is_gone(now.key)) {
        ip(fmt::format("link set {} mtu {}", now.key, now.value_of("mtu")));
        continue;
      }
      Command command = *now.command;
      if (now.object == Object::Route) {
        // The kernel takes routes of different metrics for different ones.
        if (old != nullptr && old->value_of("metric") != now.value_of("metric"))
          ip("route del " + now.key);
        const std::string_view verb = "route add ";
        if (command.arguments.starts_with(verb))
          command.arguments = "route replace " + command.arguments.substr(verb.size());
      }
      made_.push_back(std::move(command));
    }
  }

  void change_filters() {
    for (const Program program : {Program::Iptables, Program::Ip6tables}) {
      const auto of = [&](const Statements& statements) {
        const auto at = statements.filters().find(program);
        return at == statements.filters().end() ? std::vector<Command>() : at->second;
      };
      const std::vector<Command> old = of(before_), now = of(after_);
      if (old == now) continue;
      std::set<std::string> tables;
      for (const Command& command : old)
        tables.insert(command.table);
      for (const std::string& table : tables) {
        made_.push_back({program, "-F", table});
        made_.push_back({program, "-X", table});
      }
      made_.insert(made_.end(), now.begin(), now.end());
    }
  }

  Statements before_, after_;
  std::set<std::string> gone_;   ///< Devices that are removed, or made again.
  std::set<std::string> risen_;  ///< Devices that were down and are up.
  std::vector<Command> made_;
};

}  // namespace

std::vector<Command> commands_between(std::span<const Command> before,
                                      std::span<const Command> after) {
  return Difference(before, after).take();
}

}  // namespace overlane::kernel
