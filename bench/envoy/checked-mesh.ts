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

/** The service whose quota Envoy enforces itself. */
const FAST_NAME = 'fast';
const FAST_HOST = `${FAST_NAME}.${NAMESPACE}.svc.cluster.local`;

/** Name of the filter that counts its HTTP. */
export const FAST_FILTER_NAME = `policy|fast|inbound|81|http|${FAST_HOST}`;

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
  await writeFile(join(files.meshFolder, 'service.yaml'), serviceText(NAME, 80));
  await writeFile(join(files.meshFolder, 'fast-service.yaml'), serviceText(FAST_NAME, 81));
  const bound = { services: [{ service: CHECKED_HOST }] };
  const objects = {
    'api.json': policyObject('HTTPAPISpec', apiSpec),
    'api-binding.json': policyObject('HTTPAPISpecBinding', { ...bound, apiSpecs: [{ name: NAME }] }),
    'quota.json': policyObject('QuotaSpec', quotaSpec),
    'quota-binding.json': policyObject('QuotaSpecBinding', { ...bound, quotaSpecs: [{ name: NAME }] }),
    'fast-quota.json': policyObject('QuotaSpec', FAST_SPEC, FAST_NAME),
    'fast-binding.json': policyObject(
      'QuotaSpecBinding',
      { services: [{ service: FAST_HOST }], quotaSpecs: [{ name: FAST_NAME }] },
      FAST_NAME,
    ),
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
  const quotas = [...names, FAST_NAME].map((name) => ({
    name,
    maxAmount: UNREACHED_AMOUNT,
    validDuration: '1m',
    dimensions: ['request.api_key'],
  }));
  await writeFile(files.policyConfigFile, JSON.stringify({ quotas }));
  return files;
}

const FAST_SPEC = { enforcement: 'fast', rules: [{ quotas: [{ quota: FAST_NAME }] }] };

function serviceText(name: string, port: number): string {
  return formatServiceFile({
    name,
    namespace: NAMESPACE,
    kind: 'http',
    clusterIp: `10.96.0.${port}`,
    ports: [{ name: 'http', port, targetPort: 8000 + port }],
    endpoints: [{ address: ADDRESS, nodeName: 'node-1', zone: 'zone-1' }],
  });
}

function policyObject(kind: string, spec: object, name = NAME): object {
  return { apiVersion: 'config.mesh.internal/v1alpha2', kind, metadata: { name, namespace: NAMESPACE }, spec };
}
