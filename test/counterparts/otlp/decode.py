"""Reads an ExportTraceServiceRequest as bytes from standard input, and writes it as JSON."""

import sys

from google.protobuf.json_format import MessageToJson
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

print(MessageToJson(ExportTraceServiceRequest.FromString(sys.stdin.buffer.read())))
