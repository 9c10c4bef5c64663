#include "tools/overlane/cli/process.h"

#include <csignal>
#include <cstdlib>

#include <gtest/gtest.h>

namespace overlane::command {

namespace interrupt_test {

TEST(InterruptDeathTest, FirstSignalRequestsAStopAndSecondEndsTheProgram) {
  for (const int signal : {SIGINT, SIGTERM}) {
    EXPECT_EXIT(
        {
          const Interrupt interrupt;
          if (interrupt.asked()) std::exit(1);
          std::raise(signal);
          if (!interrupt.asked()) std::exit(2);
          std::raise(SIGINT);
          std::exit(3);
        },
        testing::ExitedWithCode(130), "");
  }
}

TEST(InterruptDeathTest, PreviousSignalHandlersAreRestored) {
  EXPECT_EXIT(
      {
        { const Interrupt interrupt; }
        std::raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
}

}  // namespace interrupt_test

}  // namespace overlane::command
