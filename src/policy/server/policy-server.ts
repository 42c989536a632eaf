import type { Clock } from '../../base/clock.js';
import type { PolicyRegexLimits } from '../../config/regex/regex-limits.js';
import type { ProtoRegistry } from '../../envoy/proto-registry.js';
import { createLimitedLog } from '../../telemetry/limited-log.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { type AttributeLayer, EMPTY_LAYER } from '../client/attribute-bag.js';
import type { HandlerChain } from '../handlers/handler-chain.js';
import type { QuotaShares } from '../quota/shares/quota-shares.js';
import { type Admission, createAdmission, type OverloadSettings, type ReadLoad } from './admission.js';
import { createAnswerChecks } from './answer-checks.js';
import { createBoundedMemo } from './bounded-memo.js';
import { createCallConfigs } from './call-configs.js';
import type { Caller } from './callers/caller.js';
import { type CallerRights, createCallerRights } from './callers/caller-rights.js';
import { type CheckService, createCheckService } from './check-service.js';
import { createCompiledServices, type ServiceConfigSource } from './compiled-services.js';
import type { CheckEnvironment } from './decide.js';
import { createEnvoyCodec } from './envoy-codec.js';
import { createHttpCheckService, type HttpCheckService } from './http/http-check-service.js';
import { createPlanBook } from './plan-book.js';
import { createPolicyServerMetrics } from './policy-server-metrics.js';
import {
  createForwardedTexts,
  createRequestTexts,
  type PolicyTexts,
  type ProxyTextDecoder,
  type ProxyTextEncoder,
} from './policy-texts.js';
import { createRegexService } from './regex-service.js';
import { createLogService, type LogStream } from './reports/log-service.js';
import { createReportSink, type ReportSink } from './reports/report-sink.js';
import { createShareCodec } from './shares/share-codec.js';
import { createShareService, type OpenShareStream } from './shares/share-service.js';
import { createShedDecisions } from './shed-decisions.js';
import { createTcpConnections } from './tcp-connections.js';

export interface PolicyServerOptions {
  /** Loaded with the files of Envoy's services `auth`, `accesslog` and `rate_limit_quota`. */
  readonly protos: ProtoRegistry;
  readonly decoder: ProxyTextDecoder;
  readonly encoder: ProxyTextEncoder;
  /** Decide about checks, and take reports. */
  readonly handlers: Pick<HandlerChain, 'check' | 'report'>;
  /** Whether reports are lines of the log: `reports.log` of the current configuration. Asked for each report. */
  readonly isReportLogged: () => boolean;
  readonly metrics: Metrics;
  /** Of scope `policy`. */
  readonly logger: Logger;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Makes a UUID. */
  readonly createId: () => string;
  /** Whether proxies with certificates may charge outbound traffic, for any mesh config. */
  readonly allowsOutboundChecks: () => boolean;
  /** The namespaces whose routers may charge the quotas of all services; undefined where handlers give no receipts. */
  readonly gatewayNamespaces: () => readonly string[] | undefined;
  /** Settles after other work had its turn, as setImmediate does. */
  readonly yieldTurn: () => Promise<void>;
  /** Of the regular expressions in policies. */
  readonly regexLimits: PolicyRegexLimits;
  /** The current overload settings, read for each check. */
  readonly overload: () => OverloadSettings;
  readonly readLoad: ReadLoad;
  /** Divides fast quotas; undefined while a remote server counts. */
  readonly shares: () => QuotaShares | undefined;
}

/** Answers Envoys through a chain of handlers (docs/architecture.md#how-a-request-is-charged). Does no network I/O. */
export interface PolicyServer {
  /** Takes new policies for calls that begin from now on. Before the first ones, every host is unknown. */
  observe(policies: ServiceConfigSource): void;
  readonly checks: CheckService;
  readonly httpChecks: HttpCheckService;
  /** The rights of callers under the current policies. */
  readonly rights: CallerRights;
  openLogStream(caller?: Caller): LogStream;
  /** Opens a stream of a proxy that counts fast quotas by itself. */
  readonly openShareStream: OpenShareStream;
  /** Limits all checks, also those from other policy servers. */
  readonly admission: Admission;
  /** Takes reports from other senders than Envoy. */
  readonly reports: ReportSink;
}

