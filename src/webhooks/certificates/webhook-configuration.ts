import { isRecord } from '../../config/schema/body-copier.js';
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

/**
 * A configuration whose entries all trust these roots and fail in this way.
 *
 * @returns undefined when it is so already, or has no entries
 */
export function withTrust(configuration: unknown, caBundle: string, failurePolicy: FailurePolicy): object | undefined {
  const entries = entriesOf(configuration);
  const isRight = (entry: Entry): boolean => caBundleOf(entry) === caBundle && entry['failurePolicy'] === failurePolicy;
  if (!isRecord(configuration) || entries.every(isRight)) return undefined;
  const webhooks = entries.map((entry) => ({
    ...entry,
    clientConfig: { ...(isRecord(entry['clientConfig']) ? entry['clientConfig'] : {}), caBundle },
    failurePolicy,
  }));
  return { ...configuration, webhooks };
}

/** What one entry trusts; undefined when there is no such entry, empty when it trusts nothing yet. */
export function trustOf(configuration: unknown, entryName: string): string | undefined {
  const entry = entriesOf(configuration).find(({ name }) => name === entryName);
  return entry === undefined ? undefined : caBundleOf(entry);
}

/** The strategic merge patch that gives one entry its roots: entries are merged by name. */
export function trustPatch(entryName: string, caBundle: string): object {
  return { webhooks: [{ name: entryName, clientConfig: { caBundle } }] };
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
