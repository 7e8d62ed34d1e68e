#!/usr/bin/python3
"""A client that knows nothing of Sluice but the gateway's address, and shares no code with it.

It asks the gateway for its services and their messages (gRPC server reflection), builds requests from
the answer, and creates and deletes a session. Runs on Debian's python3-grpcio and python3-protobuf,
which have no reflection client, so that the messages of the reflection protocol are described here.
"""

import ctypes
import os
import select
import subprocess
import sys
import tempfile
import unittest

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

GATEWAY = "gateway/sluice_gateway"
SERVICE = "sluice.gateway.v1.GatewayService"
# Seconds; waited for only by a test that fails.
PATIENCE = 60


# What is needed of grpc/reflection/v1alpha/reflection.proto: name, number, type. A field whose type is
# a message has its name; a list has brackets.
REFLECTION_PACKAGE = "grpc.reflection.v1alpha"
REFLECTION_MESSAGES = {
    "ServerReflectionRequest": [("file_by_filename", 3, "string"),
                                ("file_containing_symbol", 4, "string"),
                                ("list_services", 7, "string")],
    "ServerReflectionResponse": [("file_descriptor_response", 4, "FileDescriptorResponse"),
                                 ("list_services_response", 6, "ListServiceResponse"),
                                 ("error_response", 7, "ErrorResponse")],
    "FileDescriptorResponse": [("file_descriptor_proto", 1, "[bytes]")],
    "ListServiceResponse": [("service", 1, "[ServiceResponse]")],
    "ServiceResponse": [("name", 1, "string")],
    "ErrorResponse": [("error_code", 1, "int32"), ("error_message", 2, "string")],
}


def describe_reflection():
    """REFLECTION_MESSAGES as a FileDescriptorProto. The alternatives of a oneof are on the wire what
    plain optional fields are."""
    field_type = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="reflection.proto", package=REFLECTION_PACKAGE)
    for name, fields in REFLECTION_MESSAGES.items():
        message = file.message_type.add(name=name)
        for field_name, number, type_name in fields:
            field = message.field.add(name=field_name, number=number)
            repeated = type_name.startswith("[")
            field.label = field_type.LABEL_REPEATED if repeated else field_type.LABEL_OPTIONAL
            type_name = type_name.strip("[]")
            if type_name in REFLECTION_MESSAGES:
                field.type_name = f".{REFLECTION_PACKAGE}.{type_name}"
            else:
                field.type = field_type.Type.Value("TYPE_" + type_name.upper())
    return file


