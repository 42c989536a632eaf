import type { InjectionConfig } from '../../../config/injection/injection-config.js';
import { selectsLabels } from '../../../config/injection/label-selector.js';
import type { InjectionNames } from '../annotation-names.js';
import { own, type ReviewedPod } from '../pod.js';

/** Why a pod is not injected. */
export type SkipReason =
  | 'HOST_NETWORK'
  | 'SYSTEM_NAMESPACE'
  | 'ANNOTATION'
  | 'NEVER_INJECT_SELECTOR'
  | 'POLICY_DISABLED'
  | 'POLICY_UNKNOWN'
  /** An existing pod cannot get containers. */
  | 'NOT_CREATED';

export type InjectionRequired =
  | { readonly inject: true }
  | {
      readonly inject: false;
      readonly reason: SkipReason;
      /** Warnings for the user about values that are not understood. */
      readonly warnings?: readonly string[];
    };

const SYSTEM_NAMESPACES: ReadonlySet<string> = new Set(['kube-system', 'kube-public']);
const YES: ReadonlySet<string> = new Set(['y', 'yes', 'true', 'on']);
const NO: ReadonlySet<string> = new Set(['n', 'no', 'false', 'off']);
const INJECT: InjectionRequired = { inject: true };

/** Decides whether a pod is injected (docs/reference/webhooks.md#injection). The order of the checks matters. */
export function isInjectionRequired(
  pod: ReviewedPod,
  namespace: string,
  config: InjectionConfig,
  names: InjectionNames,
): InjectionRequired {
  if (own(pod.spec, 'hostNetwork') === true) return skip('HOST_NETWORK');
  if (SYSTEM_NAMESPACES.has(namespace)) return skip('SYSTEM_NAMESPACE');

  const { policy } = config;
  const unknownPolicy = policy !== 'enabled' && policy !== 'disabled';
  const annotation =
    pod.annotations === undefined ? '' : String(own(pod.annotations, names.inject) ?? '').toLowerCase();
  if (annotation !== '' && !YES.has(annotation)) {
    if (NO.has(annotation)) return skip('ANNOTATION');
    return { inject: false, reason: 'ANNOTATION', warnings: [unknownWord(names.inject)] };
  }
  let isWanted = annotation !== '';
  if (!isWanted) {
    const labels = pod.labels ?? {};
    if (config.neverInjectSelector.some((selector) => selectsLabels(selector, labels)))
      return skip('NEVER_INJECT_SELECTOR');
    isWanted = config.alwaysInjectSelector.some((selector) => selectsLabels(selector, labels));
  }
  if (unknownPolicy) return skip('POLICY_UNKNOWN');
  return isWanted || policy === 'enabled' ? INJECT : skip('POLICY_DISABLED');
}

/** An unknown word means no, which the author may not expect. */
function unknownWord(annotation: string): string {
  return `the pod gets no sidecar: its annotation ${annotation} has a value that means neither yes nor no; use "true" or "false"`;
}

function skip(reason: SkipReason): InjectionRequired {
  return { inject: false, reason };
}
