#include "topologies/cni/calico/live/live.h"

namespace overlane::calico {
namespace {

class CalicoObjects final : public cni::ObservedObjects {
 public:
  void decode(const ObjectName& name, const document::Value& root,
              document::Problems& problems) override {
    calico::decode(name, root, problems, observed_);
  }

  bool empty() const override { return observed_.empty(); }

  void compare(const cni::LiveInputs& shoot, std::span<const cni::ObservedNode> nodes,
               rules::RuleReport& report) const override {
    const ObservedInputs inputs{shoot, nodes, observed_};
    report.run(condition_checks(), inputs);
    report.run(pool_checks(), inputs);
    report.run(felix_checks(), inputs);
  }

 private:
  Observed observed_;
};

}  // namespace

std::unique_ptr<cni::ObservedObjects> observe() {
  return std::make_unique<CalicoObjects>();
}

std::vector<const rules::Rule*> live_rules() {
  std::vector<const rules::Rule*> rules;
  list_rules(condition_checks(), rules);
  list_rules(pool_checks(), rules);
  list_rules(felix_checks(), rules);
  return rules;
}

}  // namespace overlane::calico
