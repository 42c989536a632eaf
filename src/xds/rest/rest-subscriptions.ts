import type { SessionHooks } from '../discovery-calls.js';
import { addressOf } from '../limits/peers.js';
import { ProxySession } from '../proxy-session.js';
import { createRequestPace } from '../request-intake.js';
import type { SessionEnvironment } from '../session-environment.js';
import { StreamError, toStreamError } from '../stream-error.js';
import type { RestDocuments } from './rest-documents.js';
import { RestNode } from './rest-node.js';
import { createRestVariant } from './rest-protocol.js';
import type { RestRequest } from './rest-request.js';
import { type RestPoll, RestStream } from './rest-stream.js';

export interface RestSubscriptionsParts {
  readonly environment: SessionEnvironment;
  readonly hooks: SessionHooks;
  readonly documents: RestDocuments;
  /** Time after its last poll for which a proxy counts as connected (NAV_XDS_REST_LEASE). */
  readonly leaseMs: number;
}

/**
 * The proxies that poll. A REST proxy has no stream: each of its subscriptions (one type, and the same names) is a
 * session that lives from poll to poll, until no poll has come for the lease. Envoy has one subscription for each route
 * configuration and for the endpoints of each cluster. The subscriptions of one node share a `RestNode`.
 */
export interface RestSubscriptions {
  poll(typeUrl: string, request: RestRequest, poll: RestPoll): void;
  /** The poll has been answered, or its connection has closed. @param key of its request */
  finished(key: string, poll: RestPoll): void;
  endAll(error: StreamError): void;
}

interface Subscription {
  readonly session: ProxySession;
  readonly stream: RestStream;
  /** Milliseconds that the poll waits, if the proxy polls too fast. */
  pace(): number;
  /** Of the pace, or of the lease. */
  cancelTimer: () => void;
}

export function createRestSubscriptions(parts: RestSubscriptionsParts): RestSubscriptions {
  const { environment, hooks, documents, leaseMs } = parts;
  const { clock, limits } = environment;
  const subscriptions = new Map<string, Subscription>();
  /** Those with a subscription. */
  const nodes = new Map<string, RestNode>();
  let opened = 0;

  const keyOf = (key: string, { peer }: RestPoll): string => `${addressOf(peer)} ${key}`;

  const open = (typeUrl: string, request: RestRequest, poll: RestPoll): Subscription => {
    const { peer } = poll;
    const key = keyOf(request.key, poll);
    const nodeKey = keyOf(request.nodeKey, poll);
    const onEnd = (): void => {
      const subscription = subscriptions.get(key);
      if (subscription?.stream !== stream) return;
      subscription.cancelTimer();
      subscriptions.delete(key);
      variant.close();
      if (node.isEmpty) nodes.delete(nodeKey);
      hooks.closed(subscription.session);
    };
    const stream = new RestStream(peer, `rest ${addressOf(peer)} ${++opened}`, onEnd);
    const node = nodes.get(nodeKey) ?? new RestNode(clock, limits.ackMs);
    const variant = createRestVariant({ stream, documents, node, typeUrl });
    const session = new ProxySession(environment, stream, { onlyType: typeUrl, variant });
    nodes.set(nodeKey, node);
    const pace = createRequestPace(limits.requestsPerSecond, clock);
    const subscription: Subscription = { session, stream, pace: () => pace.take(1), cancelTimer: () => undefined };
    subscriptions.set(key, subscription);
    return subscription;
  };

  const fail = (subscription: Subscription, peer: string, cause: unknown): void => {
    const error = toStreamError(cause);
    if (error.code === 'INTERNAL') {
      environment.metrics.internalError();
      environment.logger.error({ err: cause, peer }, 'discovery request failed');
    }
    environment.refused(peer, error);
    subscription.session.end(error);
  };

  const receive = async (subscription: Subscription, { message }: RestRequest, poll: RestPoll): Promise<void> => {
    if (poll.isOver) return;
    subscription.stream.begin(poll);
    try {
      await subscription.session.receive(message);
    } catch (error) {
      fail(subscription, poll.peer, error);
    }
  };

  return {
    poll: (typeUrl, request, poll) => {
      const key = keyOf(request.key, poll);
      let subscription: Subscription;
      try {
        subscription = subscriptions.get(key) ?? open(typeUrl, request, poll);
      } catch (error) {
        if (!(error instanceof StreamError)) throw error;
        environment.refused(poll.peer, error);
        poll.fail(error);
        return;
      }
      subscription.cancelTimer();
      const waitMs = subscription.pace();
      if (waitMs === 0) {
        void receive(subscription, request, poll);
        return;
      }
      environment.tooFast(poll.peer);
      subscription.cancelTimer = clock.schedule(waitMs, () => void receive(subscription, request, poll));
    },
    finished: (key, poll) => {
      const subscription = subscriptions.get(keyOf(key, poll));
      if (subscription === undefined) return;
      subscription.stream.finish(poll);
      if (subscription.stream.isPolled) return;
      subscription.cancelTimer();
      subscription.cancelTimer = clock.schedule(leaseMs, () => subscription.session.end());
    },
    endAll: (error) => {
      for (const { session } of [...subscriptions.values()]) session.end(error);
    },
  };
}
