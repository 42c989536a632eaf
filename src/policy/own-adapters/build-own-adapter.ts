import type { Clock } from '../../base/clock.js';
import { parseDuration } from '../../base/parse-duration.js';
import { namespaceOfKey } from '../../config/object.js';
import type { ConnectionSpec } from '../../config/policy-rules/connection.js';
import type { EgressRules } from '../../net/egress/egress-rules.js';
import type { ResolveName } from '../../net/egress/guarded-lookup.js';
import { createGuardedPost } from '../../net/egress/guarded-post.js';
import type { LimitedLog } from '../../telemetry/limited-log.js';
import type { Logger } from '../../telemetry/logger.js';
import type { OutgoingCalls } from '../../telemetry/outgoing-calls.js';
import type { Adapter, HandlerUse } from '../rules/adapters/adapter.js';
import type { CompiledInstance } from '../rules/compile-instance.js';
import type { ReportBudget } from '../rules/reports/report-budget.js';
import type { HandlerObject } from '../rules/rule-objects.js';
import { createAdapterSession } from './adapter-session.js';
import { createConnectedAdapter } from './connected-adapter.js';
import { createAdapterLink } from './connection/adapter-link.js';
import { createFileToken, type TokenSource, tokenHeader } from './connection/call-tokens.js';
import { loadChannelMaterial } from './connection/channel-material.js';
import { createCredentialReader, type ReadCredential } from './connection/credential-files.js';
import { createOAuthToken } from './connection/oauth-token.js';
import { resolveTargets, splitAddress } from './connection/resolve-target.js';
import { createOwnAdapter } from './own-adapter.js';
import type { OwnAdapterMetrics } from './own-adapter-metrics.js';
import { createTemplates } from './templates.js';
import { wireName } from './wire/encode-instance.js';
import { encodeConfig, encodeTypeAny } from './wire/encode-request.js';
import { encodeTypes } from './wire/encode-types.js';

/** What adapters of one's own get of the process. */
export interface OwnAdapterEnvironment {
  readonly rules: EgressRules;
  /** Default: the resolver of the system. */
  readonly resolveName?: ResolveName;
  /** Folder with one folder for each namespace, of whose files its handlers may name some. */
  readonly credentialsFolder: string;
  /** BYPASS_OOP_MTLS_SAN_VERIFICATION */
  readonly bypassesNames: boolean;
  readonly budget: ReportBudget;
  /** Makes an id that no other call has. */
  readonly createId: () => string;
  readonly outgoing: OutgoingCalls;
  readonly metrics: OwnAdapterMetrics;
  /** Of scope `grpcAdapter`. */
  readonly logger: Logger;
  readonly limitedLog: LimitedLog;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

const DEFAULT_TIMEOUT = '5s';

/**
 * Builds the running part of a handler whose adapter is a program of its own. It connects in the background: calls fail
 * while there is no connection.
 *
 * @throws Error for a handler without a connection, and when its namespace has too many of them
 */
export function buildOwnAdapter(
  handler: HandlerObject,
  { instances, resources }: HandlerUse,
  environment: OwnAdapterEnvironment,
): Adapter {
  const { key, spec, adapter } = handler;
  const { connection } = spec;
  if (adapter.type !== 'own' || connection === undefined) throw new Error('spec.connection: is missing');
  const { clock, random, budget, createId, outgoing, logger, limitedLog } = environment;
  const { isOfOperator, isSessionBased } = adapter;
  const namespace = namespaceOfKey(key);
  const read = createCredentialReader({ isOfOperator, folder: environment.credentialsFolder, namespace });
  const address = splitAddress(connection.address);
  const timeoutMs = parseDuration(connection.timeout ?? DEFAULT_TIMEOUT);
  const endConnection = resources.connection();
  const metrics = environment.metrics.open(key);
  const readyListeners = new Set<() => void>();
  let roots: string | undefined;
  const tokens = tokensOf(
    connection,
    read,
    () => (roots === undefined ? undefined : [roots]),
    handler.key,
    environment,
  );
  const link = createAdapterLink({
    address: connection.address,
    look: async () => {
      const targets = await resolveTargets(address, environment.rules, environment.resolveName);
      const { bypassesNames } = environment;
      const material = await loadChannelMaterial({ connection, host: address.host, read, bypassesNames });
      roots = material.roots;
      await tokens?.refresh();
      return { targets, material };
    },
    header: () => headerOf(connection, tokens),
    clock,
    random,
    onState: (isReady, reason) => {
      metrics.connected(isReady);
      const fields = { handler: key, address: connection.address };
      if (isReady) logger.info(fields, 'adapter connected');
      else logger.warn({ ...fields, ...(reason !== undefined && { err: reason }) }, 'no connection to an adapter');
      if (isReady) for (const listener of readyListeners) listener();
    },
  });
  // A message that is sent again is a retry.
  const call = (method: string, request: Buffer): Promise<Buffer> =>
    outgoing.run('adapter', request, () => link.call(method, request, timeoutMs));
  const config = adapter.config === undefined ? undefined : encodeConfig(adapter.config);
  const session = isSessionBased
    ? createAdapterSession({ call, generation: link.generation }, config, typesOf(instances))
    : undefined;
  const connected = createConnectedAdapter({
    call,
    config,
    session,
    onReady: (listener) => {
      readyListeners.add(listener);
      return () => readyListeners.delete(listener);
    },
    close: () => {
      link.close();
      tokens?.close();
      metrics.close();
      endConnection();
    },
  });
  return createOwnAdapter({
    adapter: connected,
    timeoutMs,
    budget,
    createId,
    clock,
    random,
    onReportsSent: metrics.reportsSent,
    onReportsLost: (reports, error) => {
      metrics.reportsLost(reports);
      limitedLog.warn({ err: error, handler: key, reports }, 'reports lost: the adapter did not take them');
    },
  });
}

function tokensOf(
  connection: ConnectionSpec,
  read: ReadCredential,
  roots: () => readonly string[] | undefined,
  handler: string,
  { rules, resolveName, outgoing, limitedLog, clock, random }: OwnAdapterEnvironment,
): TokenSource | undefined {
  const { tokenPath, oauth } = connection.authentication?.tls ?? {};
  if (tokenPath !== undefined) return createFileToken(tokenPath, read);
  if (oauth === undefined) return undefined;
  const post = createGuardedPost(rules, resolveName);
  return createOAuthToken({
    oauth,
    read,
    roots,
    post: (posted) =>
      outgoing.run(
        'token_exchange',
        posted.url,
        () => post(posted),
        ({ status }) => status !== 200,
      ),
    clock,
    random,
    onFailure: (error) => limitedLog.warn({ err: error, handler }, 'no token for an adapter'),
  });
}

function headerOf(connection: ConnectionSpec, tokens: TokenSource | undefined) {
  const { tls } = connection.authentication ?? {};
  if (tokens === undefined || tls === undefined) return undefined;
  const token = tokens.current();
  if (typeof token === 'string') return tokenHeader(tls, token);
  return token.then((obtained) => tokenHeader(tls, obtained));
}

/** The types of all instances, by name. */
function typesOf(instances: readonly CompiledInstance[]): ReadonlyMap<string, Uint8Array> {
  const templates = createTemplates();
  return new Map(
    instances.map((instance) => {
      const { wire } = templates.of(instance);
      return [wireName(instance), encodeTypeAny(wire, encodeTypes(wire, instance.types))];
    }),
  );
}
