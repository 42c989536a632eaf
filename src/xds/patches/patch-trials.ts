import type { Clock } from '../../base/clock.js';
import type { ResourceSet } from '../../envoy/resource-set.js';
import { shortTypeName } from '../../envoy/type-urls.js';
import type { PeerReports, ReportedProxy } from '../peer-reports.js';
import { shorten } from '../shorten.js';
import type { WatchedResource } from '../watched-resource.js';
import { PatchTrial, type TrialStep } from './patch-trial.js';

/** Characters of Envoy's error that an EnvoyFilter shows. */
const MAX_REASON_CHARACTERS = 512;
/** Characters of Envoy's error in which names of resources are looked for. */
const MAX_SEARCHED_CHARACTERS = 16_384;

/**
 * The patches of EnvoyFilters that one proxy does not get because it rejected them. They affect this stream alone: a
 * proxy that rejects everything changes nothing for other proxies. They are forgotten when the stream ends.
 */
export class PatchTrials {
  readonly #environment: Pick<PeerReports, 'rejectedPatches'> & { readonly clock: Clock };
  readonly #reported: () => ReportedProxy;
  readonly #trials = new Map<WatchedResource, PatchTrial>();

  constructor(
    environment: Pick<PeerReports, 'rejectedPatches'> & { readonly clock: Clock },
    reported: () => ReportedProxy,
  ) {
    this.#environment = environment;
    this.#reported = reported;
  }

  /** The proxy has rejected the newest response of a type. @param accepted the resources that it accepted before */
  rejected(watched: WatchedResource, accepted: ResourceSet | undefined, message: string): void {
    const { rejected: set, provider } = watched;
    if (set === undefined || provider.withhold === undefined) return;
    const trial = this.#trials.get(watched) ?? new PatchTrial();
    const proxy = this.#reported();
    const reason = `proxies of namespace ${proxy.namespace} reject it: ${oneLine(shorten(message, MAX_REASON_CHARACTERS))}`;
    const response = { set, accepted, text: shorten(message, MAX_SEARCHED_CHARACTERS) };
    const step = trial.rejected(response, reason, this.#environment.clock.monotonicMs());
    if (step === 'unchanged') return;
    this.#trials.set(watched, trial);
    if (step === 'full' || trial.newest.length > 0) {
      const type = shortTypeName(provider.typeUrl);
      const patches = trial.newest.map(withoutHash);
      this.#environment.rejectedPatches(proxy, { type, patches, isWithheld: step !== 'full' });
    }
    this.#apply(watched, trial, step);
  }

  /** The proxy has the resources that it should have. @returns whether it should now have others */
  accepted(watched: WatchedResource): boolean {
    const trial = this.#trials.get(watched);
    return trial !== undefined && this.#apply(watched, trial, trial.accepted(this.#environment.clock.monotonicMs()));
  }

  #apply(watched: WatchedResource, trial: PatchTrial, step: TrialStep): boolean {
    if (step !== 'changed') return false;
    watched.provider.withhold?.(trial.withheld);
    // A response that was begun with other patches is dropped.
    watched.subscription++;
    watched.want('ifChanged');
    return true;
  }
}

/** `<object>[<index>]` of the id of a patch. */
function withoutHash(id: string): string {
  return id.slice(0, id.lastIndexOf('#'));
}

/** The text is a part of a sentence, and Envoy ends it with a line break. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
}
