import { captureRules } from '../capture-rules.js';
import { type AdsAddress, buildAdsBootstrap, buildNode } from '../envoy-bootstrap.js';
import type { KubernetesManifest } from './kubernetes-client.js';

export interface MeshWorkloadOptions {
  readonly name: string;
  readonly namespace: string;
  readonly replicas: number;
  /** Of the control plane; default: that of the manifests. */
  readonly discovery?: AdsAddress;
}

const MESHD: AdsAddress = { address: 'meshd.mesh-system.svc', port: 15010 };

/** The app answers alike on both; policies of a Service are in force on the port that it leads to. */
const APP_PORTS = [8080, 8081] as const;

/** An app that answers with its pod's name; it keeps idle connections longer than Envoy does (agent/http-echo.ts). */
const APP = `
  for (const port of [${APP_PORTS.join()}]) {
    const server = require('node:http').createServer((request, response) => {
      response.writeHead(200, { 'x-served-by': process.env.HOSTNAME });
      response.end('served');
    });
    server.keepAliveTimeout = 600000;
    server.listen(port);
  }
`;

const fromField = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });

/**
 * A Deployment of an app with a sidecar, written by hand without injection: an init container captures the traffic of
 * the pod, and the arguments contain the bootstrap of Envoy, which Kubernetes completes from the pod.
 */
export function meshWorkload(options: MeshWorkloadOptions): KubernetesManifest {
  const { name, namespace, replicas, discovery = MESHD } = options;
  const labels = { app: name };
  const node = buildNode({ name: '$(POD_NAME)', namespace: '$(POD_NAMESPACE)', address: '$(POD_IP)', labels });
  const bootstrap = buildAdsBootstrap(node, discovery);
  const capture = {
    name: 'capture',
    image: 'host',
    command: ['sh', '-c', `printf '%s' "$RULES" | iptables-restore`],
    env: [{ name: 'RULES', value: captureRules({ mode: 'root', serviceCidrs: [] }) }],
  };
  const app = {
    name: 'app',
    image: 'host',
    command: [process.execPath, '-e', APP],
    ports: APP_PORTS.map((containerPort) => ({ containerPort })),
    // Through Envoy, like every connection from outside: ready when both are. On the port without a policy, for a
    // policy that cannot be asked for would make the pod unready.
    readinessProbe: { httpGet: { path: '/', port: APP_PORTS[1] } },
  };
  const proxy = {
    name: 'proxy',
    image: 'envoy',
    args: [
      ...['--config-yaml', JSON.stringify(bootstrap)],
      ...['--log-level', 'warning', '--concurrency', '1', '--disable-hot-restart'],
    ],
    env: [
      fromField('POD_NAME', 'metadata.name'),
      fromField('POD_NAMESPACE', 'metadata.namespace'),
      fromField('POD_IP', 'status.podIP'),
    ],
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { initContainers: [capture], containers: [app, proxy] } },
    },
  };
}

export interface MeshServiceOptions {
  readonly name: string;
  readonly namespace: string;
  readonly workload: string;
  readonly targetPort: (typeof APP_PORTS)[number];
}

/** A Service of one of the workload's ports, on port 80. */
export function meshService({ name, namespace, workload, targetPort }: MeshServiceOptions): KubernetesManifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { selector: { app: workload }, ports: [{ name: 'http', port: 80, targetPort }] },
  };
}
