import type { ExecutionContext } from 'ava';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import type { WireMessage } from '../../../src/envoy/wire-message.js';
import type { PushRequest } from '../../../src/model/push-request.js';
import { DELTA } from '../../../src/xds/delta/delta-protocol.js';
import { ProxySession, type SessionOptions } from '../../../src/xds/proxy-session.js';
import { eventually } from '../../support/eventually.js';
import { pushRequest } from '../../support/push-requests.js';
import { connectClient } from '../grpc-client.js';
import { startRigServer } from '../rig-server.js';
import { bytesOf, createProbeStream, createRig, type Rig, type RigOptions } from '../session-rig.js';
import { type DeltaRequestFields, type DeltaResponse, deltaRequest, readDeltaResponse } from './delta-messages.js';

export const NODE = 'sidecar~10.0.0.1~pod.ns~ns.svc.cluster.local';
export const DELTA_ADS = '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources';

export const TYPES = {
  cds: TypeUrl.cluster,
  eds: TypeUrl.endpoint,
  rds: TypeUrl.route,
  vhds: TypeUrl.virtualHost,
  ecds: TypeUrl.extensionConfig,
} as const;
export type ShortType = keyof typeof TYPES;

export type Request = Omit<DeltaRequestFields, 'typeUrl'>;

/** What a response says, in short. */
export interface Told {
  /** Bodies, `name=body`. */
  readonly has: readonly string[];
  readonly lacks: readonly string[];
}

/** A delta client of the rig that reads the responses of each type in order. */
export interface DeltaClient {
  send(type: ShortType, request?: Request): void;
  /** The next response of a type; checks the rules that every response keeps. */
  next(type: ShortType): Promise<DeltaResponse>;
  ack(response: DeltaResponse, more?: Request): void;
  /** The next response, acknowledged, in short. */
  told(type: ShortType): Promise<Told>;
  /** Fails if a response of any type has not been read, after everything that is due has been sent. */
  nothing(t: ExecutionContext): Promise<void>;
  /** Short types of all responses so far, in order. */
  order(): readonly string[];
  close(): void;
}

/** Opens streams to one rig. */
export interface Wire {
  readonly rig: Rig;
  connect(): DeltaClient;
}

/** Opens streams with the session itself, without a transport. */
export function openSessions(_t: ExecutionContext, options: RigOptions = {}): Wire {
  const rig = createRig(options);
  return { rig, connect: () => connectSession(rig).client };
}

/** Opens streams over gRPC on the loopback device. */
export async function openGrpc(t: ExecutionContext, options: RigOptions = {}): Promise<Wire> {
  const rig = await startRigServer(t, options);
  return {
    rig,
    connect: () => {
      const client = connectClient(rig.port, DELTA_ADS);
      t.teardown(client.close);
      return createDeltaClient({
        send: client.sendBytes,
        received: () => client.messages,
        close: client.close,
      });
    },
  };
}

export function connectSession(rig: Rig, options: SessionOptions = {}) {
  const stream = createProbeStream();
  const session = new ProxySession(rig.environment, stream, { variant: DELTA, ...options });
  const client = createDeltaClient({
    send: (request) => void session.receive(request),
    received: () => stream.sent.map((message) => bytesOf(message as WireMessage)),
    close: () => {
      session.close();
      rig.distributor.remove(session);
    },
  });
  return { session, stream, client };
}

interface Transport {
  send(request: Buffer): void;
  received(): readonly Buffer[];
  close(): void;
}

let probes = 0;

function createDeltaClient({ send, received, close }: Transport): DeltaClient {
  const read: Record<string, number> = {};
  let isFirst = true;
  const responses = (type: ShortType): readonly DeltaResponse[] =>
    received()
      .map(readDeltaResponse)
      .filter(({ typeUrl }) => typeUrl === TYPES[type]);
  const client: DeltaClient = {
    send: (type, request = {}) => {
      const node = isFirst ? { node: NODE } : {};
      isFirst = false;
      send(deltaRequest({ ...node, typeUrl: TYPES[type], ...request }));
    },
    next: async (type) => {
      const index = read[type] ?? 0;
      const response = await eventually(`response ${index + 1} of ${type}`, () => responses(type)[index]);
      read[type] = index + 1;
      checkResponse(response);
      return response;
    },
    ack: ({ typeUrl, nonce }, more = {}) => send(deltaRequest({ typeUrl, nonce, ...more })),
    told: async (type) => {
      const response = await client.next(type);
      client.ack(response);
      return {
        has: response.resources.map(({ name, body }) => (body.length === 0 ? `${name}=` : String(body))),
        lacks: response.removed,
      };
    },
    nothing: async (t) => {
      // Routes come last in a push: when the answer to this name is there, so is everything before it.
      const probe = `probe-${++probes}`;
      client.send('rds', { subscribe: [probe] });
      await eventually('the answer to the probe', () => responses('rds').at(-1)?.removed.includes(probe));
      const all = responses('rds');
      t.deepEqual(
        all.slice(read['rds'] ?? 0).map(({ removed, resources }) => [removed, resources]),
        [[[probe], []]],
      );
      read['rds'] = all.length;
      client.ack(all.at(-1) as DeltaResponse, { unsubscribe: [probe] });
      for (const type of ['cds', 'eds', 'ecds', 'vhds'] as const) t.is(responses(type).length, read[type] ?? 0, type);
    },
    order: () =>
      received().map((message) => {
        const { typeUrl } = readDeltaResponse(message);
        return Object.entries(TYPES).find(([, url]) => url === typeUrl)?.[0] ?? typeUrl;
      }),
    close,
  };
  return client;
}

/** D24: no virtual host has the name. */
function isAnswerWithoutContent({ name, typeUrl, aliases }: DeltaResponse['resources'][number]): boolean {
  return typeUrl === '' && aliases.includes(name);
}

/** D16 and D30, which every response keeps: Envoy rejects the whole response otherwise. */
export function checkResponse({ typeUrl, resources, removed, otherFields }: DeltaResponse): void {
  const names = [...resources.map(({ name }) => name), ...removed];
  if (new Set(names).size !== names.length) throw new Error(`a response has a name twice: ${names.join(', ')}`);
  const other = resources.find((resource) => resource.typeUrl !== typeUrl && !isAnswerWithoutContent(resource));
  if (other !== undefined) throw new Error(`a response of ${typeUrl} has a resource of ${other.typeUrl}`);
  if (otherFields.length > 0) throw new Error(`a response has the fields ${otherFields.join(', ')}`);
}

/**
 * Changes the content, and pushes it.
 *
 * @param fields of the push; default: everything may have changed
 */
export function push(
  { rig }: Pick<Wire, 'rig'>,
  content: Partial<Rig['content']>,
  fields: Partial<PushRequest> = { changed: 'everything' },
): void {
  Object.assign(rig.content, content);
  rig.distributor.submit(pushRequest(fields));
  rig.clock.advance(0);
}
