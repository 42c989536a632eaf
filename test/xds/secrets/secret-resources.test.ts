import test from 'ava';
import { createMessageJson, type Json } from '../../../src/envoy/message-json.js';
import { loadProtoRegistry } from '../../../src/envoy/proto-registry.js';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { ProxySession } from '../../../src/xds/proxy-session.js';
import type { WorkloadCertificate } from '../../../src/xds/secrets/secret-service.js';
import { createSecretService } from '../../../src/xds/secrets/secret-service.js';
import type { SessionEnvironment } from '../../../src/xds/session-environment.js';
import {
  bytesOf,
  createProbeStream,
  createRig,
  discoveryRequest,
  type ProbeStream,
  type RequestFields,
  type Rig,
  readResponse,
} from '../session-rig.js';
import { createManualSource, type ManualSource, SECRET_ENCODER } from './secret-sources.js';

const IDENTITY = { trustDomain: 'cluster.local', namespace: 'ns', serviceAccount: 'web' };
const NODE = 'sidecar~10.0.0.1~pod.ns~ns.svc.cluster.local';
const JSON_OF = createMessageJson(loadProtoRegistry());
const BOTH = ['default', 'ROOTCA'];

const certificate = (name: string, roots = 'roots'): WorkloadCertificate => ({
  chain: `chain ${name}`,
  privateKey: `SECRET KEY ${name}`,
  roots,
});

interface Probe {
  readonly rig: Rig;
  readonly source: ManualSource;
  readonly session: ProxySession;
  readonly stream: ProbeStream;
  ask(fields: RequestFields): void;
  /** Answers the newest response. */
  answer(fields?: RequestFields): void;
  /** What each response had, as `name: text`. */
  responses(): readonly (readonly string[])[];
  lastNonce(): string;
}

function connect(initial: WorkloadCertificate | undefined, isAuthenticated = true): Probe {
  const rig = createRig();
  const source = createManualSource(initial);
  const secrets = createSecretService(source, { ...rig.environment, encoder: SECRET_ENCODER, controlPlane: 'test' });
  const environment: SessionEnvironment = { ...rig.environment, secrets };
  const stream = createProbeStream();
  const session = new ProxySession(environment, stream, isAuthenticated ? { callerIdentities: [IDENTITY] } : {});
  const lastNonce = () => readResponse(bytesOf(stream.sent.at(-1) ?? { pieces: [], byteLength: 0 })).nonce;
  const ask = (fields: RequestFields) => session.receive(discoveryRequest({ typeUrl: TypeUrl.secret, ...fields }));
  return {
    rig,
    source,
    session,
    stream,
    ask,
    answer: (fields = { names: BOTH }) => ask({ nonce: lastNonce(), ...fields }),
    responses: () => stream.sent.map((message) => secretsOf(bytesOf(message))),
    lastNonce,
  };
}

interface Response {
  readonly resources?: readonly Json[];
  readonly typeUrl: string;
}

/** Reads a response as a proxy would. */
function secretsOf(bytes: Buffer): readonly string[] {
  const response = JSON_OF.bytesToJson('type.googleapis.com/envoy.service.discovery.v3.DiscoveryResponse', bytes);
  const { resources = [], typeUrl } = response as unknown as Response;
  if (typeUrl !== TypeUrl.secret) throw new Error(`a response of type ${typeUrl}`);
  return resources.map((resource) => {
    const { name, tlsCertificate, validationContext } = resource as Record<string, Record<string, Json>>;
    const text = (value: Json | undefined) => (value as Record<string, string> | undefined)?.['inlineString'];
    const content = tlsCertificate
      ? `${text(tlsCertificate['certificateChain'])}, ${text(tlsCertificate['privateKey'])}`
      : text(validationContext?.['trustedCa']);
    return `${String(name)}: ${content}`;
  });
}

