import type { Manifest } from '../counterparts/config-folder.js';
import { serviceEntryManifest } from '../counterparts/manifests.js';

/** A host whose requests two subsets share. */
export const SPLIT = { host: 'split.example.com', address: '10.96.0.20' };

/**
 * Objects of the split host. Every round changes the weights and a rule, and marks answers with `x-round`; every third
 * round the subsets have other names.
 *
 * @param addresses of the first subset and of the second, both with a server at port 8080
 */
export function splitRoutes(round: number, [firstAddress, secondAddress]: readonly [string, string]) {
  const [first, second] = [`first-${Math.floor(round / 3)}`, `second-${Math.floor(round / 3)}`];
  const networking = (kind: string, spec: object): Manifest => ({
    apiVersion: 'networking.mesh.internal/v1beta1',
    kind,
    metadata: { name: 'split', namespace: 'default' },
    spec,
  });
  const to = (subset: string, weight: number) => ({ destination: { host: SPLIT.host, subset }, weight });
  const weight = (round * 37) % 101;
  const mark = { headers: { response: { set: { 'x-round': `${round}` } } } };
  const tester = { match: [{ headers: { 'x-tester': { exact: `${round}` } } }], route: [to(second, 100)], ...mark };
  return [
    serviceEntryManifest('split', {
      hosts: [SPLIT.host],
      addresses: [SPLIT.address],
      location: 'MESH_INTERNAL',
      resolution: 'STATIC',
      ports: [{ number: 80, name: 'http', protocol: 'HTTP', targetPort: 8080 }],
      endpoints: [
        { address: firstAddress, labels: { version: 'v1' } },
        { address: secondAddress, labels: { version: 'v2' } },
      ],
    }),
    networking('DestinationRule', {
      host: SPLIT.host,
      ...(round % 2 === 0 ? { trafficPolicy: { loadBalancer: { simple: 'ROUND_ROBIN' } } } : {}),
      subsets: [
        { name: first, labels: { version: 'v1' } },
        { name: second, labels: { version: 'v2' } },
      ],
    }),
    networking('VirtualService', {
      hosts: [SPLIT.host],
      http: [...(round % 2 === 0 ? [tester] : []), { route: [to(first, 100 - weight), to(second, weight)], ...mark }],
    }),
  ];
}
