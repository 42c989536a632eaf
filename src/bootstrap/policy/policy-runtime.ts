import { randomUUID } from 'node:crypto';
import type { QuotaLimit } from '../../config/policy-server/policy-server-config.js';
import type { PolicyRegexLimits } from '../../config/regex/regex-limits.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import type { ProtoRegistry } from '../../envoy/proto-registry.js';
import type { QuotaCounters } from '../../introspection/quota-counters.js';
import type { GrpcListenerSettings } from '../../net/grpc-listener.js';
import type { GrpcGuard } from '../../net/guard/grpc-guard.js';
import { ListenError } from '../../net/listen-address.js';
import type { AttributeBag } from '../../policy/client/attribute-bag.js';
import { createKeyFiles } from '../../policy/quota/key-files.js';
import { createQuotaStoreOpener } from '../../policy/quota/open-quota-store.js';
import type { RulesInForce } from '../../policy/rules/rule-objects.js';
import { type CallerTls, createCallerAuthentication } from '../../policy/server/callers/caller-authentication.js';
import type { ServiceConfigSource } from '../../policy/server/compiled-services.js';
import { createAccessLogService, createAuthorizationService } from '../../policy/server/grpc/envoy-services.js';
import { createPolicyService } from '../../policy/server/grpc/policy-service.js';
import { createRateLimitQuotaService } from '../../policy/server/grpc/quota-service.js';
import { tuneHeapForChecks } from '../../policy/server/heap-for-checks.js';
import { createAnswerRequests } from '../../policy/server/http/answer-requests.js';
import { createLoadReader } from '../../policy/server/load-reader.js';
import { createPlanLimits } from '../../policy/server/plan-book.js';
import { createPolicyHandlers, type PolicyHandlers } from '../../policy/server/policy-handlers.js';
import { createPolicyListener } from '../../policy/server/policy-listener.js';
import { createPolicyServer } from '../../policy/server/policy-server.js';
import { createConfigDecoder } from '../../policy/wire/config-decoder.js';
import { createConfigEncoder } from '../../policy/wire/config-encoder.js';
import { createPolicyCodec } from '../../policy/wire/policy-codec.js';
import { createLimitedLog } from '../../telemetry/limited-log.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { OutgoingCalls } from '../../telemetry/outgoing-calls.js';
import type { ListenAddress } from '../options.js';
import { createAdapterEnvironment } from './adapter-environment.js';
import { withAttributeLog } from './attribute-log.js';
import { createBackendConnector } from './backend-connector.js';
import { createFirstPolicies } from './first-policies.js';
import { createOwnAdapters } from './own-adapters.js';
import {
  createPolicyConfiguration,
  type PolicyConfiguration,
  type PolicyConfigurationOptions,
} from './policy-configuration.js';
import { withAdmission } from './with-admission.js';
import { yieldTurn } from './yield-turn.js';

export interface PolicyRuntimeOptions extends PolicyConfigurationOptions {
  readonly regexLimits: PolicyRegexLimits;
  readonly listener: GrpcListenerSettings;
  /** Mutual TLS with callers; default plaintext only. */
  readonly tls?: CallerTls;
  /** Limits of the peers of all gRPC listeners. */
  readonly guard: GrpcGuard;
  /** The messages of Envoy and of the mesh's own protocols. */
  readonly protos: ProtoRegistry;
  readonly encoder: MessageEncoder;
  readonly metrics: Metrics;
  readonly outgoing: OutgoingCalls;
  /** Policy servers that count in memory, each for itself, this one too; default 1. */
  readonly unsharedServers?: () => number;
  /** BYPASS_OOP_MTLS_SAN_VERIFICATION: remote backends and adapters may show certificates for other names. */
  readonly bypassesBackendNames: boolean;
  /** NAV_EGRESS_ALLOWED: addresses that handlers of rules may reach in spite of the egress rules. */
  readonly egressAllowed: readonly string[];
  /** NAV_ADAPTER_CREDENTIALS_DIR: folder of the files that handlers may name. */
  readonly adapterCredentials: string;
}

