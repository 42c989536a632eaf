import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatServiceFile } from '../mesh/service-yaml.js';
import type { PolicyWorkload } from '../policy/workload.js';

const NAME = 'shop';
const NAMESPACE = 'shop';
const ADDRESS = '10.244.0.6';
/** The service that is checked. */
export const CHECKED_HOST = `${NAME}.${NAMESPACE}.svc.cluster.local`;

/** Node id of the sidecar of the service that is checked. */
export const CHECKED_NODE_ID = `sidecar~${ADDRESS}~${NAME}-1.${NAMESPACE}~${NAMESPACE}.svc.cluster.local`;

/** Name of the filter that checks its HTTP. */
export const CHECK_FILTER_NAME = `policy|inbound|80|http|${CHECKED_HOST}`;

/** Where the files of a mesh with a policy are. */
export interface CheckedMeshFiles {
  readonly meshFolder: string;
  readonly meshConfigFile: string;
  readonly policyConfigFile: string;
}

/** Higher than any run reaches, because the benchmark measures allowed requests. */
const UNREACHED_AMOUNT = 1_000_000_000_000;

/** Writes a mesh of one service with the workload's policies, and limits that count each caller for itself. */
export async function writeCheckedMesh(
  folder: string,
  { apiSpec, quotaSpec }: PolicyWorkload,
): Promise<CheckedMeshFiles> {
  const files: CheckedMeshFiles = {
    meshFolder: join(folder, 'mesh'),
    meshConfigFile: join(folder, 'mesh-config.json'),
    policyConfigFile: join(folder, 'policy-config.json'),
  };
  await mkdir(files.meshFolder, { recursive: true });
  await writeFile(join(files.meshFolder, 'service.yaml'), serviceText());
  const bound = { services: [{ service: CHECKED_HOST }] };
  const objects = {
    'api.json': policyObject('HTTPAPISpec', apiSpec),
    'api-binding.json': policyObject('HTTPAPISpecBinding', { ...bound, apiSpecs: [{ name: NAME }] }),
    'quota.json': policyObject('QuotaSpec', quotaSpec),
    'quota-binding.json': policyObject('QuotaSpecBinding', { ...bound, quotaSpecs: [{ name: NAME }] }),
  };
  for (const [file, object] of Object.entries(objects)) {
    await writeFile(join(files.meshFolder, file), JSON.stringify(object));
  }
  const meshConfig = {
    defaultConfig: { discoveryAddress: '127.0.0.1:15010' },
    mixerCheckServer: 'embedded',
    disablePolicyChecks: false,
    policyCheckFailOpen: false,
  };
  await writeFile(files.meshConfigFile, JSON.stringify(meshConfig));
  const names = new Set(quotaSpec.rules?.flatMap(({ quotas = [] }) => quotas.map(({ quota }) => quota)));
  const quotas = [...names].map((name) => ({
    name,
    maxAmount: UNREACHED_AMOUNT,
    validDuration: '1m',
    dimensions: ['request.api_key'],
  }));
  await writeFile(files.policyConfigFile, JSON.stringify({ quotas }));
  return files;
}

function serviceText(): string {
  return formatServiceFile({
    name: NAME,
    namespace: NAMESPACE,
    kind: 'http',
    clusterIp: '10.96.0.1',
    ports: [{ name: 'http', port: 80, targetPort: 8080 }],
    endpoints: [{ address: ADDRESS, nodeName: 'node-1', zone: 'zone-1' }],
  });
}

function policyObject(kind: string, spec: object): object {
  return { apiVersion: 'config.mesh.internal/v1alpha2', kind, metadata: { name: NAME, namespace: NAMESPACE }, spec };
}
