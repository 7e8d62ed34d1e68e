#include "quic/codec/testing/benchmark_parameters.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/data_size.h"
#include "base/random_source.h"
#include "base/time_delta.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/testing/random_parameters.h"
#include "quic/codec/transport_parameter_table.h"
#include "quic/codec/transport_parameters.h"

namespace sluice {
namespace {

// Some implementations count nanoseconds in 64 bits. Still takes 8 bytes.
constexpr TimeDelta kMaxIdleTimeout = TimeDelta::Seconds(INT64_MAX / 1'000'000'000);

}  // namespace

TransportParameters SmallParameters() {
  constexpr uint8_t kBytes[] = {0x83, 0x94, 0xc8, 0xf0, 0x3e, 0x51, 0x57, 0x08};
  TransportParameters parameters;
  parameters.original_destination_connection_id = *ConnectionId::From(kBytes);
  parameters.initial_source_connection_id = *ConnectionId::From(kBytes);
  parameters.stateless_reset_token.emplace().fill(0x5A);
  parameters.max_idle_timeout = TimeDelta::Seconds(30);
  parameters.max_udp_payload_size = DataSize::Bytes(1472);
  parameters.initial_max_data = DataSize::Bytes(1 << 20);
  parameters.initial_max_stream_data_bidi_local = DataSize::Bytes(1 << 18);
  parameters.initial_max_stream_data_bidi_remote = DataSize::Bytes(1 << 18);
  parameters.initial_max_stream_data_uni = DataSize::Bytes(1 << 18);
  parameters.initial_max_streams_bidi = 100;
  parameters.initial_max_streams_uni = 100;
  parameters.max_ack_delay = TimeDelta::Millis(20);
  parameters.active_connection_id_limit = 4;
  parameters.max_datagram_frame_size = DataSize::Bytes(65535);
  parameters.grease_quic_bit = true;
  return parameters;
}

std::vector<TransportParameters> VariedParameters(size_t count, RandomSource& random) {
  std::vector<TransportParameters> sets(count, SmallParameters());
  for (TransportParameters& parameters : sets) {
    for (const TransportParameterRow& row : kTransportParameterTable) {
      if (!row.is_number() || !IsPresent(parameters, row)) continue;
      SetNumber(parameters, row, std::clamp(RandomVarint(random), row.range.min, LargestKept(row)));
    }
    parameters.max_idle_timeout = std::min(parameters.max_idle_timeout, kMaxIdleTimeout);
    parameters.original_destination_connection_id =
        RandomConnectionId(4 + random.Below(17), random);
    parameters.initial_source_connection_id = RandomConnectionId(4 + random.Below(17), random);
  }
  return sets;
}

}  // namespace sluice
