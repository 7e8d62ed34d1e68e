#ifndef TOOLS_CTL_TESTING_COMMAND_FIXTURE_H_
#define TOOLS_CTL_TESTING_COMMAND_FIXTURE_H_

#include <sstream>
#include <string>

#include "gtest/gtest.h"

namespace sluice {

// Runs command lines of sluicectl in this process, with folders of the user's that are not there.
class CommandFixture : public testing::Test {
 protected:
  // Exit codes of sluicectl.
  static constexpr int kOk = 0;
  static constexpr int kFailed = 1;
  static constexpr int kUsage = 2;

  CommandFixture();

  // A line, split at blanks; the exit code.
  int RunLine(const std::string& line);
  // What the last one said.
  std::string out() const { return out_.str(); }
  std::string err() const { return err_.str(); }

 private:
  std::ostringstream out_;
  std::ostringstream err_;
};

}  // namespace sluice

#endif  // TOOLS_CTL_TESTING_COMMAND_FIXTURE_H_
