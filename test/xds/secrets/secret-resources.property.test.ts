import test from 'ava';
import protobuf from 'protobufjs';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { ProxySession } from '../../../src/xds/proxy-session.js';
import { createSecretService } from '../../../src/xds/secrets/secret-service.js';
import fc from '../../support/property-testing.js';
import { bytesOf, createProbeStream, createRig, discoveryRequest, readResponse } from '../session-rig.js';
import { createManualSource, SECRET_ENCODER } from './secret-sources.js';

const IDENTITY = { trustDomain: 'cluster.local', namespace: 'ns', serviceAccount: 'web' };
const NODE = 'sidecar~10.0.0.1~pod.ns~ns.svc.cluster.local';

type Step =
  | { readonly type: 'ask'; readonly names: readonly string[] }
  | { readonly type: 'answer'; readonly names: readonly string[]; readonly isRejection: boolean }
  | { readonly type: 'stale' }
  | { readonly type: 'change'; readonly certificate: number; readonly roots: number };

const names = fc.subarray(['default', 'ROOTCA', 'other']);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant('ask' as const), names }),
  fc.record({ type: fc.constant('answer' as const), names, isRejection: fc.boolean() }),
  fc.record({ type: fc.constant('stale' as const) }),
  fc.record({ type: fc.constant('change' as const), certificate: fc.nat(3), roots: fc.nat(3) }),
);

/** Lets the push queue and written messages settle. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
};

/** What a proxy has after a response: content by name. */
function merge(has: Map<string, string>, bodies: readonly string[]): void {
  for (const body of bodies) {
    const reader = protobuf.Reader.create(Buffer.from(body));
    reader.uint32();
    has.set(reader.string(), body);
  }
}

test('for any requests, answers and changes, one response is unanswered at a time, and the proxy ends with the newest secrets', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const rig = createRig();
      const source = createManualSource({ chain: 'c0', privateKey: 'k0', roots: 'r0' });
      const parts = { ...rig.environment, encoder: SECRET_ENCODER, controlPlane: 'test' };
      const stream = createProbeStream();
      const environment = { ...rig.environment, secrets: createSecretService(source, parts) };
      const session = new ProxySession(environment, stream, { callerIdentities: [IDENTITY] });
      const send = (fields: Parameters<typeof discoveryRequest>[0]): void =>
        void session.receive(discoveryRequest({ node: NODE, typeUrl: TypeUrl.secret, ...fields }));
      const responses = () => stream.sent.map((message) => readResponse(bytesOf(message)));
      let answered = 0;
      let wanted: readonly string[] = [];
      let newest = { default: 'k0', ROOTCA: 'r0' };
      const has = new Map<string, string>();
      const refused: string[] = [];

      const answer = (asked: readonly string[], isRejection: boolean): void => {
        const response = responses()[answered];
        if (response === undefined) return;
        if (isRejection) refused.push(...response.bodies);
        else merge(has, response.bodies);
        answered++;
        wanted = asked;
        send({ nonce: response.nonce, names: asked, ...(isRejection ? { error: 'no' } : {}) });
      };

      for (const each of steps) {
        if (each.type === 'ask') {
          answered = stream.sent.length;
          has.clear();
          wanted = each.names;
          send({ names: each.names });
        } else if (each.type === 'answer') answer(each.names, each.isRejection);
        else if (each.type === 'stale') send({ nonce: 'stale', names: ['default'] });
        else if (source.opened[0] !== undefined) {
          const { certificate, roots } = each;
          newest = { default: `k${certificate}`, ROOTCA: `r${roots}` };
          source.opened[0].change({ chain: `c${certificate}`, privateKey: newest.default, roots: newest.ROOTCA });
        }
        await settle();
        if (stream.sent.length - answered > 1) return false;
      }
      while (stream.sent.length > answered) {
        answer(wanted, false);
        await settle();
      }
      return (['default', 'ROOTCA'] as const)
        .filter((name) => wanted.includes(name))
        .every((name) => [has.get(name), ...refused].some((body) => body?.includes(newest[name])));
    }),
    { numRuns: 500 },
  );
  t.pass();
});
