import { Registry } from 'prom-client';
import type { HttpClientConfig, ServiceConfig, TcpClientConfig } from '../../../src/config/policy/client-config.js';
import { DEFAULT_REGEX_LIMITS } from '../../../src/config/regex/regex-limits.js';
import { createMessageEncoder } from '../../../src/envoy/message-encoder.js';
import { loadProtoRegistry } from '../../../src/envoy/proto-registry.js';
import type {
  CheckRequest,
  CheckResponse,
  PolicyTransport,
  ReportRequest,
} from '../../../src/policy/client/policy-transport.js';
import { createHandlerChain, type HandlerChain } from '../../../src/policy/handlers/handler-chain.js';
import type { PolicyHandler } from '../../../src/policy/handlers/policy-handler.js';
import { createRemoteHandler } from '../../../src/policy/remote/remote-handler.js';
import type { CheckCall } from '../../../src/policy/server/check-call.js';
import type { ServiceConfigSource } from '../../../src/policy/server/compiled-services.js';
import {
  createPolicyServer,
  type PolicyServer,
  type PolicyServerOptions,
} from '../../../src/policy/server/policy-server.js';
import { createPolicyServerMetrics } from '../../../src/policy/server/policy-server-metrics.js';
import { createConfigDecoder } from '../../../src/policy/wire/config-decoder.js';
import { createConfigEncoder } from '../../../src/policy/wire/config-encoder.js';
import { loadPolicyProtos } from '../../../src/policy/wire/policy-protos.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.js';
import { allow } from '../../support/policy-server.js';
import { createRecordingLogger, type LogRecord } from '../../support/recording-logger.js';

/** Envoy's messages and ours, loaded once for all tests of a file. */
export const envoyProtos = loadProtoRegistry();
const policyProtos = loadPolicyProtos();

export const policyDecoder = createConfigDecoder(policyProtos);
export const policyEncoder = createConfigEncoder(createMessageEncoder(policyProtos));

/** Bytes of one of Envoy's messages, written in its JSON form. */
export function envoyBytes(name: string, message: object): Buffer {
  const type = envoyProtos.type(name);
  return type.encode(type.fromObject(message as Record<string, unknown>)).finish() as Buffer;
}

export const checkRequestBytes = (message: object): Buffer => envoyBytes('envoy.service.auth.v3.CheckRequest', message);

export const logMessageBytes = (message: object): Buffer =>
  envoyBytes('envoy.service.accesslog.v3.StreamAccessLogsMessage', message);