class Gateway:
    """The real daemon on a port that the kernel chose."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory()
        ready = os.path.join(self._folder.name, "ready")
        libc = ctypes.CDLL(None, use_errno=True)
        in_close_write, in_moved_to = 0x08, 0x80
        watch = libc.inotify_init1(os.O_CLOEXEC)
        assert libc.inotify_add_watch(watch, self._folder.name.encode(), in_close_write | in_moved_to) >= 0
        self.process = subprocess.Popen(
            [GATEWAY, "--insecure", "--listen=127.0.0.1:0", "--workers=1", "--ready-file=" + ready])
        ended = os.pidfd_open(self.process.pid)
        while not os.path.exists(ready):
            readable, _, _ = select.select([watch, ended], [], [], PATIENCE)
            if ended in readable or not readable:
                raise RuntimeError(f"the gateway does not start, exit code {self.process.poll()}")
            os.read(watch, 4096)
        os.close(watch)
        os.close(ended)
        with open(ready, encoding="utf-8") as file:
            self.address = file.read().strip()

    def stop(self):
        self.process.terminate()
        exit_code = self.process.wait(PATIENCE)
        self._folder.cleanup()
        return exit_code


class ReflectedServer:
    """What a server tells of itself."""

    def __init__(self, channel):
        own_pool = descriptor_pool.DescriptorPool()
        own_pool.Add(describe_reflection())
        factory = message_factory.MessageFactory(own_pool)
        self._request = factory.GetPrototype(
            own_pool.FindMessageTypeByName(REFLECTION_PACKAGE + ".ServerReflectionRequest"))
        response = factory.GetPrototype(
            own_pool.FindMessageTypeByName(REFLECTION_PACKAGE + ".ServerReflectionResponse"))
        self._call = channel.stream_stream(
            f"/{REFLECTION_PACKAGE}.ServerReflection/ServerReflectionInfo",
            request_serializer=self._request.SerializeToString,
            response_deserializer=response.FromString)
        self._files = {}
        self.pool = descriptor_pool.DescriptorPool()

    def _ask(self, **question):
        answer = next(self._call(iter([self._request(**question)]), timeout=PATIENCE))
        if answer.HasField("error_response"):
            raise LookupError(answer.error_response.error_message)
        return answer

    def services(self):
        return [service.name for service in self._ask(list_services="").list_services_response.service]

    def _learn(self, serialized_files):
        """Files with what they import, which comes with them or is asked for."""
        for serialized in serialized_files:
            proto = descriptor_pb2.FileDescriptorProto.FromString(serialized)
            if proto.name in self._files:
                continue
            self._files[proto.name] = proto
            for name in proto.dependency:
                if name not in self._files:
                    self._learn(self._ask(file_by_filename=name)
                                .file_descriptor_response.file_descriptor_proto)
            self.pool.Add(proto)

    def service(self, name):
        self._learn(self._ask(file_containing_symbol=name)
                    .file_descriptor_response.file_descriptor_proto)
        return self.pool.FindServiceByName(name)


class ReflectionClientTest(unittest.TestCase):

    def setUp(self):
        self.gateway = Gateway()
        self.channel = grpc.insecure_channel(self.gateway.address,
                                             options=[("grpc.enable_http_proxy", 0)])

    def tearDown(self):
        self.channel.close()
        self.assertEqual(self.gateway.stop(), 0)

    def test_lists_its_services(self):
        services = ReflectedServer(self.channel).services()
        self.assertIn(SERVICE, services)
        self.assertIn("grpc.health.v1.Health", services)
        self.assertIn("grpc.reflection.v1alpha.ServerReflection", services)

    def test_describes_every_method_of_the_service(self):
        service = ReflectedServer(self.channel).service(SERVICE)
        self.assertEqual(
            {method.name for method in service.methods},
            {"CreateSession", "GetSession", "ListSessions", "UpdateSession", "DeleteSession", "AddLeg",
             "UpdateLeg", "RemoveLeg", "SetForwarding", "GetStats", "WatchStats", "WatchEvents",
             "CreateParticipantToken", "RevokeParticipantToken", "GetNode"})

    def test_refuses_to_describe_what_it_does_not_have(self):
        with self.assertRaises(LookupError):
            ReflectedServer(self.channel).service("sluice.gateway.v1.NoSuchService")

    def test_a_session_lives_and_ends_by_what_reflection_told(self):
        server = ReflectedServer(self.channel)
        service = server.service(SERVICE)
        factory = message_factory.MessageFactory(server.pool)

        def call(name, **fields):
            method = service.FindMethodByName(name)
            request = factory.GetPrototype(method.input_type)
            response = factory.GetPrototype(method.output_type)
            stub = self.channel.unary_unary(f"/{SERVICE}/{name}",
                                            request_serializer=request.SerializeToString,
                                            response_deserializer=response.FromString)
            return stub(request(**fields), timeout=PATIENCE)

        created = call("CreateSession", session_id="from-python",
                       config={"labels": {"client": "python"}, "idle_timeout": {"seconds": 30}})
        self.assertEqual(created.session.session_id, "from-python")
        self.assertEqual(created.session.config.labels["client"], "python")
        leg = call("AddLeg", session_id="from-python", leg_id="one",
                   config={"kind": "LEG_KIND_SRTP", "rtcp_mux": True})
        self.assertEqual(len(leg.local_key.master_key_and_salt), 28)
        self.assertEqual(leg.leg.local_rtp.ip, "127.0.0.1")
        self.assertEqual([s.session_id for s in call("ListSessions").sessions], ["from-python"])

        deleted = call("DeleteSession", session_id="from-python")
        state = deleted.session.DESCRIPTOR.fields_by_name["state"].enum_type
        self.assertEqual(state.values_by_number[deleted.session.state].name, "SESSION_STATE_ENDED")
        self.assertEqual(len(call("ListSessions").sessions), 0)

        with self.assertRaises(grpc.RpcError) as refused:
            call("CreateSession", session_id="not an id")
        self.assertEqual(refused.exception.code(), grpc.StatusCode.INVALID_ARGUMENT)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
