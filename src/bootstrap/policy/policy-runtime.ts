import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Clock } from '../../base/clock.js';
import type { PolicyServerConfig } from '../../config/policy-server/policy-server-config.js';
import { createPolicyServerConfigReader } from '../../config/policy-server/read-policy-server-config.js';
import type { PolicyRegexLimits } from '../../config/regex/regex-limits.js';
import { createSchemaCompiler } from '../../config/schema/schema-reader.js';
import type { SettingsFields } from '../../config/settings-reader.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import type { ProtoRegistry } from '../../envoy/proto-registry.js';
import type { ConfigProblem } from '../../introspection/views.js';
import type { GrpcListenerSettings } from '../../net/grpc-listener.js';
import type { GrpcGuard } from '../../net/guard/grpc-guard.js';
import { ListenError } from '../../net/listen-address.js';
import { type PolicyTransport, PolicyTransportError } from '../../policy/client/policy-transport.js';
import { createKeyFiles } from '../../policy/quota/key-files.js';
import { createQuotaStoreOpener } from '../../policy/quota/open-quota-store.js';
import { createGrpcPolicyTransport } from '../../policy/remote/grpc-policy-transport.js';
import { type CallerTls, createCallerAuthentication } from '../../policy/server/callers/caller-authentication.js';
import type { CheckService } from '../../policy/server/check-service.js';
import { createAccessLogService, createAuthorizationService } from '../../policy/server/grpc/envoy-services.js';
import { createPolicyGrpcServer } from '../../policy/server/grpc/policy-grpc-server.js';
import { createPolicyService } from '../../policy/server/grpc/policy-service.js';
import { createLoadReader } from '../../policy/server/load-reader.js';
import { createPolicyHandlers, type PolicyHandlers, type RemoteConfig } from '../../policy/server/policy-handlers.js';
import { createPolicyServer, type PolicyServer } from '../../policy/server/policy-server.js';
import type { ServicePolicies } from '../../policy/server/service-policies.js';
import { createConfigDecoder } from '../../policy/wire/config-decoder.js';
import { createConfigEncoder } from '../../policy/wire/config-encoder.js';
import { createPolicyCodec } from '../../policy/wire/policy-codec.js';
import { createWatchedFile } from '../../sources/file/watched-file.js';
import type { SettingsCustody } from '../../sources/settings/settings-custody.js';
import { createLimitedLog } from '../../telemetry/limited-log.js';
import type { Logging } from '../../telemetry/logging.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { readInstallationDefaults } from '../installation-defaults.js';
import type { MountedFromOf } from '../mounted-settings.js';
import type { ListenAddress } from '../options.js';
import { settingsProblems } from '../settings-problems.js';
import { StartError } from '../start-error.js';

export interface PolicyRuntimeOptions {
  /** File of --policyConfig; missing means that no quota has a limit. */
  readonly configFile: string;
  /** Where the file comes from; from no ConfigMap unless given. */
  readonly mountedFrom?: MountedFromOf;
  /** NAV_POLICY_CONFIG_DEFAULTS: in force where the file does not set them. */
  readonly configDefaults: SettingsFields;
  readonly custody: SettingsCustody;
  readonly regexLimits: PolicyRegexLimits;
  readonly listener: GrpcListenerSettings;
  /** Mutual TLS with callers; plaintext alone without it. */
  readonly tls?: CallerTls;
  /** What peers may take, shared with other gRPC listeners of the process. */
  readonly guard: GrpcGuard;
  /** Envoy's messages and our own. */
  readonly protos: ProtoRegistry;
  readonly encoder: MessageEncoder;
  readonly metrics: Metrics;
  readonly logging: Logging;
  readonly clock: Clock;
  /** The configuration file has been read anew. */
  readonly onConfigChange?: () => void;
}

