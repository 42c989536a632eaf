// Obtains the messages of OpenTelemetry in Python into .cache/otlp, which tests decode traces with. Used by npm test;
// alone: node scripts/obtain-otlp-decoder.mjs
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { obtainPythonPackages } from './pip-install.mjs';
import { projectRoot } from './set-up.mjs';

const PACKAGES = 'opentelemetry-proto==1.45.2 protobuf==7.36.2';
const FOLDER = join(projectRoot, '.cache/otlp');

/** Returns { missing } with the reason in one line, or {}. */
export function obtainOtlpDecoder() {
  const missing = obtainPythonPackages(
    PACKAGES,
    FOLDER,
    'import opentelemetry.proto.collector.trace.v1.trace_service_pb2',
  );
  return missing === undefined ? {} : { missing };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { missing } = obtainOtlpDecoder();
  if (missing !== undefined) console.error(missing);
  process.exitCode = missing === undefined ? 0 : 1;
}
