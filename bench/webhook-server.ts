import { once } from 'node:events';
import { Registry } from 'prom-client';
import { systemClock } from '../src/base/clock.js';
import { tuneHeap } from '../src/cli/tune-heap.js';
import { createKindRegistry } from '../src/config/kinds.js';
import { createDefaultMeshConfig } from '../src/config/mesh/read-mesh-config.js';
import { nextPushContext } from '../src/model/snapshot/next-push-context.js';
import { createMeshStore } from '../src/model/store/mesh-store.js';
import type { TlsMaterialSource } from '../src/net/tls-material.js';
import type { Logger } from '../src/telemetry/logger.js';
import { createMetrics } from '../src/telemetry/metrics.js';
import { createReviewIntake } from '../src/webhooks/admission/review-intake.js';
import { createHttpsServer } from '../src/webhooks/https-server.js';
import { createCandidateWarnings } from '../src/webhooks/validation/candidate-warnings.js';
import { createValidationEndpoint } from '../src/webhooks/validation/validation-handler.js';
import { createWebhookApp } from '../src/webhooks/webhook-app.js';
import { createSelfSignedCertificate } from '../test/support/self-signed-certificate.js';
import type { WebhookServerReady, WebhookServerTask } from './webhook/webhook-protocol.js';

/** The validation webhook alone, forked by the bench: its HTTPS server, its validators, and a mesh to warn about. */

const MESH_DOMAIN = 'mesh.internal';

const logger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (fields, message) => console.error(message, fields),
  error: (fields, message) => console.error(message, fields),
  isDebugEnabled: () => false,
};

tuneHeap();
// Ends when the benchmark ends for any reason.
process.on('disconnect', () => process.exit(0));
const [task] = (await once(process, 'message')) as [WebhookServerTask];

const kinds = createKindRegistry(MESH_DOMAIN);
const store = createMeshStore(
  {
    domain: 'cluster.local',
    clusterId: 'bench',
    meshDomain: MESH_DOMAIN,
    revision: '',
    trustDomain: '',
    useEndpointSlice: true,
    servicesSelectWorkloadEntries: true,
    serviceEntriesSelectPods: true,
    edsForHeadlessServices: false,
  },
  { mesh: createDefaultMeshConfig(), networks: { networks: new Map() } },
);
const changes = task.mesh.map((raw) => {
  const result = kinds.read(raw, { defaultNamespace: 'default' });
  if (result.type !== 'object') throw new Error(`the bench made an object that is not read: ${JSON.stringify(result)}`);
  return { type: 'upsert', object: result.object } as const;
});
store.apply({ cluster: 'bench', changes });

const warnings = createCandidateWarnings({
  clock: systemClock,
  enforcement: () => ({ isPluginOn: true, limitedQuotas: undefined }),
});
warnings.observe(nextPushContext(undefined, store, new Date()));

const { certificate, key } = createSelfSignedCertificate();
const material: TlsMaterialSource = {
  current: () => ({ certificate: { certificateChain: certificate, privateKey: key }, clientRoots: [] }),
  onChange: () => () => undefined,
};
const validate = createValidationEndpoint({
  kinds,
  metrics: createMetrics(new Registry()),
  logger,
  warnings,
  clock: systemClock,
  intake: createReviewIntake({ clock: systemClock }),
});
const server = createHttpsServer({
  address: { host: '127.0.0.1', port: 0 },
  material,
  app: createWebhookApp({ validate, inject: undefined, logger }),
  logger,
  clock: systemClock,
});
const { port } = await server.start();
const ready: WebhookServerReady = { port, certificate, objects: changes.length };
process.send?.(ready);
