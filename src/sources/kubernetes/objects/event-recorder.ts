import { apiVersionOf, type KindDefinition } from '../../../config/kind-definition.js';
import type { ObjectKey } from '../../../config/object.js';
import type { Metrics } from '../../../telemetry/metrics.js';

/** The change of an object; `updatesame` when no part of it that the mesh reads changed. */
export type ObjectEventType = 'add' | 'update' | 'updatesame' | 'delete';

/** Records what comes from a cluster (docs/reference/metrics.md#registries-and-sources). */
export interface EventRecorder {
  event(definition: KindDefinition, type: ObjectEventType): void;
  /** An object of the API server was translated, or is invalid. */
  converted(definition: KindDefinition, isValid: boolean): void;
  /** An event could not be handled: its object is invalid, or the model did not take it over. */
  failed(error: 'invalid' | 'delivery'): void;
  /** The object is invalid. */
  refused(key: ObjectKey): void;
  wellAgain(key: ObjectKey): void;
}

/** Values of the label `type` of nav_k8s_reg_events. */
const REGISTRY_TYPES: ReadonlyMap<string, string> = new Map([
  ['Service', 'Services'],
  ['Node', 'Nodes'],
  ['Pod', 'Pods'],
  ['Namespace', 'Namespaces'],
  ['Endpoints', 'Endpoints'],
  ['EndpointSlice', 'EndpointSlice'],
]);

/**
 * Records into nav_k8s_reg_events, nav_k8s_cfg_events, nav_k8s_object_errors, nav_total_k8s_object_errors and the
 * families cfgsrv_source_kube.
 */
export function createEventRecorder(metrics: Pick<Metrics, 'increment' | 'set' | 'remove'>): EventRecorder {
  /** Invalid objects by name: a QuotaSpec and its binding often have the same name. */
  const refused = new Map<string, Set<ObjectKey>>();
  const failed = (error: string): void => metrics.increment('cfgsrv_source_kube_event_error_total', { error });
  return {
    event: ({ kind }, event) => {
      const type = REGISTRY_TYPES.get(kind);
      if (type === undefined) metrics.increment('nav_k8s_cfg_events', { type: kind, event });
      else metrics.increment('nav_k8s_reg_events', { type, event });
      metrics.increment('cfgsrv_source_kube_event_success_total');
    },
    converted: (definition, isValid) => {
      const { kind, group } = definition;
      const labels = { apiVersion: apiVersionOf(definition), group, kind };
      if (isValid) metrics.increment('cfgsrv_source_kube_dynamic_converter_success_total', labels);
      else metrics.increment('cfgsrv_source_kube_dynamic_converter_failure_total', labels);
    },
    failed,
    refused: (key) => {
      metrics.increment('nav_total_k8s_object_errors');
      failed('invalid');
      const name = nameOf(key);
      metrics.set('nav_k8s_object_errors', { name }, 1);
      refused.set(name, (refused.get(name) ?? new Set()).add(key));
    },
    wellAgain: (key) => {
      const name = nameOf(key);
      const others = refused.get(name);
      others?.delete(key);
      if (others !== undefined && others.size > 0) return;
      refused.delete(name);
      metrics.remove('nav_k8s_object_errors', { name });
    },
  };
}

/** `shop/limits` of `QuotaSpec/shop/limits`. */
function nameOf(key: ObjectKey): string {
  return key.slice(key.indexOf('/') + 1);
}
