import type { InjectionConfig, InjectionValues } from '../../config/injection/injection-config.js';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { PatchOperation } from '../admission/admission-answer.js';
import type { InjectionNames } from './annotation-names.js';
import { completeItems } from './complete-items.js';
import { isInjectionRequired, type SkipReason } from './decision/injection-required.js';
import { missingLabels } from './decision/missing-labels.js';
import { type ProxyConfigTools, podProxyConfig } from './decision/pod-proxy-config.js';
import { takesMutualTls } from './decision/takes-mutual-tls.js';
import { isTrue } from './decision/validate-annotations.js';
import { warnOfUsers } from './decision/warn-of-users.js';
import { workloadOf } from './decision/workload-of.js';
import { mergeMetrics } from './merge-metrics.js';
import { checkNames } from './name-conflicts.js';
import { buildPatch } from './patch/build-patch.js';
import { own, type Pod, readPod } from './pod.js';
import { type PodItems, previouslyInjected, statusOf, withoutInjected } from './previous-injection.js';
import { METRICS_VARIABLE, PROBES_VARIABLE } from './proxy-container.js';
import { variablesOfPath } from './request-path.js';
import { rewriteProbes } from './rewrite-probes.js';
import type { CompiledTemplate } from './template/compile-template.js';
import type { RenderedItems, RenderedItemsReader } from './template/rendered-items.js';
import type { TemplateData } from './template/template-data.js';

/** What is asked. */
export interface InjectionRequest {
  /** The pod's. */
  readonly namespace: string;
  readonly operation: string;
  /** The pod, as it was parsed. */
  readonly object: unknown;
  /** Of the URL: `/inject`, `/inject/cluster/X/net/Y`. */
  readonly path: string;
}

/** What is injected at present: it changes as a whole. */
export interface InjectionSettings {
  readonly config: InjectionConfig;
  readonly values: InjectionValues;
  readonly template: CompiledTemplate;
  readonly mesh: MeshConfig;
}

/** What stays the same as long as the process lives. */
export interface InjectionTools extends ProxyConfigTools {
  readonly meshDomain: string;
  /** Of the control plane; empty for none. */
  readonly revision: string;
  readonly validateAnnotations: (annotations: Readonly<Record<string, string>>) => void;
  readonly readRenderedItems: RenderedItemsReader;
}

export type InjectionDecision =
  | { readonly type: 'skip'; readonly reason: SkipReason; readonly warnings?: readonly string[] }
  | { readonly type: 'inject'; readonly patch: readonly PatchOperation[]; readonly warnings: readonly string[] };

/**
 * Decides about one pod, and what it gets (BEHAVIOUR 3, "Injection"). Equal input gives an equal answer; an injected
 * pod that comes again gets what it would have got the first time, once.
 *
 * @throws InjectionError for a pod that has to be refused
 */
export function inject(
  request: InjectionRequest,
  settings: InjectionSettings,
  tools: InjectionTools,
): InjectionDecision {
  if (request.operation !== 'CREATE') return { type: 'skip', reason: 'NOT_CREATED' };
  const { names } = tools;
  const { config, mesh } = settings;
  const pod = readPod(request.object);
  const required = isInjectionRequired(pod, request.namespace, config, names);
  if (!required.inject) {
    const { reason, warnings: told } = required;
    return { type: 'skip', reason, ...(told === undefined ? {} : { warnings: told }) };
  }
  tools.validateAnnotations(pod.annotations ?? {});

  const injected = previouslyInjected(pod, names);
  const original = withoutInjected(pod, injected);
  const annotations = original.annotations ?? {};
  const workload = workloadOf(pod);
  const { proxyConfig, warnings } = podProxyConfig(annotations, mesh, tools);
  const labels = missingLabels(pod, names, {
    workload: workload.name,
    revision: tools.revision,
    takesMutualTls: takesMutualTls(own(annotations, names.interceptionMode), proxyConfig, settings.values),
  });
  const rendered = tools.readRenderedItems(
    settings.template.render({
      TypeMeta: { apiVersion: workload.apiVersion, kind: workload.kind },
      DeploymentMeta: { name: workload.name, namespace: request.namespace },
      ObjectMeta: objectMetaOf(original, request.namespace, labels, names),
      Spec: { ...original.spec, containers: original.spec.containers ?? [] },
      ProxyConfig: proxyConfig,
      MeshConfig: mesh,
      Values: settings.values,
      MeshDomain: tools.meshDomain,
    }),
  );

  const statusPort = Number(own(annotations, names.statusPort) ?? proxyConfig.statusPort);
  const probes = rewriteProbes(original.spec, statusPort, rendered.rewrittenProbes);
  const metrics = mergesMetrics(rendered, annotations, mesh, names) ? mergeMetrics(annotations, statusPort) : undefined;
  const variables = new Map(variablesOfPath(request.path));
  if (probes.probes.length > 0) variables.set(PROBES_VARIABLE, JSON.stringify(probes.originals));
  if (metrics !== undefined) variables.set(METRICS_VARIABLE, JSON.stringify(metrics.original));
  const lists = withoutPresentSecrets(completeItems(rendered.lists, original.spec, variables), original);
  checkNames(lists, original.spec);

  return {
    type: 'inject',
    warnings: [...warnings, ...rendered.warnings, ...warnOfUsers(original)],
    patch: buildPatch(pod, {
      injected,
      lists,
      dnsConfig: rendered.dnsConfig,
      sharesSockets: isSet(settings.values, 'sdsSocketPath'),
      holdsApplication: isSet(settings.values, 'holdApplicationUntilProxyStarts'),
      annotations: {
        ...config.injectedAnnotations,
        ...rendered.podRedirectAnnot,
        ...metrics?.annotations,
        [names.status]: statusOf(settings.template.version, lists),
      },
      labels,
      containers: original.spec.containers ?? [],
      probes: probes.probes,
    }),
  };
}

/** Only an agent can merge; without one the application's metrics would be lost. */
function mergesMetrics(
  rendered: RenderedItems,
  annotations: Readonly<Record<string, string>>,
  mesh: MeshConfig,
  names: InjectionNames,
): boolean {
  const wish = own(annotations, names.mergeMetrics);
  return rendered.mergeMetrics && (typeof wish === 'string' ? isTrue(wish) : mesh.enablePrometheusMerge);
}

/** A secret that the pod names itself is there already, and stays when what was injected is taken out. */
function withoutPresentSecrets(lists: PodItems, { spec }: Pod): PodItems {
  const present = spec.imagePullSecrets ?? [];
  return {
    ...lists,
    imagePullSecrets: lists.imagePullSecrets.filter(({ name }) => !present.some((each) => each.name === name)),
  };
}

function isSet(values: InjectionValues, field: string): boolean {
  const value = own(values, field);
  return value === true || (typeof value === 'string' && value !== '');
}

/** The same for a pod that comes again: without the status of the first time, and labels in an order of their own. */
function objectMetaOf(
  { name, generateName, labels, annotations }: Pod,
  namespace: string,
  added: Readonly<Record<string, string>>,
  names: InjectionNames,
): TemplateData['ObjectMeta'] {
  const byName = ([a]: readonly [string, string], [b]: readonly [string, string]): number => (a < b ? -1 : 1);
  return {
    ...{ name, generateName, namespace },
    labels: Object.fromEntries(Object.entries({ ...labels, ...added }).sort(byName)),
    annotations: Object.fromEntries(Object.entries(annotations ?? {}).filter(([key]) => key !== names.status)),
  };
}
