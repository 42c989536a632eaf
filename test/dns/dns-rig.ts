import { createSocket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { connect } from 'node:net';
import { type DecodedPacket, decode, encode, type Packet } from 'dns-packet';
import { Registry } from 'prom-client';
import { type Clock, systemClock } from '../../src/base/clock.js';
import { createDnsServer, type DnsSettings } from '../../src/dns/dns-server.js';
import type { PushContext } from '../../src/model/push-context.js';
import type { ListenAddress } from '../../src/net/listen-address.js';
import type { TlsMaterialSource } from '../../src/net/tls-material.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import type { Teardown } from '../bootstrap/support/cleanup.js';
import { createRecordingLogger } from '../support/recording-logger.js';

export const LOOPBACK = '127.0.0.1';

export type QuestionType = 'A' | 'AAAA' | 'ANY' | 'TXT' | 'AXFR';

/** A running DNS server, with clients. */
export interface DnsRig {
  readonly port: number;
  /** The resolver library c-ares, as Node.js has it. */
  readonly resolver: dns.Resolver;
  /** Sends one datagram and waits for the answer. */
  ask(packet: Packet | Buffer): Promise<DecodedPacket & { readonly rcode?: string; readonly bytes: number }>;
  observe(context: PushContext): void;
  /** Value of a metric, 0 if it has not been recorded. */
  metric(name: string, labels?: Readonly<Record<string, string>>): Promise<number>;
  readonly records: ReturnType<typeof createRecordingLogger>['records'];
  stop(): Promise<void>;
}

export interface DnsRigParts {
  readonly context?: PushContext;
  readonly upstream?: readonly ListenAddress[];
  readonly settings?: Partial<DnsSettings>;
  readonly material?: TlsMaterialSource;
  readonly clock?: Clock;
}

const SETTINGS: DnsSettings = {
  address: { host: LOOPBACK, port: 0 },
  tlsServer: undefined,
  rootsFile: '',
  systemServers: () => [],
  cacheBytes: 1 << 20,
  timeoutMs: 5_000,
  idleMs: 10_000,
  answersPerSecond: 50_000,
  clientAnswersPerSecond: 25_000,
  maxQueries: 1_000,
  maxConnections: 1_000,
};
const NO_MATERIAL: TlsMaterialSource = { current: () => undefined, onChange: () => () => undefined };

export async function startDns(t: Teardown, parts: DnsRigParts = {}): Promise<DnsRig> {
  const registry = new Registry();
  const logger = createRecordingLogger();
  const server = createDnsServer({
    settings: { ...SETTINGS, systemServers: () => parts.upstream ?? [], ...parts.settings },
    metrics: createMetrics(registry),
    logger,
    clock: parts.clock ?? systemClock,
    random: Math.random,
  });
  if (parts.context !== undefined) server.observe(parts.context);
  const { port } = await server.start(parts.material ?? NO_MATERIAL);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= server.stop();
    return stopped;
  };
  t.teardown(stop);
  return {
    port,
    resolver: resolverOf(port),
    ask: (packet) => askOverUdp(port, packet),
    observe: server.observe,
    metric: async (name, labels = {}) => {
      const metric = (await registry.getMetricsAsJSON()).find((each) => each.name === name);
      const value = metric?.values.find((each) =>
        Object.entries(labels).every(([key, text]) => each.labels[key] === text),
      );
      return value?.value ?? 0;
    },
    records: logger.records,
    stop,
  };
}

/** c-ares with one server, without retries that hide lost answers. */
export function resolverOf(port: number, host = LOOPBACK): dns.Resolver {
  const resolver = new dns.Resolver({ timeout: 20_000, tries: 1 });
  resolver.setServers([`${host}:${port}`]);
  return resolver;
}

export function question(name: string, type: QuestionType = 'A', fields: Packet = {}): Packet {
  // The types of dns-packet lack ANY.
  const asked = type as Exclude<QuestionType, 'ANY'>;
  return { type: 'query', id: 4711, flags: 1 << 8, questions: [{ type: asked, name }], ...fields };
}

/** The OPT record of a query. */
export function opt(udpPayloadSize: number): NonNullable<Packet['additionals']>[number] {
  return {
    type: 'OPT',
    name: '.',
    udpPayloadSize,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: [],
  };
}

function askOverUdp(port: number, packet: Packet | Buffer): ReturnType<DnsRig['ask']> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    socket.once('error', reject);
    socket.once('message', (bytes) => {
      socket.close();
      resolve({ ...decode(bytes), bytes: bytes.length });
    });
    socket.send(Buffer.isBuffer(packet) ? packet : encode(packet), port, LOOPBACK);
  });
}

/** Answers that wait until the test releases them. */
export function createGate(): { readonly released: Promise<void>; release(): void } {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { released, release: () => release() };
}

/** A connection on which queries are sent with their lengths. */
export function openStream(t: Teardown, port: number) {
  const socket = connect({ port, host: LOOPBACK });
  t.teardown(() => void socket.destroy());
  socket.on('error', () => undefined);
  let bytes = Buffer.alloc(0);
  const answers: DecodedPacket[] = [];
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.length >= 2 && bytes.length >= 2 + bytes.readUInt16BE(0)) {
      const end = 2 + bytes.readUInt16BE(0);
      answers.push(decode(bytes.subarray(2, end)));
      bytes = bytes.subarray(end);
    }
  });
  return {
    socket,
    answers,
    send: (packet: Packet) => socket.write(framed(packet)),
  };
}

export function framed(packet: Packet): Buffer {
  const message = encode(packet);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length, 0);
  return Buffer.concat([length, message]);
}
