#include "quic/codec/testing/ngtcp2_codec.h"

#include <netinet/in.h>
#include <ngtcp2/ngtcp2.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "base/data_size.h"
#include "base/testing/hex.h"
#include "base/time_delta.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/quic_version.h"
#include "quic/codec/testing/parameter_bytes.h"
#include "quic/codec/testing/random_parameters.h"
#include "quic/codec/transport_parameter_error.h"
#include "quic/codec/transport_parameter_table.h"
#include "quic/codec/transport_parameters.h"
#include "quic/codec/transport_parameters_decoder.h"
#include "quic/codec/transport_parameters_printer.h"
#include "quic/codec/version_information.h"

namespace sluice {
namespace {

// ---- Our types and theirs. ----

ngtcp2_cid ToTheirs(const ConnectionId& id) {
  ngtcp2_cid cid;
  ngtcp2_cid_init(&cid, id.bytes().data(), id.size());
  return cid;
}
ConnectionId ToOurs(const ngtcp2_cid& cid) {
  return *ConnectionId::From(absl::MakeConstSpan(cid.data, cid.datalen));
}

void SetCid(const std::optional<ConnectionId>& id, ngtcp2_cid& cid, uint8_t& present) {
  if (!id.has_value()) return;
  cid = ToTheirs(*id);
  present = 1;
}

ngtcp2_preferred_addr ToTheirs(const PreferredAddress& address) {
  ngtcp2_preferred_addr theirs = {};
  theirs.cid = ToTheirs(address.connection_id);
  CopyBytes(absl::MakeSpan(theirs.stateless_reset_token), address.stateless_reset_token);
  if (address.HasIpv4()) {
    theirs.ipv4_present = 1;
    theirs.ipv4.sin_family = AF_INET;
    theirs.ipv4.sin_port = htons(address.ipv4_port);
    theirs.ipv4.sin_addr.s_addr = htonl(LoadBe32(address.ipv4_address.data()));
  }
  if (address.HasIpv6()) {
    theirs.ipv6_present = 1;
    theirs.ipv6.sin6_family = AF_INET6;
    theirs.ipv6.sin6_port = htons(address.ipv6_port);
    CopyBytes(absl::MakeSpan(theirs.ipv6.sin6_addr.s6_addr), address.ipv6_address);
  }
  return theirs;
}

PreferredAddress ToOurs(const ngtcp2_preferred_addr& theirs) {
  PreferredAddress address;
  address.connection_id = ToOurs(theirs.cid);
  CopyBytes(absl::MakeSpan(address.stateless_reset_token), theirs.stateless_reset_token);
  if (theirs.ipv4_present != 0) {
    StoreBe32(address.ipv4_address.data(), ntohl(theirs.ipv4.sin_addr.s_addr));
    address.ipv4_port = ntohs(theirs.ipv4.sin_port);
  }
  if (theirs.ipv6_present != 0) {
    CopyBytes(absl::MakeSpan(address.ipv6_address), theirs.ipv6.sin6_addr.s6_addr);
    address.ipv6_port = ntohs(theirs.ipv6.sin6_port);
  }
  return address;
}

VersionInformation ToOurs(const ngtcp2_version_info& theirs) {
  VersionInformation information{QuicVersion(theirs.chosen_version)};
  for (size_t i = 0; i < theirs.available_versionslen; i += 4) {
    static_cast<void>(
        information.AddAvailable(QuicVersion(LoadBe32(theirs.available_versions + i))));
  }
  return information;
}

uint64_t Nanoseconds(TimeDelta time) {
  // As much of it as there is: an infinite time is not a multiple of anything.
  return static_cast<uint64_t>(std::min<int64_t>(time.us(), INT64_MAX / 1000)) * 1000;
}

TransportParameters ToOurs(const ngtcp2_transport_params& theirs) {
  TransportParameters ours;
  const auto bytes = [](uint64_t n) { return DataSize::Bytes(static_cast<int64_t>(n)); };
  const auto time = [](uint64_t ns) { return TimeDelta::Micros(static_cast<int64_t>(ns / 1000)); };
  ours.max_idle_timeout = time(theirs.max_idle_timeout);
  ours.max_udp_payload_size = bytes(theirs.max_udp_payload_size);
  ours.initial_max_data = bytes(theirs.initial_max_data);
  ours.initial_max_stream_data_bidi_local = bytes(theirs.initial_max_stream_data_bidi_local);
  ours.initial_max_stream_data_bidi_remote = bytes(theirs.initial_max_stream_data_bidi_remote);
  ours.initial_max_stream_data_uni = bytes(theirs.initial_max_stream_data_uni);
  ours.initial_max_streams_bidi = theirs.initial_max_streams_bidi;
  ours.initial_max_streams_uni = theirs.initial_max_streams_uni;
  ours.ack_delay_exponent = theirs.ack_delay_exponent;
  ours.max_ack_delay = time(theirs.max_ack_delay);
  ours.disable_active_migration = theirs.disable_active_migration != 0;
  ours.active_connection_id_limit = theirs.active_connection_id_limit;
  ours.max_datagram_frame_size = bytes(theirs.max_datagram_frame_size);
  ours.grease_quic_bit = theirs.grease_quic_bit != 0;
  if (theirs.original_dcid_present != 0) {
    ours.original_destination_connection_id = ToOurs(theirs.original_dcid);
  }
  if (theirs.initial_scid_present != 0) {
    ours.initial_source_connection_id = ToOurs(theirs.initial_scid);
  }
  if (theirs.retry_scid_present != 0) {
    ours.retry_source_connection_id = ToOurs(theirs.retry_scid);
  }
  if (theirs.stateless_reset_token_present != 0) {
    CopyBytes(absl::MakeSpan(ours.stateless_reset_token.emplace()), theirs.stateless_reset_token);
  }
  if (theirs.preferred_addr_present != 0) ours.preferred_address = ToOurs(theirs.preferred_addr);
  if (theirs.version_info_present != 0) ours.version_information = ToOurs(theirs.version_info);
  for (const TransportParameterRow& row : kTransportParameterTable) {
    if (row.is_number() && NumberOf(ours, row) > row.range.clamp) {
      SetNumber(ours, row, row.range.clamp);
    }
  }
  return ours;
}

// ---- A connection of theirs, to which nothing happens but transport parameters. ----

template <typename... Arguments>
int Refuse(Arguments...) {
  return NGTCP2_ERR_CALLBACK_FAILURE;
}
template <typename... Arguments>
void DoNothing(Arguments...) {}

class Ngtcp2Server {
 public:
  // Of a client whose source connection id and version these are.
  Ngtcp2Server(const ngtcp2_cid& client, uint32_t version) {
    ngtcp2_callbacks callbacks = {};
    callbacks.recv_client_initial = Refuse;
    callbacks.recv_crypto_data = Refuse;
    callbacks.encrypt = Refuse;
    callbacks.decrypt = Refuse;
    callbacks.hp_mask = Refuse;
    callbacks.get_new_connection_id = Refuse;
    callbacks.update_key = Refuse;
    callbacks.get_path_challenge_data = Refuse;
    callbacks.delete_crypto_aead_ctx = DoNothing;
    callbacks.delete_crypto_cipher_ctx = DoNothing;
    callbacks.rand = DoNothing;
    ngtcp2_settings settings;
    ngtcp2_settings_default(&settings);
    ngtcp2_transport_params params;
    ngtcp2_transport_params_default(&params);
    const ngtcp2_cid own = ToTheirs(*ConnectionId::From(HexBytes("0102030405060708")));
    params.original_dcid = own;
    params.original_dcid_present = 1;
    ngtcp2_path_storage path;
    ngtcp2_path_storage_zero(&path);
    SLUICE_CHECK(ngtcp2_conn_server_new(&connection_, &client, &own, &path.path, version,
                                        &callbacks, &settings, &params, nullptr, nullptr) == 0);
  }
  ~Ngtcp2Server() { ngtcp2_conn_del(connection_); }
  Ngtcp2Server(const Ngtcp2Server&) = delete;
  Ngtcp2Server& operator=(const Ngtcp2Server&) = delete;