/** The policy server of a process, with its configuration, counters and listener. */
export interface PolicyRuntime
  extends Pick<
    PolicyConfiguration,
    'limitedQuotas' | 'quotaDimensions' | 'quotaShapes' | 'countsInMemory' | 'problems'
  > {
  /**
   * Reads the configuration and listens. Checks of Envoys are answered after the first `observe`. Before it they get
   * UNAVAILABLE, so that the fail policies of proxies decide, as while the server is down. Access logs wait for it.
   *
   * @throws ListenError when the address of --policyAddr cannot be opened; SettingsRefusedError when the configuration
   *   cannot be used and no earlier one is known; StartError when it names a file that cannot be read
   */
  start(): Promise<ListenAddress>;
  /** Puts new policies into force, from the next Check on. */
  observe(policies: ServiceConfigSource): void;
  /** Puts rules into force, from the next Check on. The object of the call before changes nothing. */
  useRules(rules: RulesInForce): void;
  /** Why handlers of rules do not run, by key; undefined while a remote server decides. */
  failedHandlers(): ReadonlyMap<string, string> | undefined;
  /** The metrics that handlers of rules make, in the text format of Prometheus. */
  handlerSeries(): Iterable<string>;
  /** Sets the answer of the health service; NOT_SERVING before the first call. */
  setServing(isServing: boolean): void;
  /** The limits of quotas in force; undefined while a remote server counts. */
  limits(): readonly QuotaLimit[] | undefined;
  /** The live use of quotas; undefined while a remote server counts. */
  quotas(): QuotaCounters | undefined;
  /** Asks connected callers to reconnect; running calls are answered. */
  askToLeave(): void;
  /** Time of the last Check of a proxy or of another policy server, on the monotonic clock; 0 before the first. */
  lastCallMs(): number;
  /** Whether quotas can be charged, as far as is known. */
  isStoreUp(): boolean;
  stop(graceMs: number): Promise<void>;
}

/** Reports that take about a millisecond. */
const REPORTS_PER_TURN = 32;