/** The policy server of a process: its configuration, its counters and its address, wired. */
export interface PolicyRuntime {
  /**
   * Reads the configuration and listens. Envoys' Checks are answered from the first `observe` on. Before it they get
   * UNAVAILABLE, so that the fail policies of proxies decide as when the server is down, instead of everything passing.
   *
   * @throws ListenError when the address of --policyAddr cannot be had; SettingsRefusedError when the configuration
   *   cannot be used and no earlier one is known; StartError when it names a file that cannot be read
   */
  start(): Promise<ListenAddress>;
  /** Takes new policies at once: a Check that comes next goes by them. */
  observe(policies: ServicePolicies): void;
  /** What the health service answers from now on; NOT_SERVING before. */
  setServing(isServing: boolean): void;
  /** Asks the callers that are connected to connect anew; calls that run are answered. */
  askToLeave(): void;
  /** When the last Check came, of a proxy or of another policy server, on the monotonic clock; 0 before the first. */
  lastCallMs(): number;
  /** Names of the quotas that have a limit here; undefined while a remote backend decides. */
  limitedQuotas(): ReadonlyMap<string, number> | undefined;
  /** What those quotas are counted by, as the configuration has it. */
  quotaDimensions(): ReadonlyMap<string, readonly string[]>;
  /** Whether limits are counted in the memory of this process, so that other replicas do not see it. */
  countsInMemory(): boolean;
  /** Whether quotas can be charged, as far as is known. */
  isStoreUp(): boolean;
  /** What of the configuration file is not in force as written. */
  problems(): readonly ConfigProblem[];
  stop(graceMs: number): Promise<void>;
}

/** About a millisecond's. */
const REPORTS_PER_TURN = 32;

const yieldTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Wires the policy server; the same for the discovery process and for navigator-policy. */
export function createPolicyRuntime(options: PolicyRuntimeOptions): PolicyRuntime {
  const { configFile, listener, guard, protos, encoder, metrics, logging, clock, onConfigChange } = options;
  const logger = logging.scope('policy');
  const limitedLog = createLimitedLog(logger, clock);
  const codec = createPolicyCodec(protos);

  const takeConfig = (config: PolicyServerConfig): void => {
    handlers.update(config);
    limited = limitedQuotasOf(config);
    dimensions = quotaDimensionsOf(config);
    onConfigChange?.();
  };
  let refusal: string | undefined;
  const changeConfig = (config: PolicyServerConfig): void => {
    try {
      takeConfig(config);
      refusal = undefined;
    } catch (error) {
      refusal = error instanceof Error ? error.message : String(error);
      logger.error(
        { file: configFile, ...options.mountedFrom?.(configFile), reason: refusal },
        'The changed configuration cannot be used, the former one holds',
      );
      onConfigChange?.();
    }
  };
  const mountedFrom = options.mountedFrom?.(configFile);
  const file = createWatchedFile({
    file: configFile,
    mountedFrom,
    ...readInstallationDefaults(
      'NAV_POLICY_CONFIG_DEFAULTS',
      options.configDefaults,
      createPolicyServerConfigReader(createSchemaCompiler()),
    ),
    custody: options.custody,
    logger: logging.scope('source'),
    clock,
    onChange: changeConfig,
  });
  const keyFiles = createKeyFiles(clock, () => changeConfig(file.current()));
  const handlers: PolicyHandlers = createPolicyHandlers(file.current(), {
    openStore: createQuotaStoreOpener({ clock, metrics, logger }),
    connect: (remote) => createGrpcPolicyTransport(remote.address, { codec, ...tlsOf(remote) }),
    readKeyFile: keyFiles.read,
    metrics,
    clock,
    random: Math.random,
    createId: randomUUID,
    logger,
    limitedLog,
  });
  let limited = limitedQuotasOf(file.current());
  let dimensions = quotaDimensionsOf(file.current());
  const server = createPolicyServer({
    protos,
    decoder: createConfigDecoder(protos),
    encoder: createConfigEncoder(encoder),
    handlers: handlers.chain,
    isReportLogged: () => file.current().reports.log,
    metrics,
    logger,
    clock,
    random: Math.random,
    createId: randomUUID,
    allowsOutboundChecks: () => file.current().callers.outboundChecks,
    yieldTurn,
    regexLimits: options.regexLimits,
    overload: () => file.current().overload,
    readLoad: createLoadReader(),
  });
  const { callerOf, admitPolicyServer, listenerTls } = createCallerAuthentication({
    tls: options.tls,
    rights: server.rights,
    metrics,
    logger,
    limitedLog,
    clock,
  });
  let hasPolicies = false;
  let lastCallMs = 0;
  /** Notes that a Check has come. */
  const noted = <Arguments extends readonly unknown[], Answer>(check: (...given: Arguments) => Answer) => {
    return (...given: Arguments): Answer => {
      lastCallMs = clock.monotonicMs();
      return check(...given);
    };
  };
  const checksOfServices = (): CheckService => {
    if (hasPolicies) return server.checks;
    throw new PolicyTransportError('other', 'the policies of services have not come yet');
  };
  const grpc = createPolicyGrpcServer(
    listener,
    [
      createAuthorizationService(
        { checks: { check: noted(async (bytes, call) => checksOfServices().check(bytes, call)) } },
        callerOf,
      ),
      createAccessLogService(server, logger, callerOf),
      createPolicyService({
        answer: noted(admitted(server, clock, handlers.chain.answer)),
        acceptReports: async (reports) => {
          for (const [index, attributes] of reports.entries()) {
            server.reports.take({ attributes });
            // Checks need not wait for a burst of reports.
            if ((index + 1) % REPORTS_PER_TURN === 0) await yieldTurn();
          }
        },
        codec,
        logger,
        admit: admitPolicyServer,
      }),
    ],
    listenerTls,
    guard,
  );

  return {
    start: async () => {
      const config = await file.start();
      try {
        takeConfig(config);
      } catch (cause) {
        throw new StartError(`${configFile}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
      }
      keyFiles.start();
      const port = await grpc.start().catch((cause: NodeJS.ErrnoException) => {
        throw new ListenError('--policyAddr', { host: listener.host, port: listener.port }, cause);
      });
      return { host: listener.host, port };
    },
    observe: (policies) => {
      server.observe(policies);
      hasPolicies = true;
    },
    setServing: grpc.setServing,
    askToLeave: grpc.askToLeave,
    lastCallMs: () => lastCallMs,
    limitedQuotas: () => limited,
    quotaDimensions: () => dimensions,
    countsInMemory: () => countsInMemory(file.current()),
    isStoreUp: handlers.isUp,
    problems: () => [
      ...settingsProblems({ file: configFile, ...mountedFrom }, file),
      ...(refusal === undefined ? [] : [{ file: configFile, reason: refusal }]),
    ],
    stop: async (graceMs) => {
      keyFiles.stop();
      await file.stop();
      await grpc.stop(graceMs);
      await handlers.chain.close();
    },
  };
}

/** A check of another policy server, which has the fail policy: it gets an error while there is no time for it. */
function admitted(
  { admission }: Pick<PolicyServer, 'admission'>,
  clock: Clock,
  check: PolicyTransport['check'],
): PolicyTransport['check'] {
  return async (request, call) => {
    if (!admission.admit(clock.monotonicMs(), 'mesh.policy.v1')) {
      const message = 'the policy server is overloaded (overload in its configuration): add replicas';
      throw new PolicyTransportError('other', message, { code: 'UNAVAILABLE' });
    }
    try {
      return await check(request, call);
    } finally {
      admission.end();
    }
  };
}

function countsInMemory({ quotas, storage, backend }: PolicyServerConfig): boolean {
  return backend === undefined && storage.type === 'memory' && quotas.length > 0;
}

/** The most of each quota that any caller has; undefined where another server counts. */
function limitedQuotasOf({ quotas, backend }: PolicyServerConfig): ReadonlyMap<string, number> | undefined {
  if (backend !== undefined) return undefined;
  return new Map(
    quotas.map(({ name, maxAmount, overrides }) => [
      name,
      Math.max(maxAmount, ...overrides.map((override) => override.maxAmount)),
    ]),
  );
}

function quotaDimensionsOf({ quotas, backend }: PolicyServerConfig): ReadonlyMap<string, readonly string[]> {
  if (backend !== undefined) return new Map();
  return new Map(quotas.map(({ name, dimensions }) => [name, dimensions.map(({ text }) => text)]));
}

function tlsOf({ tls }: RemoteConfig) {
  if (tls === undefined) return {};
  if (tls.caFile === undefined) return { tls: {} };
  try {
    return { tls: { rootCertificates: readFileSync(tls.caFile) } };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`backend.tls.caFile: ${JSON.stringify(tls.caFile)}: cannot be read: ${reason}`, { cause });
  }
}
