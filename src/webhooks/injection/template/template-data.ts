import type { InjectionValues } from '../../../config/injection/injection-config.js';
import type { MeshConfig, ProxyConfig } from '../../../config/mesh/mesh-config.js';
import type { JsonMapping, PodSpec } from '../pod.js';

/** What a template reads (BEHAVIOUR 3, "Template data"). Durations are milliseconds, in fields that end in `Ms`. */
export interface TemplateData {
  /** `apiVersion` and `kind` of the workload that the pod belongs to. */
  readonly TypeMeta: { readonly apiVersion: string; readonly kind: string };
  /** The workload's `name` and `namespace`. */
  readonly DeploymentMeta: { readonly name: string; readonly namespace: string };
  /** The pod's, with the labels that it is about to get. `name` is empty while there is only `generateName`. */
  readonly ObjectMeta: {
    readonly name: string;
    readonly generateName: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  /** The pod's as it was before anything was injected. */
  readonly Spec: PodSpec & { readonly containers: readonly JsonMapping[] };
  readonly ProxyConfig: ProxyConfig;
  readonly MeshConfig: MeshConfig;
  /** The file `values`. */
  readonly Values: InjectionValues;
  /** `D` of `sidecar.D/inject`. */
  readonly MeshDomain: string;
}
