import type { Work } from '../../push/work.js';
import type { DiscoveryProtocol, NextResponse, ProtocolConnection, ProtocolVariant } from '../discovery-protocol.js';
import { parseRequest } from '../parse-request.js';
import { isWildcard, type RawDiscoveryRequest, readDiscoveryRequest, readResourceNames } from '../request-wire.js';
import type { ResourceProvider } from '../resource-provider.js';
import { StreamError } from '../stream-error.js';
import type { PendingPush, WatchedResource } from '../watched-resource.js';
import { composeRestResponse, type RestDocuments } from './rest-documents.js';
import type { RestStream } from './rest-stream.js';

/** A gRPC status code for a rejection without a reason. */
const UNKNOWN = 2;
const NO_REASON = 'the proxy requested again what it had before this response; its log has the reason';

/**
 * The REST variant of xDS: each poll names the version that the proxy has. The version is the hash of the resources, so
 * a poll is answered only if the resources differ, also after a restart, and by another replica. Envoy does not report
 * a rejection: it polls with the version before. The first such poll gets the response again, which may have been lost.
 */
class RestProtocol implements DiscoveryProtocol {
  readonly #connection: ProtocolConnection;
  readonly #stream: Pick<RestStream, 'isPolled' | 'idle'>;
  readonly #documents: RestDocuments;
  /** Version that the newest poll named. */
  #polled = '';
  /** Version of the newest response, or of the resources that the proxy connected with. */
  #newest: string | undefined;
  /** The newest response was sent a second time, and has not been accepted since. */
  #isRepeated = false;

  constructor(connection: ProtocolConnection, stream: Pick<RestStream, 'isPolled' | 'idle'>, documents: RestDocuments) {
    this.#connection = connection;
    this.#stream = stream;
    this.#documents = documents;
  }

  *receive(message: Buffer): Work<number> {
    const { names: maxNames } = this.#connection.environment.limits;
    const request = parseRequest('DiscoveryRequest', maxNames, () => readDiscoveryRequest(message, { maxNames }));
    const provider = this.#connection.open(request);
    if (provider === undefined) {
      throw new StreamError('UNIMPLEMENTED', `the server does not serve ${request.typeUrl} to this caller`);
    }
    const { subscriptions } = this.#connection;
    const known = subscriptions.get(provider.typeUrl);
    const watched = known ?? subscriptions.add(provider);
    if (known === undefined) yield* this.#subscribe(watched, provider, request);
    else this.#continue(watched, request);
    this.#polled = request.versionInfo;
    this.#connection.proceed();
    if (watched.pending === 'no') this.#stream.idle();
    return 1;
  }

  *nextResponse(watched: WatchedResource, pending: PendingPush): Work<NextResponse | undefined> {
    if (!this.#stream.isPolled) return this.#wait(watched, pending);
    const { typeUrl, configVersion, responses } = watched.provider;
    const set = yield* watched.provider.prepare(watched.names);
    const version = set.hash;
    if (pending === 'always' ? version === this.#polled : version === watched.sent?.hash) {
      if (pending === 'always') watched.held(set, version, configVersion);
      else watched.unchanged(set, configVersion);
      this.#newest = version;
      this.#stream.idle();
      return undefined;
    }
    if (pending === 'ifChanged' && watched.isRejected(set)) {
      this.#stream.idle();
      return undefined;
    }
    const header = { group: this.#documents.groupOf(set), typeUrl, versionInfo: version, configVersion };
    let response = responses.find(header, watched.sentNonce);
    if (response === undefined) {
      const body = yield* this.#documents.prepareBody(set);
      const content = { ...header, body: () => [body], compose: composeRestResponse };
      response = responses.responseFor(content, watched.sentNonce);
    }
    if (!this.#stream.isPolled) return this.#wait(watched, pending);
    const onSent = (): void => {
      this.#newest = version;
    };
    return { response, set, configVersion, onSent };
  }

  /** The next poll gets the response. */
  #wait(watched: WatchedResource, pending: PendingPush): undefined {
    watched.want(pending);
    return undefined;
  }

  *#subscribe(watched: WatchedResource, provider: ResourceProvider, request: RawDiscoveryRequest): Work<void> {
    const { environment, subscriptions } = this.#connection;
    const { encodedNames } = request;
    if (provider.mode === 'wildcard' && isWildcard(encodedNames)) return;
    const names = yield* environment.nameSets.intern(encodedNames, () => readResourceNames(encodedNames), undefined);
    subscriptions.checkNames(watched, names.set.names.length, environment.limits);
    watched.setNames(names);
  }

  #continue(watched: WatchedResource, { versionInfo, errorDetail }: RawDiscoveryRequest): void {
    const nonce = watched.sentNonce;
    if (versionInfo === this.#newest) {
      this.#isRepeated = false;
      if (watched.isUnanswered) this.#connection.acknowledge(watched, nonce, versionInfo);
      return;
    }
    const isRejection = watched.isUnanswered && (errorDetail !== undefined || this.#isRepeated);
    if (isRejection) {
      this.#connection.reject(watched, { nonce, ...(errorDetail ?? { code: UNKNOWN, message: NO_REASON }) });
      return;
    }
    // The response was lost, or the proxy has started the subscription again.
    this.#isRepeated = watched.isUnanswered || this.#isRepeated;
    watched.resubscribe();
  }
}

export function createRestVariant(
  stream: Pick<RestStream, 'isPolled' | 'idle'>,
  documents: RestDocuments,
): ProtocolVariant {
  return { create: (connection) => new RestProtocol(connection, stream, documents) };
}
