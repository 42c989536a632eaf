"""Reads an OTLP request as bytes from standard input, and writes it as JSON. Argument: the signal, logs or traces."""

import sys

from google.protobuf.json_format import MessageToJson
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

request = ExportLogsServiceRequest if sys.argv[1] == "logs" else ExportTraceServiceRequest
print(MessageToJson(request.FromString(sys.stdin.buffer.read())))
