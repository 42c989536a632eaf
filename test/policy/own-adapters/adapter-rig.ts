import { join } from 'node:path';
import {
  type GrpcObject,
  status as grpcStatus,
  loadPackageDefinition,
  Server,
  ServerCredentials,
  type ServiceClientConstructor,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import type { ExecutionContext } from 'ava';
import { Registry } from 'prom-client';
import { systemClock } from '../../../src/base/clock.js';
import { createOwnAdapters, type OwnAdapterParts } from '../../../src/bootstrap/policy/own-adapters.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { createOutgoingCalls } from '../../../src/telemetry/outgoing-calls.js';
import { projectRoot } from '../../counterparts/project-root.js';
import { createRecordingLogger } from '../../support/recording-logger.js';
import { createRuleRig } from '../rules/rule-rig.js';

const ROOT = projectRoot();
const TEMPLATES = [
  'apikey',
  'authorization',
  'checknothing',
  'edge',
  'listentry',
  'logentry',
  'metric',
  'quota',
  'reportnothing',
  'tracespan',
];

/** The library that authors of adapters use, with the project's .proto files. */
const PROTOS = loadPackageDefinition(
  loadSync(
    [
      'mesh/adapters/model.proto',
      'accounts.proto',
      ...TEMPLATES.map((name) => `mesh/adapters/templates/${name}.proto`),
    ],
    {
      includeDirs: [join(ROOT, 'proto'), join(ROOT, 'samples/adapters/accounts')],
      keepCase: true,
      longs: String,
      enums: String,
      bytes: Buffer,
      defaults: false,
      oneofs: false,
    },
  ),
) as GrpcObject;

function serviceOf(path: string): ServiceClientConstructor {
  return path
    .split('.')
    .reduce((found: GrpcObject, name) => found[name] as GrpcObject, PROTOS) as unknown as ServiceClientConstructor;
}

/** The service, with answers of bytes sent as they are. */
function withRawAnswers(service: ServiceDefinition): ServiceDefinition {
  return Object.fromEntries(
    Object.entries(service).map(([method, definition]) => {
      const { responseSerialize } = definition;
      const serialize = (answer: unknown) => (Buffer.isBuffer(answer) ? answer : responseSerialize(answer));
      return [method, { ...definition, responseSerialize: serialize }];
    }),
  );
}

/** A call that an adapter got. */
export interface ReceivedCall {
  readonly method: string;
  // biome-ignore lint/suspicious/noExplicitAny: messages have any form
  readonly request: any;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** An error answers with its gRPC code, bytes are sent as they are; undefined never answers. */
export type Answer = (call: ReceivedCall) => object | undefined | Promise<object | undefined>;

export class AnswerError extends Error {
  readonly code: grpcStatus;

  constructor(code: keyof typeof grpcStatus, message: string) {
    super(message);
    this.code = grpcStatus[code];
  }
}

/** An adapter in this process, with all templates. Its answers are those of the test. */
export class TestAdapter {
  readonly calls: ReceivedCall[] = [];
  port = 0;
  answer: Answer = () => ({});
  readonly #server: Server;

  constructor() {
    this.#server = new Server();
    const services = [
      'istio.mixer.adapter.model.v1beta1.InfrastructureBackend',
      'accounts.HandleAccountsService',
      'apikey.HandleApiKeyService',
      'authorization.HandleAuthorizationService',
      'checknothing.HandleCheckNothingService',
      'edge.HandleEdgeService',
      'listentry.HandleListEntryService',
      'logentry.HandleLogEntryService',
      'metric.HandleMetricService',
      'quota.HandleQuotaService',
      'reportnothing.HandleReportNothingService',
      'tracespan.HandleTraceSpanService',
    ];
    for (const path of services) {
      const { service } = serviceOf(path);
      const methods = Object.keys(service).map((method) => [
        method,
        // biome-ignore lint/suspicious/noExplicitAny: messages have any form
        (call: any, callback: any) => void this.#answer(method, call, callback),
      ]);
      this.#server.addService(withRawAnswers(service), Object.fromEntries(methods));
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: messages have any form
  async #answer(method: string, { request, metadata }: any, callback: any): Promise<void> {
    const call = { method, request, metadata: metadata.getMap() };
    this.calls.push(call);
    try {
      const answer = await this.answer(call);
      if (answer !== undefined) callback(null, answer);
    } catch (error) {
      callback(error);
    }
  }

  async listen(port = 0, credentials = ServerCredentials.createInsecure()): Promise<void> {
    this.port = await new Promise((resolve, reject) => {
      this.#server.bindAsync(`127.0.0.1:${port}`, credentials, (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      );
    });
  }

  /** Ends all connections at once. */
  stop(): void {
    this.#server.forceShutdown();
  }

  of(method: string): readonly ReceivedCall[] {
    return this.calls.filter((call) => call.method === method);
  }
}

export async function startAdapter(
  t: ExecutionContext,
  answer?: Answer,
  credentials?: ServerCredentials,
): Promise<TestAdapter> {
  const adapter = new TestAdapter();
  if (answer !== undefined) adapter.answer = answer;
  await adapter.listen(0, credentials);
  t.teardown(() => adapter.stop());
  return adapter;
}

/** A rule handler that calls adapters of one's own on this machine, in the system's time. */
export function createOwnRig(t: ExecutionContext, parts: Partial<OwnAdapterParts> = {}) {
  const registry = new Registry();
  const metrics = createMetrics(registry);
  const logger = createRecordingLogger();
  const buildOwn = createOwnAdapters({
    egressAllowed: ['127.0.0.1'],
    credentialsFolder: '/nowhere',
    bypassesNames: false,
    outgoing: createOutgoingCalls(metrics, systemClock),
    metrics,
    logger,
    clock: systemClock,
    ...parts,
  });
  const rig = createRuleRig({ clock: systemClock, buildOwn });
  t.teardown(() => rig.handler.close());
  return {
    ...rig,
    ownLog: logger.records,
    metric: async (name: string) => (await registry.metrics()).split('\n').filter((line) => line.startsWith(name)),
  };
}

/** The objects of one adapter with a built-in template, and a rule that calls it. */
export function objectsOf(port: number, template: string, params: string, more = ''): string {
  return `rule shop/r {actions: [{handler: h, instances: [i]}]}
    handler shop/h {adapter: a, connection: {address: "127.0.0.1:${port}", timeout: 10s}${more}}
    adapter shop/a {templates: [${template}]}
    instance shop/i {compiledTemplate: ${template}, params: ${params}}`;
}
