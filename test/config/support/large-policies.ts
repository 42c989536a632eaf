import type { MeshObject } from '../../../src/config/object.js';
import { readObject } from './read-yaml.js';

/** AuthorizationPolicies of namespace `default` of about 200 KiB each, which is nearly as much as one may have. */
export function largePolicies(count: number): readonly MeshObject[] {
  const paths = Array.from({ length: 200 }, (_, index) => `/${index}`.padEnd(960, 'a'));
  return Array.from({ length: count }, (_, index) =>
    readObject(
      JSON.stringify({
        apiVersion: 'security.mesh.internal/v1beta1',
        kind: 'AuthorizationPolicy',
        metadata: { name: `large-${index}` },
        spec: { rules: [{ to: [{ operation: { paths } }] }] },
      }),
    ),
  );
}