/** Lets written messages settle. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
};

test('a workload with a proven identity gets its certificate and the roots, by name', async (t) => {
  const probe = connect(certificate('1'));
  probe.ask({ node: NODE, names: BOTH });
  await settle();
  t.deepEqual(probe.responses(), [['ROOTCA: roots', 'default: chain 1, SECRET KEY 1']]);
  t.deepEqual(
    probe.source.opened.map(({ identity }) => identity),
    [IDENTITY],
  );
  probe.answer();
  await settle();
  t.is(probe.stream.sent.length, 1);
  t.is(probe.rig.counts['pushed sds'], 1);
});

test('only requested secrets are sent, and secrets that are requested later come then', async (t) => {
  const probe = connect(certificate('1'));
  probe.ask({ node: NODE, names: ['ROOTCA'] });
  await settle();
  probe.answer({ names: ['ROOTCA', 'default'] });
  await settle();
  probe.answer({ names: ['default'] });
  await settle();
  // The proxy unsubscribed from the roots, and subscribes to them again.
  probe.answer({ names: BOTH });
  await settle();
  t.deepEqual(probe.responses(), [['ROOTCA: roots'], ['default: chain 1, SECRET KEY 1'], ['ROOTCA: roots']]);
});

test('a certificate that is not there yet comes as soon as it is', async (t) => {
  const probe = connect(undefined);
  probe.ask({ node: NODE, names: BOTH });
  await settle();
  t.deepEqual(probe.responses(), []);
  probe.source.opened[0]?.change(certificate('1'));
  await settle();
  t.deepEqual(probe.responses(), [['ROOTCA: roots', 'default: chain 1, SECRET KEY 1']]);
});

test('a newer certificate is pushed without the roots, and newer roots without the certificate', async (t) => {
  const probe = connect(certificate('1'));
  probe.ask({ node: NODE, names: BOTH });
  const [secrets] = probe.source.opened;
  probe.answer();
  await settle();
  secrets?.change(certificate('2'));
  await settle();
  probe.answer();
  await settle();
  secrets?.change(certificate('2', 'old and new roots'));
  await settle();
  probe.answer();
  await settle();
  secrets?.change(certificate('2', 'old and new roots'));
  await settle();
  t.deepEqual(probe.responses().slice(1), [['default: chain 2, SECRET KEY 2'], ['ROOTCA: old and new roots']]);
});

test('while a response is unanswered no other follows it, and then only the newest one', async (t) => {
  const probe = connect(certificate('1'));
  probe.ask({ node: NODE, names: BOTH });
  await settle();
  for (const name of ['2', '3', '4']) probe.source.opened[0]?.change(certificate(name));
  await settle();
  t.is(probe.stream.sent.length, 1);
  probe.answer();
  await settle();
  t.deepEqual(probe.responses().slice(1), [['default: chain 4, SECRET KEY 4']]);
});

test('a proxy that does not read gets no second response', async (t) => {
  const probe = connect(certificate('1'));
  probe.stream.stall = true;
  probe.ask({ node: NODE, names: BOTH });
  await settle();
  probe.ask({ names: BOTH });
  probe.source.opened[0]?.change(certificate('2'));
  probe.ask({ names: BOTH });
  await settle();
  t.is(probe.stream.sent.length, 1);
});

test('a rejected secret is logged without its content, and not sent again before it changes', async (t) => {
  const probe = connect(certificate('bad'));
  probe.ask({ node: NODE, names: BOTH });
  await settle();
  probe.answer({ names: BOTH, error: 'Failed to load private key from <inline>' });
  await settle();
  t.is(probe.stream.sent.length, 1);
  t.is(probe.rig.counts[`rejected sds ${NODE} INTERNAL`], 1);
  probe.source.opened[0]?.change(certificate('good'));
  await settle();
  // As of any type, the next response repeats the valid resources of the rejected one.
  t.deepEqual(probe.responses().slice(1), [['ROOTCA: roots', 'default: chain good, SECRET KEY good']]);
  const logged = JSON.stringify(probe.rig.logger.records);
  t.true(logged.includes('Failed to load private key'));
  t.false(logged.includes('SECRET KEY'));
});

test('a repeated rejection of a secret is counted, and logged once', async (t) => {
  const probe = connect(certificate('bad'));
  probe.ask({ node: NODE, names: BOTH });
  await settle();
  for (let count = 0; count < 100; count++) probe.answer({ names: BOTH, error: 'no' });
  await settle();
  t.is(probe.stream.sent.length, 1);
  t.is(probe.rig.counts[`rejected sds ${NODE} INTERNAL`], 100);
  t.is(probe.rig.logger.records.filter(({ level }) => level === 'warn').length, 1);
});

test('an answer to an older response changes nothing', async (t) => {
  const probe = connect(certificate('1'));
  probe.ask({ node: NODE, names: BOTH });
  await settle();
  probe.ask({ nonce: 'of another stream', names: ['default'] });
  probe.source.opened[0]?.change(certificate('2'));
  await settle();
  t.is(probe.stream.sent.length, 1);
  t.is(probe.rig.counts['nonceExpired sds'], 1);
});

test('a proxy that subscribes again on its stream gets all secrets again', async (t) => {
  const probe = connect(certificate('1'));
  probe.ask({ node: NODE, names: BOTH });
  await settle();
  probe.ask({ names: BOTH });
  await settle();
  const [first, second] = probe.responses();
  t.deepEqual(second, first);
  t.is(probe.source.opened.length, 1);
});

test('a stream without a proven identity gets no secrets', async (t) => {
  const probe = connect(certificate('1'), false);
  for (const node of [NODE, NODE]) probe.ask({ node, names: BOTH });
  await settle();
  t.is(probe.session.proxy?.hasSecrets, false);
  t.deepEqual(probe.source.opened, []);
  t.deepEqual(probe.stream.sent, []);
  t.deepEqual(
    probe.rig.logger.records.filter(({ level }) => level === 'warn').map(({ message }) => message),
    ['proxy requests secrets on a stream without a proven identity'],
  );
});

test('a session of a proven workload has secrets, which no snapshot of it shows', async (t) => {
  const probe = connect(certificate('1'));
  probe.ask({ node: NODE, names: BOTH });
  await settle();
  t.is(probe.stream.sent.length, 1);
  t.is(probe.session.proxy?.hasSecrets, true);
  t.is(probe.session.namesOf(TypeUrl.secret), undefined);
  const snapshot = probe.session.snapshot();
  t.false(JSON.stringify({ ...snapshot, watches: [...(snapshot?.watches ?? [])] }).includes('SECRET KEY'));
});

test('names that do not exist are logged once, and delay no other name', async (t) => {
  const probe = connect(certificate('1'));
  const names = [...BOTH, 'kubernetes://other', 'file-root:/etc/passwd'];
  probe.ask({ node: NODE, names });
  await settle();
  probe.answer({ names });
  t.is(probe.responses()[0]?.length, 2);
  const warnings = probe.rig.logger.records.filter(({ message }) => message.includes('do not exist'));
  t.is(warnings.length, 1);
});

for (const [how, end] of [
  ['closes', (session: ProxySession) => session.close()],
  ['is ended', (session: ProxySession) => session.end()],
] as const) {
  test(`when the stream ${how}, its secrets are closed once, and no listener stays`, async (t) => {
    const probe = connect(certificate('1'));
    probe.ask({ node: NODE, names: BOTH });
    await settle();
    end(probe.session);
    probe.session.close();
    const [secrets] = probe.source.opened;
    t.true(secrets?.isClosed);
    t.is(secrets?.listeners, 0);
    secrets?.change(certificate('2'));
    await settle();
    t.is(probe.stream.sent.length, 1);
  });
}