  bool Accepts(absl::Span<const uint8_t> block) {
    return ngtcp2_conn_decode_and_set_remote_transport_params(connection_, block.data(),
                                                              block.size()) == 0;
  }

 private:
  ngtcp2_conn* connection_ = nullptr;
};

// What a connection of theirs asks of a peer beyond what the decoder asks, in our words, apart from
// comparing with packets.
bool ConnectionAccepts(const ngtcp2_transport_params& params, Endpoint sender) {
  if (params.initial_scid_present == 0 || params.active_connection_id_limit < 2 ||
      params.max_udp_payload_size < 1200) {
    return false;
  }
  if (sender == Endpoint::kServer) {
    return params.original_dcid_present != 0 &&
           (params.preferred_addr_present == 0 || params.initial_scid.datalen > 0);
  }
  if (params.original_dcid_present != 0 || params.stateless_reset_token_present != 0 ||
      params.preferred_addr_present != 0 || params.retry_scid_present != 0) {
    return false;
  }
  if (params.version_info_present == 0) return true;
  const ngtcp2_version_info& info = params.version_info;
  for (size_t i = 0; i < info.available_versionslen; i += 4) {
    if (LoadBe32(info.available_versions + i) == info.chosen_version) return true;
  }
  return false;
}

}  // namespace

Ngtcp2Parameters::Ngtcp2Parameters(const TransportParameters& ours) {
  ngtcp2_transport_params_default(&params_);
  const auto bytes = [](DataSize size) { return static_cast<uint64_t>(size.bytes()); };
  params_.max_idle_timeout = Nanoseconds(ours.max_idle_timeout);
  params_.max_udp_payload_size = bytes(ours.max_udp_payload_size);
  params_.initial_max_data = bytes(ours.initial_max_data);
  params_.initial_max_stream_data_bidi_local = bytes(ours.initial_max_stream_data_bidi_local);
  params_.initial_max_stream_data_bidi_remote = bytes(ours.initial_max_stream_data_bidi_remote);
  params_.initial_max_stream_data_uni = bytes(ours.initial_max_stream_data_uni);
  params_.initial_max_streams_bidi = ours.initial_max_streams_bidi;
  params_.initial_max_streams_uni = ours.initial_max_streams_uni;
  params_.ack_delay_exponent = ours.ack_delay_exponent;
  params_.max_ack_delay = Nanoseconds(ours.max_ack_delay);
  params_.disable_active_migration = ours.disable_active_migration ? 1 : 0;
  params_.active_connection_id_limit = ours.active_connection_id_limit;
  params_.max_datagram_frame_size = bytes(ours.max_datagram_frame_size);
  params_.grease_quic_bit = ours.grease_quic_bit ? 1 : 0;
  SetCid(ours.original_destination_connection_id, params_.original_dcid,
         params_.original_dcid_present);
  SetCid(ours.initial_source_connection_id, params_.initial_scid, params_.initial_scid_present);
  SetCid(ours.retry_source_connection_id, params_.retry_scid, params_.retry_scid_present);
  if (ours.stateless_reset_token.has_value()) {
    params_.stateless_reset_token_present = 1;
    CopyBytes(absl::MakeSpan(params_.stateless_reset_token), *ours.stateless_reset_token);
  }
  if (ours.preferred_address.has_value()) {
    params_.preferred_addr_present = 1;
    params_.preferred_addr = ToTheirs(*ours.preferred_address);
  }
  if (ours.version_information.has_value()) {
    const VersionInformation& information = *ours.version_information;
    params_.version_info_present = 1;
    params_.version_info.chosen_version = information.chosen().value();
    for (size_t i = 0; i < information.available_count(); ++i) {
      StoreBe32(versions_.data() + 4 * i, information.available(i).value());
    }
    params_.version_info.available_versions = versions_.data();
    params_.version_info.available_versionslen = 4 * information.available_count();
  }
}

std::vector<uint8_t> EncodeWithNgtcp2(const TransportParameters& parameters) {
  const Ngtcp2Parameters theirs(parameters);
  std::vector<uint8_t> bytes(1000);
  const ngtcp2_ssize size =
      ngtcp2_transport_params_encode(bytes.data(), bytes.size(), &theirs.get());
  SLUICE_CHECK(size >= 0);
  bytes.resize(static_cast<size_t>(size));
  return bytes;
}

std::optional<TransportParameters> DecodeWithNgtcp2(absl::Span<const uint8_t> block,
                                                    Endpoint sender) {
  ngtcp2_transport_params params;
  if (ngtcp2_transport_params_decode(&params, block.data(), block.size()) != 0) {
    return std::nullopt;
  }
  const bool accepted = ConnectionAccepts(params, sender);
  const uint32_t version =
      params.version_info_present != 0 ? params.version_info.chosen_version : NGTCP2_PROTO_VER_V1;
  // It makes no connection of a version that it takes for a reserved one, which are more than
  // those.
  if (sender == Endpoint::kClient && ngtcp2_is_reserved_version(version) == 0) {
    SLUICE_CHECK(Ngtcp2Server(params.initial_scid, version).Accepts(block) == accepted)
        << ToHex(block);
  }
  if (!accepted) return std::nullopt;
  return ToOurs(params);
}

std::string UnintendedDifference(absl::Span<const uint8_t> block, Endpoint sender) {
  TransportParameterError error;
  std::optional<TransportParameters> ours = DecodeTransportParameters(block, sender, error);
  std::optional<TransportParameters> theirs = DecodeWithNgtcp2(block, sender);
  // The last of each id, with its length in the shortest form, in the order of ids.
  ParameterBytes plain;
  for (const auto& [id, value] : ParametersById(block)) plain.Add(id, value);
  if (!ours.has_value()) {
    if (!theirs.has_value() || error.fault == TransportParameterFault::kTooManyUnknown) return "";
    // Of duplicates ngtcp2 reads the last.
    if (plain.bytes() != block) return UnintendedDifference(plain, sender);
    return absl::StrCat("only ngtcp2 accepts, we say ", error, ": ", ToHex(block));
  }
  if (!theirs.has_value()) theirs = DecodeWithNgtcp2(plain, sender);
  if (!theirs.has_value()) return absl::StrCat("only we accept: ", ToHex(block));
  constexpr int64_t kMaxNanoseconds = INT64_MAX / 500;  // 2^64 of them, in microseconds.
  if (ours->max_idle_timeout.us() > kMaxNanoseconds) {
    theirs->max_idle_timeout = ours->max_idle_timeout;
  }
  if (ours == theirs) return "";
  return absl::StrCat("we read ", PrintTransportParameters(*ours), ", ngtcp2 reads ",
                      PrintTransportParameters(*theirs), ": ", ToHex(block));
}

}  // namespace sluice
