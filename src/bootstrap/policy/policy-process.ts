import { networkInterfaces } from 'node:os';
import type { Clock } from '../../base/clock.js';
import { createHttpApp } from '../../introspection/http-app.js';
import { createHttpServer } from '../../introspection/http-server.js';
import { checkReadiness, type ReadinessProbe } from '../../introspection/ready.js';
import { formatListenAddress } from '../../net/listen-address.js';
import { createServiceConfigReader } from '../../policy/server/discovery/service-config-reader.js';
import {
  createServiceSubscription,
  createSubscriptionMetrics,
} from '../../policy/server/discovery/service-subscription.js';
import { createConfigDecoder } from '../../policy/wire/config-decoder.js';
import type { Logging } from '../../telemetry/logging.js';
import { createAdsStreams } from '../../xds-client/ads-stream.js';
import { encodeNode } from '../../xds-client/discovery-messages.js';
import { createSecretReader } from '../../xds-client/secret-reader.js';
import { createSecretSubscription } from '../../xds-client/secret-subscription.js';
import { createDrain } from '../drain.js';
import { connectionTimes, policyRegexLimitsOf } from '../map-options.js';
import type { ListenAddress, PolicyFlags, PolicyOptions } from '../options.js';
import { createProcessParts } from '../process-parts.js';
import { reportHttpRefusals } from '../report-http-refusals.js';
import { createSettingsKeeper } from '../settings-keeper.js';
import { StartError } from '../start-error.js';
import { createDiscoveryCredentials } from './discovery-credentials.js';
import { createPeerIdentifier } from './own-certificate.js';
import { createPolicyRuntime } from './policy-runtime.js';
import { createPolicyPages, createPolicyViews } from './policy-views.js';

/** Where a running policy server listens, with the ports that the system chose for port 0. */
export interface PolicyAddresses {
  readonly policy: ListenAddress;
  readonly monitoring: ListenAddress;
}

/** A policy server as a process of its own, wired and not yet running. */
export interface PolicyProcess {
  /**
   * Serves, and subscribes to discovery. Settles when the listeners are open; /ready tells of the rest.
   *
   * @throws ListenError when an address cannot be had, SettingsRefusedError when --policyConfig cannot be used
   */
  start(): Promise<PolicyAddresses>;
  /** Serves on and is not ready, until callers have gone elsewhere (--drainTime); `stop` ends it. */
  drain(): Promise<void>;
  /** Answers what was asked and closes everything; harmless during the start and without one. */
  stop(): Promise<void>;
}

/** Calls get this long to end by themselves. */
const STOP_GRACE_MS = 10_000;
/** Checks of one proxy share a connection: as many as it has requests at once. */
const MAX_CONCURRENT_STREAMS = 100_000;
const MAX_RECEIVE_BYTES = 4 * 1024 * 1024;
/** How often it is looked whether everything is ready, for the health service; /ready looks when it is asked. */
const READY_POLL_MS = 100;

/**
 * The composition root of `navigator-policy`: the policy server of the discovery process, with services' policies over
 * xDS.
 *
 * It is ready once the first configuration has come and its quotas could be counted once. Later it stays ready whatever
 * it loses: without discovery the last configuration holds, and without the store every Check is answered by the fail
 * policy of its proxy or service, which no other replica could do better, for all share the store.
 */
