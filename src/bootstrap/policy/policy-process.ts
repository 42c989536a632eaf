import { hostname, networkInterfaces } from 'node:os';
import type { Clock } from '../../base/clock.js';
import { createAnswersControlPlane } from '../../instances/answer-control-plane.js';
import { POLICY_SERVER_SERVICE, SERVE_METHOD } from '../../instances/policy-server-message.js';
import { createHttpApp } from '../../introspection/http-app.js';
import { createHttpServer } from '../../introspection/http-server.js';
import { createPageReader } from '../../introspection/page-reader.js';
import { checkReadiness, type ReadinessProbe } from '../../introspection/ready.js';
import { quotasPage } from '../../introspection/web/quotas-page.js';
import { formatListenAddress } from '../../net/listen-address.js';
import type { Logging } from '../../telemetry/logging.js';
import { NAVIGATOR_POLICY_FAMILIES } from '../../telemetry/metric-families.js';
import { type AdsStreamSettings, createAdsStreams } from '../../xds-client/ads-stream.js';
import { encodeNode } from '../../xds-client/discovery-messages.js';
import { createSecretReader } from '../../xds-client/secret-reader.js';
import { createSecretSubscription } from '../../xds-client/secret-subscription.js';
import { createIntrospection } from '../create-introspection.js';
import { createDiscoveryCredentials } from '../discovery-credentials.js';
import { createDrain } from '../drain.js';
import { connectionTimes, policyRegexLimitsOf } from '../map-options.js';
import type { ListenAddress, PolicyFlags, PolicyOptions } from '../options.js';
import { createProcessParts } from '../process-parts.js';
import { reportHttpRefusals } from '../report-http-refusals.js';
import { createSettingsKeeper } from '../settings-keeper.js';
import { StartError } from '../start-error.js';
import { createPeerIdentifier } from './own-certificate.js';
import { createPolicyDiscovery } from './policy-discovery.js';
import { createPolicyRuntime } from './policy-runtime.js';
import { createPolicyPages, createPolicyViews, POLICY_SITE } from './policy-views.js';

/** Addresses of a running policy server, with the ports that the system chose for port 0. */
export interface PolicyAddresses {
  readonly policy: ListenAddress;
  readonly monitoring: ListenAddress;
}

/** A policy server in a process of its own, wired and not yet running. */
export interface PolicyProcess {
  /**
   * Serves, and subscribes to discovery. Settles when the listeners are open; /ready reports the rest.
   *
   * @throws ListenError when an address cannot be opened, SettingsRefusedError when --policyConfig cannot be used
   */
  start(): Promise<PolicyAddresses>;
  /** Keeps serving and reports not ready, until callers have left (--drainTime). `stop` ends it. */
  drain(): Promise<void>;
  /** Answers running calls and closes all parts. It can be called during a start and before one. */
  stop(): Promise<void>;
}

/** Time for calls to end by themselves, in milliseconds. */
const STOP_GRACE_MS = 10_000;
/** The concurrent checks of a proxy share one connection. */
const MAX_CONCURRENT_STREAMS = 100_000;
const MAX_RECEIVE_BYTES = 4 * 1024 * 1024;
/** Interval of readiness checks for the health service; /ready checks when it is called. */
const READY_POLL_MS = 100;

/**
 * The composition root of `navigator-policy`: the policy server of the discovery process, which gets the policies of
 * services over xDS.
 *
 * It is ready after the first configuration has arrived and the quota store has been reached once. It stays ready
 * later: without discovery the last configuration stays in force. Without the store, the fail policy of the proxy or
 * service answers every Check; other replicas share the store, so they could do no better.
 */
