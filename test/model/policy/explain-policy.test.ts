import test from 'ava';
import type { PolicyMeshConfig } from '../../../src/config/mesh/mesh-config.js';
import { uncheckedReason, unreportedReason } from '../../../src/model/policy/explain-policy.js';
import { proxyPolicyOf } from '../../../src/model/policy/proxy-policy.js';
import { buildProxy } from '../../generators/context-builder.js';
import fc from '../../support/property-testing.js';
import { meshWith } from './mesh-with.js';

const anyMesh: fc.Arbitrary<Partial<PolicyMeshConfig>> = fc.record({
  mixerCheckServer: fc.constantFrom('', 'embedded', 'p.x:1'),
  mixerReportServer: fc.constantFrom('', 'embedded', 'p.x:1'),
  disablePolicyChecks: fc.boolean(),
  enableClientSidePolicyCheck: fc.boolean(),
  disableMixerHttpReports: fc.boolean(),
});
const anyProxy = fc
  .tuple(
    fc.constantFrom('sidecar' as const, 'router' as const),
    fc.constantFrom(undefined, 'enable' as const, 'allow-on-error' as const, 'disable' as const),
  )
  .map(([type, check]) => buildProxy({ type }, check === undefined ? {} : { policy: { check } }));

test('a reason not to check or to report is given exactly where a proxy does not', (t) => {
  fc.assert(
    fc.property(anyMesh, anyProxy, (settings, proxy) => {
      const mesh = meshWith(settings);
      const policy = proxyPolicyOf(mesh, proxy);
      t.is(uncheckedReason(mesh, proxy, 'inbound') === undefined, policy?.inboundChecks ?? false);
      t.is(uncheckedReason(mesh, proxy, 'outbound') === undefined, policy?.outboundChecks ?? false);
      t.is(unreportedReason(mesh, 'http') === undefined, policy?.httpReports ?? false);
      t.is(unreportedReason(mesh, 'tcp') === undefined, policy?.tcpReports ?? false);
    }),
    { numRuns: 500 },
  );
});
