import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import type { Availability } from '../availability.js';
import { projectRoot } from '../project-root.js';
import type { KubernetesManifest } from './kubernetes-client.js';

const FOLDER = join(projectRoot(), '.cache/gateway-api/config/crd/standard');
const PLURALS = ['gatewayclasses', 'gateways', 'httproutes', 'referencegrants'];

/** The CRDs of the Gateway API that scripts/obtain-gateway-api.mjs obtained, of the kinds that the mesh reads. */
export function findGatewayApiCrds(): Availability<readonly KubernetesManifest[]> {
  const files = PLURALS.map((plural) => join(FOLDER, `gateway.networking.k8s.io_${plural}.yaml`));
  const absent = files.find((file) => !existsSync(file));
  if (absent !== undefined) return { missing: `${absent} not found (run: node scripts/obtain-gateway-api.mjs)` };
  return { value: files.map((file) => load(readFileSync(file, 'utf8')) as KubernetesManifest) };
}

/** As for other counterparts: with REQUIRE_COUNTERPARTS=1 missing CRDs are an error here. */
export function requireGatewayApiCrds(): readonly KubernetesManifest[] | undefined {
  const found = findGatewayApiCrds();
  if ('value' in found) return found.value;
  if (process.env['REQUIRE_COUNTERPARTS'] === '1') throw new Error(`a counterpart is missing: ${found.missing}`);
  return undefined;
}