export function createPolicyProcess(options: PolicyOptions, logging: Logging, clock: Clock): PolicyProcess {
  const { policy, common } = options;
  const logger = logging.scope('default');
  const parts = createProcessParts(common, logging, clock, NAVIGATOR_POLICY_FAMILIES);
  const { registry, metrics, outgoing, build, protos, encoder, messageJson, guard } = parts;

  const discovery: AdsStreamSettings = {
    address: policy.discoveryAddress,
    keepaliveIntervalMs: common.keepaliveIntervalMs,
    keepaliveTimeoutMs: common.keepaliveTimeoutMs,
    credentials: createDiscoveryCredentials(policy),
    ...(policy.discoveryServerName === '' ? {} : { serverName: policy.discoveryServerName }),
  };
  const openStream = createAdsStreams(discovery);
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
      logger: logging.scope('adsc'),
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
    egressAllowed: options.egressAllowed.map(({ cidr }) => cidr),
    adapterCredentials: options.adapterCredentials,
    bypassesBackendNames: options.bypassesBackendNames,
    listener: {
      ...policy.policyAddr,
      ...connectionTimes(common),
      maxConcurrentStreams: MAX_CONCURRENT_STREAMS,
      maxReceiveMessageBytes: MAX_RECEIVE_BYTES,
    },
    protos,
    encoder,
    metrics,
    outgoing,
    logging,
    clock,
    onConfigChange: () => policies.limitsChanged(),
  });
  const policies = createPolicyDiscovery({
    openStream,
    node: encodeOwnNode,
    address: policy.discoveryAddress,
    regexes: options.regexes,
    protos,
    metrics,
    logger: logging.scope('adsc'),
    clock,
    runtime,
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
    ...policies.probes,
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
  const views = createPolicyViews({
    build,
    messageJson,
    probes,
    registry,
    metrics,
    clock,
    metricsMinIntervalMs: options.metricsMinIntervalMs,
    problems: runtime.problems,
    quotas: runtime.quotas,
    handlerSeries: runtime.handlerSeries,
  });
  let pagesPort = policy.monitoringAddr.port;
  const answers = createAnswersControlPlane({
    openStream: createAdsStreams(discovery, `/${POLICY_SERVER_SERVICE}/${SERVE_METHOD}`),
    greeting: () => ({ id: nodeIdOf(policy), name: `${hostname()}:${pagesPort}` }),
    readPage: createPageReader({ pages: [quotasPage(POLICY_SITE)], views, clock, logger }),
    clock,
    random: Math.random,
    logger: logging.scope('adsc'),
  });
  const app = createHttpApp({ views, pages: createPolicyPages(), logger, clock });
  const introspection = createIntrospection({
    common: options.common,
    process: { registry, metrics, build },
    views,
    site: POLICY_SITE,
    pages: createPolicyPages,
    logging,
    clock,
  });
  const monitoring = createHttpServer({
    setting: '--monitoringAddr',
    address: policy.monitoringAddr,
    app,
    onStop: app.endStreams,
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
    logger.info({ startMs: Math.round(clock.monotonicMs() - startMs) }, 'policy server is ready');
  };

  const start = async (): Promise<PolicyAddresses> => {
    const startMs = clock.monotonicMs();
    const addresses = { policy: await runtime.start(), monitoring: await monitoring.start() };
    await introspection.start();
    pagesPort = addresses.monitoring.port;
    policies.start();
    answers.start();
    secrets?.start();
    logger.info(
      {
        policy: formatListenAddress(addresses.policy),
        monitoring: formatListenAddress(addresses.monitoring),
        discovery: policy.discoveryAddress,
      },
      'policy server listens',
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
      // A running start can have opened parts, which are closed too. Its caller gets its error.
      await starting?.catch(() => undefined);
      cancelLook();
      policies.stop();
      answers.stop();
      secrets?.stop();
      await Promise.all([runtime.stop(STOP_GRACE_MS), monitoring.stop(), introspection.stop()]);
    },
  };
}

/**
 * Undefined for plaintext only.
 *
 * @throws StartError when TLS is required and there can be no certificate
 */
function tlsModeOf({ policyTls, discoveryRootCertFile }: PolicyFlags): 'permissive' | 'strict' | undefined {
  if (policyTls === 'plaintext') return undefined;
  if (discoveryRootCertFile !== '') return policyTls;
  if (policyTls === 'permissive') return undefined;
  throw new StartError('--policyTls=strict needs --discoveryRootCert: the discovery server issues the certificate');
}

/**
 * The node id has the type of a gateway, because the server belongs to no workload:
 * `router~<ip>~navigator-policy.<ns>~<ns>.svc.<domain>`.
 */
function nodeIdOf({ namespace, domain }: PolicyFlags): string {
  return `router~${ownAddress()}~navigator-policy.${namespace}~${namespace}.svc.${domain}`;
}

/** An address of this process. It only tells replicas apart on debug pages. */
function ownAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1';
}