export function createPolicyProcess(options: PolicyOptions, logging: Logging, clock: Clock): PolicyProcess {
  const { policy, common } = options;
  const logger = logging.scope('default');
  const { registry, metrics, build, protos, encoder, messageJson, guard } = createProcessParts(common, logging, clock);

  const openStream = createAdsStreams({
    address: policy.discoveryAddress,
    keepaliveIntervalMs: common.keepaliveIntervalMs,
    keepaliveTimeoutMs: common.keepaliveTimeoutMs,
    credentials: createDiscoveryCredentials(policy),
    ...(policy.discoveryServerName === '' ? {} : { serverName: policy.discoveryServerName }),
  });
  const encodeOwnNode = (metadata?: Readonly<Record<string, string>>): Buffer =>
    encodeNode(nodeIdOf(policy), 'navigator-policy', 'navigator-policy', metadata);
  const tlsMode = tlsModeOf(policy);
  const secrets =
    tlsMode &&
    createSecretSubscription({
      openStream,
      node: encodeOwnNode,
      readSecret: createSecretReader(protos),
      clock,
      random: Math.random,
      logger: logging.scope('policy'),
    });
  const keeper = createSettingsKeeper({
    connection: undefined,
    namespace: policy.namespace,
    revision: '',
    metrics,
    logger: logging.scope('source'),
    clock,
  });
  const runtime = createPolicyRuntime({
    ...(secrets && {
      tls: {
        mode: tlsMode,
        material: secrets,
        identify: createPeerIdentifier(secrets),
        peerNamespace: policy.namespace,
      },
    }),
    guard,
    configFile: policy.policyConfigFile,
    configDefaults: options.policyConfigDefaults,
    custody: keeper.custodyOf('policyConfig'),
    regexLimits: policyRegexLimitsOf(options.regexes),
    listener: {
      ...policy.policyAddr,
      ...connectionTimes(common),
      maxConcurrentStreams: MAX_CONCURRENT_STREAMS,
      maxReceiveMessageBytes: MAX_RECEIVE_BYTES,
    },
    protos,
    encoder,
    metrics,
    logging,
    clock,
  });
  const subscription = createServiceSubscription({
    openStream,
    // So that the control plane can tell whether several replicas count apart.
    node: () => encodeOwnNode({ QUOTA_COUNTERS: runtime.countsInMemory() ? 'memory' : 'shared' }),
    readServiceConfig: createServiceConfigReader(createConfigDecoder(protos), options.regexes.navRegexExpressionBytes),
    clock,
    random: Math.random,
    logger: logging.scope('policy'),
    metrics: createSubscriptionMetrics(metrics),
    onChange: () => runtime.observe(subscription),
  });

  let wasStoreUp = false;
  const drain = createDrain({
    settings: common,
    lastCallMs: runtime.lastCallMs,
    askToLeave: runtime.askToLeave,
    logger,
    clock,
  });
  const probes: readonly ReadinessProbe[] = [
    drain.probe,
    {
      name: 'discovery',
      check: () =>
        subscription.version === undefined
          ? { ready: false, reason: `no configuration has come from ${policy.discoveryAddress} yet` }
          : { ready: true },
    },
    {
      name: 'certificate',
      check: () =>
        tlsMode === 'strict' && secrets?.current() === undefined
          ? { ready: false, reason: `no certificate has come from ${policy.discoveryAddress} yet` }
          : { ready: true },
    },
    {
      name: 'quotas',
      check: () => {
        wasStoreUp ||= runtime.isStoreUp();
        return wasStoreUp ? { ready: true } : { ready: false, reason: 'the store of quotas has not been reached yet' };
      },
    },
  ];
  const monitoring = createHttpServer({
    setting: '--monitoringAddr',
    address: policy.monitoringAddr,
    app: createHttpApp({
      views: createPolicyViews({
        build,
        messageJson,
        probes,
        registry,
        clock,
        metricsMinIntervalMs: options.metricsMinIntervalMs,
        problems: runtime.problems,
      }),
      pages: createPolicyPages(),
      logger,
      clock,
    }),
    logger,
    clock,
    onRefused: reportHttpRefusals('--monitoringAddr', metrics, logger, clock),
  });
  let starting: Promise<PolicyAddresses> | undefined;
  let cancelLook = (): void => {};
  let isStopping = false;

  const lookForReadiness = async (startMs: number): Promise<void> => {
    const readiness = await checkReadiness(probes);
    if (isStopping || drain.isDraining) return;
    if (!readiness.ready) {
      cancelLook = clock.schedule(READY_POLL_MS, () => void lookForReadiness(startMs));
      return;
    }
    runtime.setServing(true);
    logger.info({ startMs: Math.round(clock.monotonicMs() - startMs) }, 'Policy server is ready');
  };

  const start = async (): Promise<PolicyAddresses> => {
    const startMs = clock.monotonicMs();
    const addresses = { policy: await runtime.start(), monitoring: await monitoring.start() };
    subscription.start();
    secrets?.start();
    logger.info(
      {
        policy: formatListenAddress(addresses.policy),
        monitoring: formatListenAddress(addresses.monitoring),
        discovery: policy.discoveryAddress,
      },
      'Policy server listens',
    );
    void lookForReadiness(startMs);
    return addresses;
  };

  return {
    start: () => {
      starting = start();
      return starting;
    },
    drain: () => {
      runtime.setServing(false);
      return drain.begin();
    },
    stop: async () => {
      isStopping = true;
      drain.cancel();
      // What a start has opened meanwhile is closed with the rest; its failure is its caller's affair.
      await starting?.catch(() => undefined);
      cancelLook();
      subscription.stop();
      secrets?.stop();
      await Promise.all([runtime.stop(STOP_GRACE_MS), monitoring.stop()]);
    },
  };
}

/** Undefined for plaintext alone. @throws StartError when TLS is required and there can be no certificate */
function tlsModeOf({ policyTls, discoveryRootCertFile }: PolicyFlags): 'permissive' | 'strict' | undefined {
  if (policyTls === 'plaintext') return undefined;
  if (discoveryRootCertFile !== '') return policyTls;
  if (policyTls === 'permissive') return undefined;
  throw new StartError('--policyTls=strict needs --discoveryRootCert: the discovery server issues the certificate');
}

/** As a gateway's, for the server serves no workload of its own: `router~<ip>~navigator-policy.<ns>~<ns>.svc.<domain>`. */
function nodeIdOf({ namespace, domain }: PolicyFlags): string {
  return `router~${ownAddress()}~navigator-policy.${namespace}~${namespace}.svc.${domain}`;
}

/** An address that others see this process under; it tells replicas apart on debug pages, nobody connects to it. */
function ownAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1';
}
