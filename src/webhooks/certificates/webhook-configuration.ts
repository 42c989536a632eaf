import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../base/record.js';
import type { KindDefinition } from '../../config/kind-definition.js';
import { rawKind } from '../../kubernetes/watch/raw-kind.js';

const GROUP = 'admissionregistration.k8s.io';

export const VALIDATING_CONFIGURATION_KIND = rawKind({
  group: GROUP,
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  namespaced: false,
});

export const MUTATING_CONFIGURATION_KIND = rawKind({
  group: GROUP,
  kind: 'MutatingWebhookConfiguration',
  plural: 'mutatingwebhookconfigurations',
  namespaced: false,
});

/** URL path of one configuration. */
export function configurationPath({ plural }: { readonly plural: string }, name: string): string {
  return `/apis/${GROUP}/v1/${plural}/${encodeURIComponent(name)}`;
}

export type FailurePolicy = 'Ignore' | 'Fail';

type Entry = Readonly<Record<string, unknown>>;

/** A rule of a webhook: the requests that API servers send to it. */
export interface WebhookRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly operations: readonly string[];
  readonly resources: readonly string[];
  readonly scope: string;
}

/** Rules for the creation and update of all objects of the mesh's own kinds. */
export function webhookRules(definitions: readonly KindDefinition[], meshDomain: string): readonly WebhookRule[] {
  const plurals = new Map<string, string[]>();
  for (const { group, plural } of definitions) {
    if (group.endsWith(`.${meshDomain}`)) plurals.set(group, [...(plurals.get(group) ?? []), plural].sort());
  }
  return [...plurals]
    .sort(([first], [second]) => (first < second ? -1 : 1))
    .map(([group, resources]) => ({
      apiGroups: [group],
      apiVersions: ['*'],
      operations: ['CREATE', 'UPDATE'],
      resources,
      scope: '*',
    }));
}

/**
 * Whether the configuration leaves its rules to the control plane, by the annotation `<mesh domain>/webhook-rules` with
 * the value `managed`. Without rules API servers send no requests, so such a configuration can be installed before the
 * control plane answers, and applied again without a change.
 */
export function leavesRules(configuration: unknown, meshDomain: string): boolean {
  const metadata = isRecord(configuration) ? configuration['metadata'] : undefined;
  const annotations = isRecord(metadata) ? metadata['annotations'] : undefined;
  return isRecord(annotations) && annotations[`${meshDomain}/webhook-rules`] === 'managed';
}

/**
 * The configuration with this caBundle and failurePolicy in all entries.
 *
 * @param rules rules of the entries; default: the rules that they have
 * @returns undefined if the configuration needs no change, or has no entries
 */
export function withTrust(
  configuration: unknown,
  caBundle: string,
  failurePolicy: FailurePolicy,
  rules?: readonly WebhookRule[],
): object | undefined {
  const entries = entriesOf(configuration);
  const isRight = (entry: Entry): boolean =>
    caBundleOf(entry) === caBundle &&
    entry['failurePolicy'] === failurePolicy &&
    (rules === undefined || isDeepStrictEqual(entry['rules'], rules));
  if (!isRecord(configuration) || entries.every(isRight)) return undefined;
  const webhooks = entries.map((entry) => ({
    ...entry,
    clientConfig: { ...(isRecord(entry['clientConfig']) ? entry['clientConfig'] : {}), caBundle },
    failurePolicy,
    ...(rules && { rules }),
  }));
  return { ...configuration, webhooks };
}

/** The caBundle of each entry whose name is this one or ends with it; empty if the entry has none yet. */
export function trustOf(configuration: unknown, entryName: string): ReadonlyMap<string, string> {
  const trust = new Map<string, string>();
  for (const entry of entriesOf(configuration)) {
    const name = String(entry['name']);
    if (name === entryName || name.endsWith(`.${entryName}`)) trust.set(name, caBundleOf(entry));
  }
  return trust;
}

/** The strategic merge patch that sets the caBundle of entries. Kubernetes merges entries by name. */
export function trustPatch(entryNames: Iterable<string>, caBundle: string): object {
  return { webhooks: [...entryNames].map((name) => ({ name, clientConfig: { caBundle } })) };
}

function entriesOf(configuration: unknown): readonly Entry[] {
  const webhooks = isRecord(configuration) ? configuration['webhooks'] : undefined;
  return Array.isArray(webhooks) ? webhooks.filter(isRecord) : [];
}

function caBundleOf(entry: Entry): string {
  const clientConfig = entry['clientConfig'];
  const caBundle = isRecord(clientConfig) ? clientConfig['caBundle'] : undefined;
  return typeof caBundle === 'string' ? caBundle : '';
}
