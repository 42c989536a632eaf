import { type Pod, translatePod } from './pod.js';
import type { Translation } from './translation.js';
import type { Workload } from './workload.js';

interface Translated {
  readonly address: string;
  readonly locality: string;
  readonly translation: Translation;
  readonly workload: Workload;
}

/** Translates each pod once, however many services list it: its endpoints then share their identity and name too. */
export class PodWorkloads {
  readonly #known = new WeakMap<Pod, Translated>();

  /** What `translatePod` says; the very same object while pod, address, locality and translation are. */
  translate(pod: Pod, address: string, locality: string, translation: Translation): Workload {
    const known = this.#known.get(pod);
    const isSame =
      known !== undefined &&
      known.address === address &&
      known.locality === locality &&
      known.translation === translation;
    if (isSame) return known.workload;
    const workload = translatePod(pod, address, locality, translation);
    this.#known.set(pod, { address, locality, translation, workload });
    return workload;
  }
}
