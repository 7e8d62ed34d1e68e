#ifndef TOOLS_CTL_SIGNAL_COMMANDS_H_
#define TOOLS_CTL_SIGNAL_COMMANDS_H_

#include <CLI/CLI.hpp>

#include "tools/ctl/invocation.h"

namespace sluice {

// signal join, leave, events: what a participant does, with its token.
void AddSignalCommands(CLI::App& app, Invocation& invocation);

}  // namespace sluice

#endif  // TOOLS_CTL_SIGNAL_COMMANDS_H_
