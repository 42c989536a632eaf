import test from 'ava';
import type { Proxy, ProxyMetadata } from '../../src/model/proxy.js';
import type { PushContext } from '../../src/model/push-context.js';
import type { Distributor } from '../../src/push/distributor.js';
import { createConnections } from '../../src/xds/connections.js';
import type { ProxySession } from '../../src/xds/proxy-session.js';
import { buildContext, buildProxy, MESH } from '../generators/context-builder.js';
import { peerAuthentication } from '../model/security/peer-authentication.js';
import { createFakeClock } from '../support/fake-clock.js';
import { createRecordingLogger } from '../support/recording-logger.js';
import { createRig } from './session-rig.js';

const MESSAGE = 'proxy without a certificate accepts plaintext although mutual TLS is STRICT';
const STRICT = { mtls: { mode: 'STRICT' } };

/** Whether it is warned of a proxy that connects. */
function isWarnedOf(spec: object, proxy: Partial<Proxy> = {}, metadata: Partial<ProxyMetadata> = {}): boolean {
  const context = buildContext({ peerAuthentications: [peerAuthentication('default/p', spec)] });
  return warningsOf(context, proxy, metadata).includes(MESSAGE);
}

function warningsOf(context: PushContext, proxy: Partial<Proxy>, metadata: Partial<ProxyMetadata>): readonly string[] {
  const distributor = { context, add: () => undefined } as unknown as Distributor;
  const logger = createRecordingLogger();
  const connections = createConnections(distributor, createRig().environment.metrics, logger, createFakeClock());
  connections.register({
    id: 'one',
    share: { peer: 'p' },
    proxy: buildProxy(proxy, metadata),
  } as unknown as ProxySession);
  return logger.records.filter(({ level }) => level === 'warn').map(({ message }) => message);
}

test('a proxy without a certificate for which mutual TLS is STRICT is logged', (t) => {
  t.true(isWarnedOf(STRICT));
  const port = { selector: { matchLabels: { app: 'web' } }, portLevelMtls: { 80: { mode: 'STRICT' } } };
  t.true(isWarnedOf(port, {}, { labels: { app: 'web' } }));
});

test('a proxy with a certificate, or without STRICT, is not logged', (t) => {
  t.false(isWarnedOf({}));
  t.false(isWarnedOf({ mtls: { mode: 'PERMISSIVE' } }));
  t.false(isWarnedOf(STRICT, { hasSecrets: true }));
  t.false(isWarnedOf(STRICT, { configNamespace: 'elsewhere' }));
  t.false(isWarnedOf(STRICT, { type: 'router' }));
  t.false(isWarnedOf(STRICT, {}, { interceptionMode: 'NONE' }));
});

test('a sidecar that should learn on demand, but does not speak delta, is logged', (t) => {
  const message = 'on-demand proxy gets everything at once because it does not speak delta xDS';
  const [on, off] = [buildContext({ mesh: { ...MESH, onDemand: true } }), buildContext()];
  t.deepEqual(warningsOf(on, {}, {}), [message]);
  t.deepEqual(warningsOf(off, {}, { onDemand: true }), [message]);
  t.deepEqual(warningsOf(off, {}, {}), []);
  t.deepEqual(warningsOf(on, {}, { onDemand: false }), []);
  t.deepEqual(warningsOf(on, { type: 'router' }, {}), []);
  t.deepEqual(warningsOf(on, { speaksDelta: true }, {}), []);
});
