import type { NodeIdentity } from '../../../bench/wire/node-message.js';

/** A core Service with a cluster IP. */
export function service(name: string, { port = 80, clusterIP = '10.96.0.1' } = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'shop' },
    spec: { clusterIP, ports: [{ name: 'http', port, targetPort: 8080 }] },
  });
}

/** Its core Endpoints. */
export function endpoints(name: string, ...ips: readonly string[]): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name, namespace: 'shop' },
    subsets: ips.length === 0 ? [] : [{ addresses: ips.map((ip) => ({ ip })), ports: [{ name: 'http', port: 8080 }] }],
  });
}

export function serviceEntry(name: string, { host = `${name}.example.com`, labels = {} } = {}): string {
  return JSON.stringify({
    apiVersion: 'networking.mesh.internal/v1beta1',
    kind: 'ServiceEntry',
    metadata: { name, namespace: 'shop', labels },
    spec: { hosts: [host], ports: [{ number: 80, name: 'http', protocol: 'HTTP' }], resolution: 'DNS' },
  });
}

export function documents(...texts: readonly string[]): string {
  return texts.join('\n---\n');
}

/** A sidecar of namespace shop. */
export function sidecar(address = '10.0.0.1', metadata: NodeIdentity['metadata'] = {}): NodeIdentity {
  return { id: `sidecar~${address}~pod.shop~shop.svc.cluster.local`, cluster: 'pod', metadata };
}
