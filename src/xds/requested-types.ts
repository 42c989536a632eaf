import { DEFAULT_MESH_DOMAIN } from '../config/mesh-domain.js';
import { EMPTY_RESOURCE_SET } from '../envoy/resource-set.js';
import { TypeUrl } from '../envoy/type-urls.js';
import type { ResourceGenerator } from '../generators/generator.js';
import { usersOfCredential } from '../model/gateways/credential-references.js';
import type { Proxy } from '../model/proxy.js';
import type { WorkloadIdentity } from '../model/spiffe-id.js';
import type { Rights } from './client-status/rights.js';
import { StateResources } from './client-status/state-resources.js';
import { stateDetailOf } from './client-status/state-types.js';
import type { RequestHead } from './discovery-protocol.js';
import type { PeerStream } from './limits/peers.js';
import { GeneratedResources, type ResourceProvider } from './resource-provider.js';
import type { SecretResources } from './secrets/secret-resources.js';
import type { SessionEnvironment } from './session-environment.js';
import { shorten } from './shorten.js';
import { StreamError } from './stream-error.js';
import type { Subscriptions } from './subscriptions.js';
import { VirtualHostResources } from './virtual-host-resources.js';

const V2_PREFIX = 'type.googleapis.com/envoy.api.v2.';
/** Types that are not served and that one stream may log. */
const MAX_LOGGED_TYPES = 16;
/** No type has a longer name, and a peer may send a name of megabytes. */
const MAX_TYPE_CHARACTERS = 256;

export interface RequestedTypesParts {
  readonly environment: Pick<
    SessionEnvironment,
    'distribution' | 'secrets' | 'logger' | 'delta' | 'connections' | 'events' | 'meshDomain' | 'limits' | 'clock'
  >;
  readonly subscriptions: Subscriptions;
  /** Of the stream at its peer. */
  readonly account: PeerStream;
  /** The only type of a per-type service; undefined on the aggregated one. */
  readonly onlyType: string | undefined;
  /** The resources of a type have changed otherwise than by a push: secrets, or events. */
  onChange(typeUrl: string): void;
  /** What the caller may see of connected proxies. @throws StreamError PERMISSION_DENIED */
  rights(): Rights;
  /** Ends the stream. */
  fail(error: StreamError): void;
}

/** The proxy that requests a type. */
export interface RequestingProxy {
  readonly connectionId: string;
  readonly proxy: Proxy;
  /** Undefined if the caller has proven none. */
  readonly identity: WorkloadIdentity | undefined;
}

/** Finds the provider of each type that one stream requests. */
export class RequestedTypes {
  readonly #parts: RequestedTypesParts;
  readonly #logged = new Set<string>();
  #secrets: SecretResources | undefined;
  readonly #states: StateResources[] = [];

  constructor(parts: RequestedTypesParts) {
    this.#parts = parts;
  }

  /**
   * The type that a request is for.
   *
   * @throws StreamError INVALID_ARGUMENT
   */
  typeOf({ typeUrl }: RequestHead): string {
    const { onlyType } = this.#parts;
    if (onlyType === undefined) {
      if (typeUrl !== '') return typeUrl;
      throw new StreamError('INVALID_ARGUMENT', 'type_url is missing: an aggregated stream needs it');
    }
    if (typeUrl !== '' && typeUrl !== onlyType) {
      throw new StreamError('INVALID_ARGUMENT', `invalid type ${shorten(typeUrl)}, expected ${onlyType}`);
    }
    return onlyType;
  }

