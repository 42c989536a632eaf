// Obtains the gRPC clients of the tests (test/counterparts/grpc) into .cache/grpc-clients: builds the one in Go, and
// installs the Python package. Used by npm test; alone: node scripts/obtain-grpc-clients.mjs
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildGoProgram } from './build-go-program.mjs';
import { obtainPythonPackages } from './pip-install.mjs';
import { projectRoot } from './set-up.mjs';

const GRPCIO = 'grpcio==1.85.1 typing_extensions==4.16.0';
const FOLDER = join(projectRoot, '.cache/grpc-clients');
const PACKAGES = join(FOLDER, 'python');

function obtainGoClient() {
  return buildGoProgram({
    sources: join(projectRoot, 'test/counterparts/grpc/go'),
    target: '.',
    binary: join(FOLDER, 'go/client'),
    about: 'Building the gRPC client in Go (test/counterparts/grpc/go, two minutes the first time) …',
  });
}

/** Returns the reasons, one line for each language whose client is missing. */
export function obtainGrpcClients() {
  const missing = [
    ['Go', obtainGoClient()],
    ['Python', obtainPythonPackages(GRPCIO, PACKAGES, 'import grpc; grpc.xds_channel_credentials')],
  ];
  return missing.flatMap(([language, reason]) => (reason === undefined ? [] : [`gRPC in ${language}: ${reason}`]));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const missing = obtainGrpcClients();
  for (const reason of missing) console.error(reason);
  process.exitCode = missing.length === 0 ? 0 : 1;
}
