#ifndef TOOLS_CTL_TOKEN_COMMANDS_H_
#define TOOLS_CTL_TOKEN_COMMANDS_H_

#include <CLI/CLI.hpp>

#include "tools/ctl/invocation.h"

namespace sluice {

// token create, revoke.
void AddTokenCommands(CLI::App& app, Invocation& invocation);

}  // namespace sluice

#endif  // TOOLS_CTL_TOKEN_COMMANDS_H_
