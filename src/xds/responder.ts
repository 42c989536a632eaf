import type { Clock } from '../base/clock.js';
import type { ResourceSet } from '../envoy/resource-set.js';
import { shortTypeName, TypeUrl } from '../envoy/type-urls.js';
import type { WireMessage } from '../envoy/wire-message.js';
import type { Proxy } from '../model/proxy.js';
import type { Distribution } from '../push/distribution.js';
import type { PushMetrics } from '../push/push-metrics.js';
import type { TurnOwner } from '../push/waiting-targets.js';
import type { Work } from '../push/work.js';
import type { WorkRunner } from '../push/work-runner.js';
import type { Logger } from '../telemetry/logger.js';
import { nextResponse, type OwedResponse } from './owed-response.js';
import type { Due, Watch } from './watch.js';
import type { Watches } from './watches.js';

/** A response on its way. */
export interface SentNow {
  readonly bytes: number;
  readonly flushed: Promise<void>;
}

/** What became of a watch that was due. */
export type Outcome = { readonly is: 'nothing' } | { readonly is: 'preparing' } | ({ readonly is: 'sent' } & SentNow);

export interface ResponderParts {
  readonly distribution: Distribution;
  readonly runner: WorkRunner;
  readonly metrics: PushMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whose share of the slices a preparation uses. */
  readonly owner: TurnOwner;
  connectionId(): string;
  isEnded(): boolean;
  /** A preparation that took more than one slice is over. */
  onPrepared(): void;
  send(type: string, message: WireMessage): Promise<void>;
}

interface Prepared {
  readonly watch: Watch;
  readonly subscription: number;
  readonly due: Due;
  readonly owed: OwedResponse | undefined;
}

const NOTHING: Outcome = { is: 'nothing' };
const PREPARING: Outcome = { is: 'preparing' };

/**
 * Makes the responses of one stream, one at a time and in slices: a response of a hundred thousand names must not keep
 * the event loop. What comes later in the push order waits for it.
 */
export class Responder {
  readonly #parts: ResponderParts;
  #preparing: Watch | undefined;
  #prepared: Prepared | undefined;
  #startMs = 0;

  constructor(parts: ResponderParts) {
    this.#parts = parts;
  }

  /** Whether a response is in the making, of that watch or of any. */
  isPreparing(watch?: Watch): boolean {
    return this.#preparing !== undefined && (watch === undefined || this.#preparing === watch);
  }

  /** Sends what a watch is owed, or begins to make it. A failure costs this response alone: it stays owed. */
  respond(watch: Watch, proxy: Proxy): Outcome {
    if (this.#preparing !== undefined) return PREPARING;
    let prepared = this.#takePrepared(watch);
    if (prepared === undefined) {
      if (!watch.isReady) return NOTHING;
      this.#prepare(watch, proxy);
      if (this.#preparing !== undefined) return PREPARING;
      prepared = this.#takePrepared(watch);
    }
    return prepared?.owed === undefined ? NOTHING : this.#send(watch, prepared.owed);
  }

  #takePrepared(watch: Watch): Prepared | undefined {
    const prepared = this.#prepared;
    if (prepared?.watch !== watch) return undefined;
    this.#prepared = undefined;
    if (prepared.subscription === watch.subscription) return prepared;
    watch.want(prepared.due);
    return undefined;
  }

  #prepare(watch: Watch, proxy: Proxy): void {
    const { runner, owner, clock, onPrepared } = this.#parts;
    this.#startMs = clock.monotonicMs();
    this.#preparing = watch;
    void runner.run(owner, this.#preparation(watch, proxy))?.then(onPrepared);
  }

  *#preparation(watch: Watch, proxy: Proxy): Work<void> {
    const { distribution, metrics, logger, connectionId } = this.#parts;
    const { subscription } = watch;
    const due = watch.begin();
    try {
      const steps = nextResponse(distribution, proxy, watch, due);
      for (let step = steps.next(); ; step = steps.next()) {
        if (this.#parts.isEnded()) return;
        if (watch.subscription !== subscription) {
          watch.want(due);
          return;
        }
        if (step.done === true) {
          this.#prepared = { watch, subscription, due, owed: step.value };
          return;
        }
        yield;
      }
    } catch (err) {
      watch.want(due);
      metrics.internalError();
      const type = shortTypeName(watch.generator.typeUrl);
      logger.error(
        { connection: connectionId(), type, err },
        'A response could not be made; the proxy keeps what it has',
      );
    } finally {
      this.#preparing = undefined;
    }
  }

  #send(watch: Watch, { response, set, root }: OwedResponse): Outcome {
    const { metrics, clock, send } = this.#parts;
    const { nonce, version, message } = response;
    watch.respond(set, { nonce, version, at: clock.now() }, root);
    const type = shortTypeName(watch.generator.typeUrl);
    const flushed = send(type, message);
    metrics.pushed(type, (clock.monotonicMs() - this.#startMs) / 1000);
    return { is: 'sent', bytes: message.byteLength, flushed };
  }
}

/** A changed cluster stays out of use until its endpoints arrive once more, changed or not. */
export function warmEndpoints(
  { diffs }: Pick<Distribution, 'diffs'>,
  watches: Pick<Watches, 'get'>,
  before: ResourceSet,
  after: ResourceSet,
): void {
  const endpoints = watches.get(TypeUrl.endpoint);
  if (endpoints === undefined) return;
  // Two cluster pushes before one of endpoints: everything counts as warming, which is never too little.
  endpoints.warming = diffs.diff(endpoints.warming === undefined ? before : undefined, after);
  endpoints.want('ifChanged');
}
