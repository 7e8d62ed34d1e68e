#ifndef TOOLS_CTL_RATE_TEXT_H_
#define TOOLS_CTL_RATE_TEXT_H_

#include <string>

#include "base/data_rate.h"

namespace sluice {

// "950 bit/s", "47.3 kbit/s", "12.0 Mbit/s".
std::string FormatRate(DataRate rate);

}  // namespace sluice

#endif  // TOOLS_CTL_RATE_TEXT_H_
