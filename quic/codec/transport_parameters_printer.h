#ifndef QUIC_CODEC_TRANSPORT_PARAMETERS_PRINTER_H_
#define QUIC_CODEC_TRANSPORT_PARAMETERS_PRINTER_H_

#include <string>

#include "quic/codec/transport_parameters.h"

namespace sluice {

// What the parameters say, for traces: "max_idle_timeout=30 s, initial_max_data=1048576 bytes,
// ...", in the order of the table, without what their absence would say; "(nothing)" when that is
// all. Tokens are secrets and only counted. Allocates.
std::string PrintTransportParameters(const TransportParameters& parameters);

}  // namespace sluice

#endif  // QUIC_CODEC_TRANSPORT_PARAMETERS_PRINTER_H_
