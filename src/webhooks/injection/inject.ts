import type { InjectionConfig, InjectionValues } from '../../config/injection/injection-config.js';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { PatchOperation } from '../admission/admission-answer.js';
import type { InjectionNames } from './annotation-names.js';
import { prepareApplication } from './application-items.js';
import { buildPatch } from './build-patch.js';
import { completeItems } from './complete-items.js';
import { chooseTemplate } from './decision/choose-template.js';
import { isInjectionRequired, type SkipReason } from './decision/injection-required.js';
import { missingLabels, takesMutualTls } from './decision/missing-labels.js';
import { type ProxyConfigTools, podProxyConfig } from './decision/pod-proxy-config.js';
import { isTrue } from './decision/validate-annotations.js';
import { workloadOf } from './decision/workload-of.js';
import { mergeMetrics } from './merge-metrics.js';
import { checkNames, warnOfUsers } from './own-containers.js';
import { fillPlaceholders } from './placeholders.js';
import { own, type ReviewedPod, readPod } from './pod.js';
import { type PodItems, previousInjection, statusOf, withoutInjected } from './previous-injection.js';
import { METRICS_VARIABLE, PROBES_VARIABLE } from './proxy-container.js';
import { variablesOfPath } from './request-path.js';
import { rewriteProbes } from './rewrite-probes.js';
import type { CompiledTemplate, TemplateData } from './template/compile-template.js';
import type { RenderedItems, RenderedItemsReader } from './template/rendered-items.js';

/** The request to inject a pod. */
export interface InjectionRequest {
  /** Namespace of the pod. */
  readonly namespace: string;
  readonly operation: string;
  /** The parsed pod. */
  readonly object: unknown;
  /** Path of the URL: `/inject`, `/inject/cluster/X/net/Y`. */
  readonly path: string;
}

/** The present settings of injection, which change as a whole. */
export interface InjectionSettings {
  readonly config: InjectionConfig;
  readonly values: InjectionValues;
  /** The compiled templates of `config`, by their text. */
  readonly compiled: ReadonlyMap<string, CompiledTemplate>;
  readonly mesh: MeshConfig;
}

/** The parts of injection that never change. */
export interface InjectionTools extends ProxyConfigTools {
  readonly meshDomain: string;
  /** Revision of the control plane; empty for none. */
  readonly revision: string;
  readonly validateAnnotations: (annotations: Readonly<Record<string, string>>) => void;
  readonly readRenderedItems: RenderedItemsReader;
}

export type InjectionDecision =
  | { readonly type: 'skip'; readonly reason: SkipReason; readonly warnings?: readonly string[] }
  | { readonly type: 'inject'; readonly patch: readonly PatchOperation[]; readonly warnings: readonly string[] };

/**
 * Decides whether a pod is injected, and makes its patch. Equal input gives an equal result. A pod that is already
 * injected gets the same content again, without duplicates.
 *
 * @throws InjectionError for a pod that must be rejected
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
    const { reason, warnings } = required;
    return { type: 'skip', reason, ...(warnings === undefined ? {} : { warnings }) };
  }
  tools.validateAnnotations(pod.annotations ?? {});

  const previous = previousInjection(pod, names);
  const original = withoutInjected(pod, previous);
  const annotations = original.annotations ?? {};
  const { template, isSidecar } = chooseTemplate(annotations, settings, names);
  const workload = workloadOf(pod);
  const { proxyConfig, warnings } = podProxyConfig(annotations, mesh, tools);
  const labels = missingLabels(pod, names, {
    workload: workload.name,
    revision: tools.revision,
    takesMutualTls: isSidecar && takesMutualTls(own(annotations, names.interceptionMode), proxyConfig, settings.values),
  });
  const rendered = tools.readRenderedItems(
    template.render({
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
  const items = withoutPresentSecrets(completeItems(rendered.lists, original.spec, variables), original);
  const { lists, placeholders, others } = fillPlaceholders(items, original.spec);
  checkNames(lists, others);
  const application = prepareApplication(others, rendered.application);
  const { injected } = previous;

  return {
    type: 'inject',
    warnings: [...warnings, ...rendered.warnings, ...application.warnings, ...warnOfUsers(lists, others)],
    patch: buildPatch(pod, {
      injected: { ...injected, containers: [...injected.containers, ...placeholders.map(({ name }) => name)] },
      lists,
      application,
      dnsConfig: rendered.dnsConfig,
      sharesSockets: isSet(settings.values, 'sdsSocketPath'),
      holdsApplication: isSet(settings.values, 'holdApplicationUntilProxyStarts'),
      annotations: {
        ...config.injectedAnnotations,
        ...rendered.podRedirectAnnot,
        ...metrics?.annotations,
        [names.status]: statusOf(template.version, lists, { placeholders, added: application.added }),
      },
      labels,
      containers: original.spec.containers ?? [],
      probes: probes.probes,
    }),
  };
}

/** Only a template with an agent can merge metrics; otherwise the application's metrics would be lost. */
function mergesMetrics(
  rendered: RenderedItems,
  annotations: Readonly<Record<string, string>>,
  mesh: MeshConfig,
  names: InjectionNames,
): boolean {
  const wish = own(annotations, names.mergeMetrics);
  return rendered.mergeMetrics && (typeof wish === 'string' ? isTrue(wish) : mesh.enablePrometheusMerge);
}

/** Leaves out secrets that the pod itself names, so that a later injection does not remove them. */
function withoutPresentSecrets(lists: PodItems, { spec }: ReviewedPod): PodItems {
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

/** Equal for the first and for a repeated injection: without the status annotation, and with sorted labels. */
function objectMetaOf(
  { name, generateName, labels, annotations }: ReviewedPod,
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