/** The parts of an answer that tests look at. */
export interface ReadCheckResponse {
  readonly status: { readonly code: number; readonly message: string };
  readonly okResponse?: {
    readonly headersToRemove: readonly string[];
    readonly headers: readonly { readonly header: { readonly key: string; readonly value: string } }[];
  };
  readonly deniedResponse?: {
    readonly status: { readonly code: string | number };
    readonly body: string;
    readonly headers: readonly { readonly header: { readonly key: string; readonly value: string } }[];
  };
  readonly dynamicMetadata: { readonly fields: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
}

export function readCheckResponse(bytes: Uint8Array): ReadCheckResponse {
  const type = envoyProtos.type('envoy.service.auth.v3.CheckResponse');
  return type.toObject(type.decode(bytes), { defaults: true, arrays: true }) as ReadCheckResponse;
}

/** A policy backend that answers at once. */
export interface RecordingTransport extends PolicyTransport {
  readonly checks: readonly CheckRequest[];
  readonly reports: readonly ReportRequest[];
  /** How to answer from now on; allows and grants all unless told. */
  answer: (request: CheckRequest) => CheckResponse | Promise<CheckResponse>;
  answerReport: (request: ReportRequest) => Promise<void>;
}

/** Allows, and grants all that is asked for. */
export function grantAll({ quotas }: CheckRequest): CheckResponse {
  return {
    precondition: allow(),
    quotas: new Map([...quotas].map(([quota, { amount }]) => [quota, { grantedAmount: amount }])),
  };
}

export function createRecordingTransport(): RecordingTransport {
  const checks: CheckRequest[] = [];
  const reports: ReportRequest[] = [];
  const transport: RecordingTransport = {
    checks,
    reports,
    answer: grantAll,
    answerReport: async () => undefined,
    check: async (request) => {
      checks.push(request);
      return transport.answer(request);
    },
    report: async (request) => {
      reports.push(request);
      return transport.answerReport(request);
    },
  };
  return transport;
}

export interface PolicyServerRig {
  readonly server: PolicyServer;
  /** The handlers of the server: at first one that asks `transport`. */
  readonly handlers: HandlerChain;
  readonly transport: RecordingTransport;
  readonly clock: FakeClock;
  readonly log: readonly LogRecord[];
  /** One line of the scrape without its value's line end; undefined when the series is not there. */
  series(name: string): Promise<string | undefined>;
  scrape(): Promise<string>;
  /** Asks about a request, as Envoy would. */
  ask(message: object, call?: CheckCall): Promise<ReadCheckResponse>;
}

export type RigOptions = Partial<Omit<PolicyServerOptions, 'handlers'>> & {
  /** Whether `transport` stands for a handler in this process, without caches and reports. Default: true. */
  readonly isLocal?: boolean;
  readonly services?: Readonly<Record<string, Partial<ServiceConfig>>>;
};

export function createRig({ isLocal = true, services = {}, ...options }: RigOptions = {}): PolicyServerRig {
  const transport = createRecordingTransport();
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  const registry = new Registry();
  let ids = 0;
  const metrics = createMetrics(registry);
  const asking = createRemoteHandler({
    transport,
    switches: { disableCheckCache: isLocal, disableQuotaCache: isLocal },
    clock,
    random: () => 0.5,
    createId: () => `id${ids++}`,
    onCounted: createPolicyServerMetrics(metrics).clientCounted,
    onReportsLost: (reports) => createPolicyServerMetrics(metrics).reportsFailed('backend', reports),
    ...options,
  });
  const handlers = createHandlerChain([isLocal ? withoutReports(asking) : asking]);
  const server = createPolicyServer({
    protos: envoyProtos,
    decoder: policyDecoder,
    encoder: policyEncoder,
    handlers,
    isReportLogged: () => false,
    metrics,
    logger,
    clock,
    random: () => 0.5,
    createId: () => `id${ids++}`,
    allowsOutboundChecks: () => false,
    gatewayNamespaces: () => ['edge'],
    yieldTurn: () => Promise.resolve(),
    regexLimits: DEFAULT_REGEX_LIMITS,
    overload: () => ({ shed: true, shedAfterMs: 500, maxPendingChecks: 10_000 }),
    readLoad: () => ({ use: 0, cpuMs: 0 }),
    shares: () => undefined,
    ...options,
  });
  server.observe(policiesOf(services));
  const scrape = (): Promise<string> => registry.metrics();
  return {
    server,
    handlers,
    transport,
    clock,
    log: logger.records,
    scrape,
    series: async (name) => (await scrape()).split('\n').find((line) => line.startsWith(`${name} `)),
    ask: async (message, call = {}) => readCheckResponse(await server.checks.check(checkRequestBytes(message), call)),
  };
}

function withoutReports({ name, check, answer, close }: PolicyHandler): PolicyHandler {
  return { name, check, answer, close };
}

/** Policies by host. */
export function policiesOf(services: Readonly<Record<string, Partial<ServiceConfig>>>): ServiceConfigSource {
  const configs = new Map(
    Object.entries(services).map(([host, config]): [string, ServiceConfig] => [
      host,
      { disableCheckCalls: false, disableReportCalls: false, httpApiSpec: [], quotaSpec: [], ...config },
    ]),
  );
  return { find: (host) => configs.get(host) };
}

export function httpConfigText(config: Partial<HttpClientConfig>): string {
  return policyEncoder.httpClientConfigText({ serviceConfigs: {}, ignoreForwardedAttributes: false, ...config });
}

export function tcpConfigText(config: Partial<TcpClientConfig>): string {
  return policyEncoder.tcpClientConfigText({
    disableCheckCalls: false,
    disableReportCalls: false,
    reportInterval: '10s',
    ...config,
  });
}

/** A Check of a plain request, with changes to its HTTP part. */
export function httpCheck(http: object = {}, attributes: object = {}): object {
  return {
    attributes: {
      source: { address: { socketAddress: { address: '10.0.0.1', portValue: 41362 } } },
      destination: { address: { socketAddress: { address: '10.0.0.2', portValue: 8080 } } },
      request: {
        time: { seconds: 1_795_271_864, nanos: 398_569_000 },
        http: {
          id: '9334399171164779405',
          method: 'GET',
          path: '/books/1?key=k1',
          host: 'books.default.svc.cluster.local',
          scheme: 'http',
          headers: { ':path': '/books/1?key=k1', ':method': 'GET', 'user-agent': 'curl/7.88.1' },
          ...http,
        },
      },
      ...attributes,
    },
  };
}
