#ifndef GATEWAY_SIGNALLING_PROTOBUF_CODEC_H_
#define GATEWAY_SIGNALLING_PROTOBUF_CODEC_H_

#include "gateway/signalling/call_transport.h"

namespace sluice {

// Messages as protobuf has them on the wire. Fields that are not known are skipped, as on gRPC.
const CallCodec& ProtobufCodec();

}  // namespace sluice

#endif  // GATEWAY_SIGNALLING_PROTOBUF_CODEC_H_
