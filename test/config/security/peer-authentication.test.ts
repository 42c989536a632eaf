import test from 'ava';
import { createKindRegistry } from '../../../src/config/kinds.js';
import type { PeerAuthenticationSpec } from '../../../src/config/security/peer-authentication.js';
import { readObject, refusalsOf } from '../support/read-yaml.js';

function policy(spec: string): string {
  return `{apiVersion: security.mesh.internal/v1beta1, kind: PeerAuthentication, metadata: {name: p}, spec: ${spec}}`;
}

const SELECTOR = 'selector: {matchLabels: {app: web}}';

const accepted: readonly (readonly [string, string])[] = [
  ['no fields, which inherits', '{}'],
  ['a mode for all workloads', '{mtls: {mode: STRICT}}'],
  ['mtls without a mode', '{mtls: {}}'],
  ['an empty selector', '{selector: {}, mtls: {mode: DISABLE}}'],
  ['a selector', `{${SELECTOR}, mtls: {mode: PERMISSIVE}}`],
  ['ports with modes of their own', `{${SELECTOR}, portLevelMtls: {1: {mode: DISABLE}, "65535": {mode: UNSET}}}`],
  ['label keys with a prefix', '{selector: {matchLabels: {app.kubernetes.io/name: ""}}}'],
];

for (const [what, spec] of accepted) {
  test(`${what} is accepted`, (t) => {
    t.deepEqual(refusalsOf(policy(spec)), []);
  });
}

const PORTS_NEED_LABELS =
  'spec.portLevelMtls: a mapping: is set without labels in selector, so it would apply to ports of every workload; select the workloads by selector.matchLabels, or remove portLevelMtls and set mtls';

const refused: readonly (readonly [string, string, string])[] = [
  [
    'an unknown mode',
    '{mtls: {mode: strict}}',
    'spec.mtls.mode: "strict": is not one of the allowed values; use UNSET',
  ],
  ['ports without a selector', '{portLevelMtls: {80: {mode: STRICT}}}', PORTS_NEED_LABELS],
  ['ports with an empty selector', '{selector: {matchLabels: {}}, portLevelMtls: {80: {}}}', PORTS_NEED_LABELS],
  [
    'no ports',
    `{${SELECTOR}, portLevelMtls: {}}`,
    'spec.portLevelMtls: {}: has no ports; add a port with its mode, or remove portLevelMtls',
  ],
  ...['0', '65536', '-1', '8080x', '080', 'http'].map((port): readonly [string, string, string] => [
    `port ${port}`,
    `{${SELECTOR}, portLevelMtls: {"${port}": {mode: STRICT}}}`,
    `${/^[a-z]/.test(port) ? `spec.portLevelMtls.${port}` : `spec.portLevelMtls["${port}"]`}: "${port}": is not a port number; use the port number that the workload listens on, 1 to 65535`,
  ]),
  [
    'a wildcard label value',
    '{selector: {matchLabels: {app: "web-*"}}}',
    'spec.selector.matchLabels.app: "web-*": has "*" in its value, but labels take no wildcards; write the label as',
  ],
  [
    'a wildcard label key',
    '{selector: {matchLabels: {"*": web}}}',
    'spec.selector.matchLabels["*"]: "web": has "*" in its key, but labels take no wildcards',
  ],
  [
    'an empty label key',
    '{selector: {matchLabels: {"": web}}}',
    'spec.selector.matchLabels[""]: is not a valid label key',
  ],
  [
    'an unknown field',
    '{mtsl: {}}',
    'spec.mtsl: {}: is not a known field; known fields here are selector, mtls, portLevelMtls',
  ],
];

for (const [what, spec, expected] of refused) {
  test(`${what} is refused with field, value and remedy`, (t) => {
    const refusals = refusalsOf(policy(spec));
    t.is(refusals.length, 1, refusals.join('\n'));
    t.true(refusals[0]?.startsWith(`PeerAuthentication default/p: ${expected}`), refusals[0]);
  });
}

test('a missing mode is UNSET, and a missing level is absent', (t) => {
  const body = (spec: string) => readObject(policy(spec)).body as PeerAuthenticationSpec;
  t.deepEqual(body('{}'), {});
  t.deepEqual(body(`{${SELECTOR}, mtls: {}, portLevelMtls: {80: {}}}`), {
    selector: { matchLabels: { app: 'web' } },
    mtls: { mode: 'UNSET' },
    portLevelMtls: { 80: { mode: 'UNSET' } },
  });
});

test('the kind has the security group and one version', (t) => {
  const registry = createKindRegistry('acme.io');
  t.deepEqual(registry.apiVersionsOf('PeerAuthentication'), ['security.acme.io/v1beta1']);
});