  /**
   * Opens the provider of a type that the stream does not subscribe to yet.
   *
   * @returns undefined if the stream does not get the type
   * @throws StreamError for a type of v2, and for a debug type that the caller may not see
   */
  open(typeUrl: string, by: RequestingProxy): ResourceProvider | undefined {
    const { distribution } = this.#parts.environment;
    const generator = distribution.generatorOf(typeUrl, by.proxy);
    if (generator?.mode === 'grouped') {
      if (by.proxy.takesVirtualHosts === true) return this.#openVirtualHosts(generator, by);
      this.#ignore(typeUrl, by.connectionId);
      return undefined;
    }
    if (generator !== undefined) return new GeneratedResources(distribution, generator, by.proxy);
    const states = this.#openStates(typeUrl, by.proxy);
    if (states !== undefined) return states;
    const secrets = typeUrl === TypeUrl.secret ? this.#openSecrets(by) : undefined;
    if (secrets === undefined) this.#ignore(typeUrl, by.connectionId);
    return secrets;
  }

  close(): void {
    this.#secrets?.close();
    for (const each of this.#states) each.close();
  }

  #openVirtualHosts(generator: ResourceGenerator, { proxy }: RequestingProxy): ResourceProvider {
    const { environment, subscriptions } = this.#parts;
    return new VirtualHostResources(environment.distribution, generator, proxy, () =>
      environment.delta.namesOf(subscriptions.get(TypeUrl.route)?.sent ?? EMPTY_RESOURCE_SET),
    );
  }

  /** The connected proxies, for a debug type. */
  #openStates(typeUrl: string, { isEventClient }: Proxy): ResourceProvider | undefined {
    const { environment, account, rights, fail } = this.#parts;
    const { connections, events, meshDomain = DEFAULT_MESH_DOMAIN } = environment;
    const detail = stateDetailOf(typeUrl, meshDomain);
    if (detail === undefined || connections === undefined) return undefined;
    const onChange = (): void => this.#parts.onChange(typeUrl);
    const ofCaller = { rights: rights(), isEventClient: isEventClient === true, onChange, fail };
    const states = new StateResources({ typeUrl, detail, environment, account, connections, events, ...ofCaller });
    this.#states.push(states);
    return states;
  }

  /** Undefined if the caller has not proven an identity that has secrets. */
  #openSecrets({ connectionId, proxy, identity }: RequestingProxy): SecretResources | undefined {
    const { environment } = this.#parts;
    if (identity === undefined || !proxy.hasSecrets) return undefined;
    this.#secrets ??= environment.secrets?.open(identity, {
      connectionId,
      isRouter: proxy.type === 'router',
      usersOfCredential: (asked) => {
        const { context } = environment.distribution;
        return context === undefined ? [] : usersOfCredential(context, proxy, asked);
      },
      onChange: () => this.#parts.onChange(TypeUrl.secret),
    });
    return this.#secrets;
  }

  /** Logs a type that is not served, once for each type. */
  #ignore(typeUrl: string, connection: string): void {
    const { distribution, logger } = this.#parts.environment;
    const v3 = v3TypeOf(typeUrl);
    if (v3 !== undefined) throw new StreamError('INVALID_ARGUMENT', `invalid type ${typeUrl}, expected ${v3}`);
    const name = shorten(typeUrl, MAX_TYPE_CHARACTERS);
    if (this.#logged.has(name) || this.#logged.size >= MAX_LOGGED_TYPES) return;
    this.#logged.add(name);
    if (typeUrl === TypeUrl.secret) {
      const remedy = 'connect to the secured port, with a certificate or a token of a workload of this trust domain';
      logger.warn({ connection, remedy }, 'proxy requests secrets on a stream without a proven identity');
      return;
    }
    logger.warn(
      { connection, typeUrl: name, served: [...distribution.generators.keys()] },
      'proxy requests a resource type that is not served; the request is ignored',
    );
  }
}

/** The type that is served in place of a type of v2; undefined if there is none. */
function v3TypeOf(typeUrl: string): string | undefined {
  if (!typeUrl.startsWith(V2_PREFIX)) return undefined;
  const name = typeUrl.slice(V2_PREFIX.length);
  return Object.values(TypeUrl).find((v3) => v3.endsWith(`.${name}`));
}