/** Wires the policy server, for the discovery process and for navigator-policy. */
export function createPolicyRuntime(options: PolicyRuntimeOptions): PolicyRuntime {
  const { listener, guard, protos, encoder, metrics, logging, clock } = options;
  const logger = logging.scope('policy');
  const limitedLog = createLimitedLog(logger, clock);
  const codec = createPolicyCodec(protos);

  const config = createPolicyConfiguration(options);
  const keyFiles = createKeyFiles(clock, config.reapply);
  const adapters = createAdapterEnvironment({
    egressAllowed: options.egressAllowed,
    outgoing: options.outgoing,
    metrics,
    clock,
    logger,
    buildOwn: createOwnAdapters({
      ...options,
      credentialsFolder: options.adapterCredentials,
      bypassesNames: options.bypassesBackendNames,
      logger: logging.scope('grpcAdapter'),
    }),
  });
  const handlers: PolicyHandlers = createPolicyHandlers(config.current(), {
    openStore: createQuotaStoreOpener({ clock, metrics, logger }),
    connect: createBackendConnector({
      codec,
      bypassesNames: options.bypassesBackendNames,
      outgoing: options.outgoing,
    }),
    readKeyFile: keyFiles.read,
    metrics,
    clock,
    random: Math.random,
    createId: randomUUID,
    logger,
    limitedLog,
    adapters,
    regexLimits: options.regexLimits,
    unsharedServers: options.unsharedServers ?? (() => 1),
  });
  const chain = withAttributeLog(handlers.chain, logging.scope('attributes'));
  const server = createPolicyServer({
    protos,
    decoder: createConfigDecoder(protos),
    encoder: createConfigEncoder(encoder),
    handlers: chain,
    isReportLogged: () => config.current().reports.log,
    metrics,
    logger,
    clock,
    random: Math.random,
    createId: randomUUID,
    allowsOutboundChecks: () => config.current().callers.outboundChecks,
    gatewayNamespaces: () => {
      const { backend, callers } = config.current();
      // A remote server knows no receipts: the proxy of a service would charge the requests of gateways again.
      return backend === undefined ? callers.gatewayNamespaces : undefined;
    },
    yieldTurn,
    regexLimits: options.regexLimits,
    overload: () => config.current().overload,
    readLoad: createLoadReader(),
    shares: handlers.shares,
  });
  const { callers, admitPolicyServer, listenerTls } = createCallerAuthentication({
    tls: options.tls,
    rights: server.rights,
    logger,
  });
  const planLimitsOf = createPlanLimits();
  const firstPolicies = createFirstPolicies();
  let lastCallMs = 0;
  /** Notes the time of a Check. */
  const noted = <Arguments extends readonly unknown[], Answer>(check: (...given: Arguments) => Answer) => {
    return (...given: Arguments): Answer => {
      if (lastCallMs === 0) tuneHeapForChecks();
      lastCallMs = clock.monotonicMs();
      return check(...given);
    };
  };
  const { required } = firstPolicies;
  const checks = required(server.checks.check);
  /** Rejects where `checks` throws. */
  const grpcChecks: typeof checks = async (...asked) => checks(...asked);
  const ownListener = createPolicyListener({
    settings: listener,
    services: [
      createAuthorizationService({ checks: { check: noted(grpcChecks) } }, callers.ofCall),
      createAccessLogService({ openLogStream: firstPolicies.heldLogs(server.openLogStream) }, logger, callers.ofCall),
      createRateLimitQuotaService(noted(required(server.openShareStream)), logger, callers.ofCall),
      createPolicyService({
        answer: noted(required(withAdmission(server, clock, chain.answer))),
        acceptReports: required(async (reports: readonly AttributeBag[]) => {
          for (const [index, attributes] of reports.entries()) {
            server.reports.take({ attributes });
            chain.report({ attributes, service: {} });
            // Checks must not wait for a burst of reports.
            if ((index + 1) % REPORTS_PER_TURN === 0) await yieldTurn();
          }
        }),
        codec,
        logger,
        admit: admitPolicyServer,
      }),
    ],
    answer: createAnswerRequests({ check: noted(required(server.httpChecks.check)) }, callers.ofConnection),
    tls: listenerTls,
    guard,
    clock,
    onRefused: (reason, peer, detail) => {
      metrics.increment('policy_server_refused_connections_total', { reason });
      limitedLog.warn({ peer, kind: reason, reason: detail }, 'connection to the policy server refused');
    },
  });

  return {
    start: async () => {
      await config.start(handlers.update);
      keyFiles.start();
      const port = await ownListener.start().catch((cause: NodeJS.ErrnoException) => {
        throw new ListenError('--policyAddr', { host: listener.host, port: listener.port }, cause);
      });
      return { host: listener.host, port };
    },
    observe: (policies) => {
      handlers.usePlans(planLimitsOf(policies));
      server.observe(policies);
      firstPolicies.haveCome();
    },
    useRules: handlers.useRules,
    failedHandlers: handlers.failedHandlers,
    handlerSeries: adapters.series.lines,
    setServing: ownListener.setServing,
    askToLeave: ownListener.askToLeave,
    lastCallMs: () => lastCallMs,
    quotas: () => {
      const live = handlers.quotas();
      if (live === undefined) return undefined;
      return {
        storage: config.current().storage.type,
        use: live.use,
        reset: async (quota, id) => {
          const isReset = await live.reset(quota, id);
          if (isReset) logger.info({ quota, counter: id }, 'quota counter reset by a person');
          return isReset;
        },
      };
    },
    limits: () => {
      const { backend, quotas } = config.current();
      return backend === undefined ? quotas : undefined;
    },
    limitedQuotas: config.limitedQuotas,
    quotaDimensions: config.quotaDimensions,
    quotaShapes: config.quotaShapes,
    countsInMemory: config.countsInMemory,
    isStoreUp: handlers.isUp,
    problems: config.problems,
    stop: async (graceMs) => {
      keyFiles.stop();
      await config.stop();
      await ownListener.stop(graceMs);
      await handlers.chain.close();
    },
  };
}
