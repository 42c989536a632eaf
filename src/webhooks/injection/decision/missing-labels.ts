import { revisionLabel } from '../../../base/revision.js';
import type { InjectionValues } from '../../../config/injection/injection-config.js';
import type { ProxyConfig } from '../../../config/mesh/mesh-config.js';
import type { InjectionNames } from '../annotation-names.js';
import { own, ownMapping, type ReviewedPod } from '../pod.js';

const MAX_LABEL_LENGTH = 63;

export interface LabelFacts {
  /** Name of the workload. */
  readonly workload: string;
  /** Revision of the control plane; empty for none. */
  readonly revision: string;
  /** Whether peers use mutual TLS, which they decide by a label. */
  readonly takesMutualTls: boolean;
}

/** The labels that injection adds to a pod that does not have them. */
export function missingLabels(
  pod: ReviewedPod,
  { labels: names }: InjectionNames,
  { workload, revision, takesMutualTls }: LabelFacts,
): Readonly<Record<string, string>> {
  const present = pod.labels ?? {};
  const first = (...keys: readonly string[]): string | undefined =>
    keys.map((key) => own(present, key)).find((value): value is string => typeof value === 'string' && value !== '');
  const wanted: readonly (readonly [string, string])[] = [
    [names.tlsMode, takesMutualTls ? 'mesh' : 'disabled'],
    [names.canonicalName, first('app.kubernetes.io/name', 'app') ?? labelValue(workload)],
    [names.revision, revisionLabel(revision)],
    [names.canonicalRevision, first('app.kubernetes.io/version', 'version') ?? 'latest'],
  ];
  return Object.fromEntries(wanted.filter(([key]) => !Object.hasOwn(present, key)));
}

/** Names of workloads can be longer than labels, and labels must end with a letter or digit. */
function labelValue(name: string): string {
  return name.slice(0, MAX_LABEL_LENGTH).replace(/[^A-Za-z0-9]+$/, '');
}

/**
 * Whether peers reach a proxy with a certificate at the pod's ports. A proxy gets no certificate without authentication
 * at the control plane, and without interception peers reach the application itself.
 *
 * @param interceptionMode the pod's annotation; default: `traffic.interceptionMode` of the values
 */
export function takesMutualTls(
  interceptionMode: unknown,
  { controlPlaneAuthPolicy }: ProxyConfig,
  values: InjectionValues,
): boolean {
  const usual = own(ownMapping(values, 'traffic') ?? {}, 'interceptionMode');
  return controlPlaneAuthPolicy !== 'NONE' && (interceptionMode ?? usual) !== 'NONE';
}
