#ifndef GATEWAY_CONTROL_SRTP_CONVERT_H_
#define GATEWAY_CONTROL_SRTP_CONVERT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gateway/control/field_violations.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/srtp_options.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "proto/gateway/v1/leg.pb.h"
#include "srtp/cipher_suite.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"

namespace sluice {

// Suites, keys, MKIs and options of SRTP. From requests: what is wrong is added to `violations`
// below `path`, and then the answer is not to be used.

std::optional<SuiteId> ToSuite(gateway::v1::CryptoSuite suite, absl::string_view path,
                               FieldViolations& violations);
// Without the MKI.
std::optional<MasterKey> ToMasterKey(const gateway::v1::SrtpKey& in, absl::string_view path,
                                     FieldViolations& violations);
Mki ToMki(const std::string& bytes, absl::string_view path, FieldViolations& violations);
// At most as many as one direction has keys.
std::vector<Mki> ToMkis(const google::protobuf::RepeatedPtrField<std::string>& in,
                        absl::string_view path, FieldViolations& violations);

// Whose packets options are about.
enum class SrtpDirection : uint8_t { kLocal, kRemote };
SrtpOptions ToSrtpOptions(const gateway::v1::SrtpOptions& in, SrtpDirection direction,
                          absl::string_view path, FieldViolations& violations);

gateway::v1::CryptoSuite ToProto(SuiteId suite);
// The only way of a key into a message.
void ToProto(const MasterKey& key, const Mki& mki, gateway::v1::SrtpKey& out);
// Effective values, defaults filled in.
void ToProto(const SrtpOptions& options, SrtpDirection direction, gateway::v1::SrtpOptions& out);
void ToProto(const std::vector<LegKeyState>& keys,
             google::protobuf::RepeatedPtrField<gateway::v1::LiveKey>& out);

}  // namespace sluice

#endif  // GATEWAY_CONTROL_SRTP_CONVERT_H_
