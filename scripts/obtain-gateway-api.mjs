// Obtains the CRDs of the Kubernetes Gateway API, of the version in hack/gateway-api/go.mod: .cache/gateway-api leads to the
// module in the cache of Go. Used by npm test; alone: node scripts/obtain-gateway-api.mjs
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { obtainGo } from './obtain-testcluster.mjs';
import { projectRoot } from './set-up.mjs';

const MODULE = 'sigs.k8s.io/gateway-api';
const LINK = join(projectRoot, '.cache/gateway-api');

/** Returns {}, or { missing } with the reason in one line. */
export function obtainGatewayApi() {
  const { path, missing } = obtainGo();
  if (missing !== undefined) return { missing };
  // go.sum has the hash of the module.
  const { status, stdout } = spawnSync('go', ['mod', 'download', '-json', MODULE], {
    cwd: join(projectRoot, 'hack/gateway-api'),
    encoding: 'utf8',
    env: { ...process.env, PATH: path },
  });
  if (status !== 0) return { missing: `go mod download ${MODULE} failed: ${stdout}` };
  mkdirSync(join(projectRoot, '.cache'), { recursive: true });
  rmSync(LINK, { force: true });
  symlinkSync(JSON.parse(stdout).Dir, LINK);
  return {};
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { missing } = obtainGatewayApi();
  if (missing !== undefined) console.error(missing);
  process.exitCode = missing === undefined ? 0 : 1;
}
