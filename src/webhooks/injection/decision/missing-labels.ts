import type { InjectionNames } from '../annotation-names.js';
import { own, type Pod } from '../pod.js';

const MAX_LABEL_LENGTH = 63;

export interface LabelFacts {
  /** Name of the workload. */
  readonly workload: string;
  /** Of the control plane; empty for none. */
  readonly revision: string;
  /** Peers choose by this label whether they come with mutual TLS. */
  readonly takesMutualTls: boolean;
}

/** Labels that a pod gets where it does not have them yet (BEHAVIOUR 3, "Patch order"). */
export function missingLabels(
  pod: Pod,
  { labels: names }: InjectionNames,
  { workload, revision, takesMutualTls }: LabelFacts,
): Readonly<Record<string, string>> {
  const present = pod.labels ?? {};
  const first = (...keys: readonly string[]): string | undefined =>
    keys.map((key) => own(present, key)).find((value): value is string => typeof value === 'string' && value !== '');
  const wanted: readonly (readonly [string, string])[] = [
    [names.tlsMode, takesMutualTls ? 'mesh' : 'disabled'],
    [names.canonicalName, first('app.kubernetes.io/name', 'app') ?? labelValue(workload)],
    [names.revision, revision === '' ? 'default' : revision],
    [names.canonicalRevision, first('app.kubernetes.io/version', 'version') ?? 'latest'],
  ];
  return Object.fromEntries(wanted.filter(([key]) => !Object.hasOwn(present, key)));
}

/** Names of workloads may be longer than labels, which have to end in a letter or a digit. */
function labelValue(name: string): string {
  return name.slice(0, MAX_LABEL_LENGTH).replace(/[^A-Za-z0-9]+$/, '');
}