const READ_TEXTS = { entries: 16_384, maxKeyLength: 8192, characters: 8_000_000 };

export function createPolicyServer(options: PolicyServerOptions): PolicyServer {
  const { protos, decoder, encoder, logger, clock, createId } = options;
  const texts: PolicyTexts = { ...decoder, ...encoder };
  const codec = createEnvoyCodec(protos);
  const metrics = createPolicyServerMetrics(options.metrics);
  const limitedLog = createLimitedLog(logger, clock);
  const regexes = createRegexService({
    limits: options.regexLimits,
    clock,
    yieldTurn: options.yieldTurn,
    metrics,
    limitedLog,
  });
  const services = createCompiledServices(logger, regexes);
  const plans = createPlanBook(logger, regexes);
  const forwarded = createForwardedTexts(texts);
  const sink = createReportSink({
    metrics,
    logger,
    limitedLog,
    isLogged: options.isReportLogged,
    isService: (host) => services.find(host).isKnown,
  });

  const { allowsOutboundChecks, gatewayNamespaces } = options;
  const rights = createCallerRights({ allowsOutboundChecks, gatewayNamespaces, metrics, limitedLog });
  const environment: CheckEnvironment = {
    configs: createCallConfigs(texts, regexes),
    services,
    forwarded,
    requestTexts: createRequestTexts(texts),
    plans,
    planRefused: metrics.planRefused,
    handlers: options.handlers,
    clock,
    authorize: (call) => rights.check(call),
    undecided: (protocol, service) => {
      metrics.undecided(protocol);
      limitedLog.warn(
        { service },
        'rule not applied to a check: FAIL_CLOSE refuses the check, FAIL_OPEN leaves out the rule',
      );
    },
    decisionFailed: (error) => {
      metrics.checkFailed('internal');
      limitedLog.error({ err: error }, 'check not decided, its fail policy answers');
    },
  };
  const admission = createAdmission({
    settings: options.overload,
    readLoad: options.readLoad,
    random: options.random,
    onShareChange: (share) => {
      metrics.shedShare(share);
      if (share === 0) return;
      const fields = { share, setting: 'overload.shedAfter' };
      limitedLog.warn(fields, 'checks shed: the policy server is overloaded, add replicas');
    },
  });
  const processId = createId();
  let unnamedConnections = 0;
  const answerCheck = createAnswerChecks({ metrics, limitedLog, admission, clock });
  const shed = createShedDecisions({ configs: environment.configs, services, metrics });
  const checks = createCheckService({
    codec,
    environment,
    answerCheck,
    shed,
    newConnectionId: () => `${processId}-${unnamedConnections++}`,
  });
  const readText = createBoundedMemo(READ_TEXTS, (text) => texts.readAttributesText(text) ?? EMPTY_LAYER);
  const attributesOf = (text: string | undefined): AttributeLayer =>
    text === undefined ? EMPTY_LAYER : readText(text);

  let findConfig: ServiceConfigSource['find'] = () => undefined;

  return {
    observe: (policies) => {
      services.observe(policies);
      plans.observe(policies);
      rights.observe(policies);
      findConfig = (hostname) => policies.find(hostname);
    },
    openShareStream: createShareService({
      codec: createShareCodec(protos),
      rights,
      findConfig: (hostname) => findConfig(hostname),
      shares: options.shares,
      refused: (reason) => options.metrics.increment('policy_server_fast_refused_buckets_total', { reason }),
      limitedLog,
      clock,
      yieldTurn: options.yieldTurn,
    }),
    rights,
    checks,
    httpChecks: createHttpCheckService({ environment, answerCheck, shed }),
    admission,
    openLogStream: createLogService({
      codec,
      rights,
      environment: { services, forwarded, attributesOf, connections: createTcpConnections() },
      sink,
      forward: options.handlers.report,
      metrics,
      limitedLog,
      clock,
      yieldTurn: options.yieldTurn,
    }),
    reports: sink,
  };
}
