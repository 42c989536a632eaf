"""A gRPC client and server that is configured over xDS. Commands: see README.md in the folder above."""

import json
import sys
import threading
from concurrent import futures

import grpc
import grpc.experimental
from grpc._cython import cygrpc

channels = {}
servers = []
output = threading.Lock()


def say(answer):
    with output:
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def channel_to(target, secure):
    key = (target, secure)
    if key not in channels:
        plain = grpc.experimental.insecure_channel_credentials()
        credentials = grpc.xds_channel_credentials(plain) if secure else plain
        channels[key] = grpc.secure_channel(target, credentials)
    return channels[key]


def call(command):
    method = channel_to(command["target"], command["secure"]).unary_unary(command["method"])
    metadata = tuple(command["metadata"].items())

    def begin():
        return method.future(b"hello", timeout=command["timeoutMs"] / 1000, metadata=metadata)

    def end(future):
        try:
            return {"code": 0, "server": future.result().decode()}
        except grpc.RpcError as error:
            return {"code": error.code().value[0], "message": error.details()}

    if command["parallel"]:
        replies = [end(each) for each in [begin() for _ in range(command["count"])]]
    else:
        replies = [end(begin()) for _ in range(command["count"])]
    say({"id": command["id"], "replies": replies})


def serve(command):
    server = grpc.server(futures.ThreadPoolExecutor(4), xds=True)
    name = command["name"].encode()
    handler = grpc.unary_unary_rpc_method_handler(lambda request, context: name)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler("test.Echo", {"Say": handler, "Secret": handler}),)
    )
    plain = grpc.insecure_server_credentials()
    credentials = grpc.xds_server_credentials(plain) if command["secure"] else plain
    try:
        server.add_secure_port(command["address"], credentials)
    except RuntimeError as error:
        say({"id": command["id"], "error": str(error)})
        return
    server.start()
    servers.append(server)
    say({"id": command["id"]})


def status(command):
    """Serves the client status service, in plaintext on a free port. The package grpcio-csds returns these bytes too."""
    server = grpc.server(futures.ThreadPoolExecutor(1))
    handler = grpc.unary_unary_rpc_method_handler(lambda request, context: cygrpc.dump_xds_configs())
    service = "envoy.service.status.v3.ClientStatusDiscoveryService"
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(service, {"FetchClientStatus": handler}),)
    )
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    servers.append(server)
    say({"id": command["id"], "port": port})


def close(command):
    for key in [key for key in channels if key[0].startswith(command["target"])]:
        channels.pop(key).close()
    say({"id": command["id"]})


for line in sys.stdin:
    command = json.loads(line)
    if command["op"] == "call":
        threading.Thread(target=call, args=(command,), daemon=True).start()
    elif command["op"] == "serve":
        serve(command)
    elif command["op"] == "status":
        status(command)
    else:
        close(command)
