import type { KubernetesManifest } from '../counterparts/kubernetes/kubernetes-client.js';

export interface PlainWorkloadOptions {
  readonly name: string;
  readonly namespace: string;
  readonly replicas?: number;
}

/** Where the app answers. */
export const APP_PORT = 8080;

const PROBED_PATH = '/ready';
/** How long an app that got SIGTERM waits for another request, as long as callers may not know that its pod ends. */
const QUIET_MS = 3_000;

const APP = `
  let lastRequest = 0;
  const server = require('node:http').createServer((request, response) => {
    if (request.url !== '${PROBED_PATH}') lastRequest = Date.now();
    response.writeHead(200, { 'x-served-by': process.env.HOSTNAME });
    response.end(request.headers['x-forwarded-client-cert'] ?? 'nobody');
  });
  server.keepAliveTimeout = 600000;
  server.listen(${APP_PORT});
  process.on('SIGTERM', () => {
    lastRequest = Date.now();
    setInterval(() => Date.now() - lastRequest < ${QUIET_MS} || process.exit(), 100);
  });
`;

/**
 * A workload without any mesh settings: an app that answers with the identity of its caller and, after SIGTERM, serves on
 * until its callers have left, its service account, and a Service of its name.
 */
export function plainWorkload({ name, namespace, replicas = 1 }: PlainWorkloadOptions): readonly KubernetesManifest[] {
  const labels = { app: name };
  const app = {
    name: 'app',
    image: 'host',
    command: [process.execPath, '-e', APP],
    ports: [{ name: 'http', containerPort: APP_PORT }],
    readinessProbe: { httpGet: { path: PROBED_PATH, port: 'http' }, periodSeconds: 1 },
  };
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { serviceAccountName: name, containers: [app] } },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace },
      spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
    },
  ];
}
