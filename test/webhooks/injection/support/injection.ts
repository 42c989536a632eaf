import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import jsonPatch from 'fast-json-patch';
import { load } from 'js-yaml';
import {
  createInjectionConfigReader,
  type InjectionConfig,
  type InjectionValues,
} from '../../../../src/config/injection/injection-config.js';
import { createDefaultMeshConfig } from '../../../../src/config/mesh/read-mesh-config.js';
import { createSchemaCompiler } from '../../../../src/config/schema/schema-reader.js';
import type { PatchOperation } from '../../../../src/webhooks/admission/admission-answer.js';
import { createInjectionTools } from '../../../../src/webhooks/injection/create-injection-tools.js';
import {
  type InjectionDecision,
  type InjectionRequest,
  type InjectionSettings,
  inject,
} from '../../../../src/webhooks/injection/inject.js';
import { createTemplateCompiler } from '../../../../src/webhooks/injection/template/compile-template.js';
import { createStopAfter } from '../../../../src/webhooks/injection/template/stop-after.js';
import { projectRoot } from '../../../counterparts/project-root.js';

/** A pod as the API server sends it. */
export interface TestPod {
  readonly metadata: {
    readonly name?: string;
    readonly generateName?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly object[];
  };
  readonly spec: {
    readonly containers: readonly TestContainer[];
    readonly initContainers?: readonly TestContainer[];
    readonly volumes?: readonly { readonly name: string; readonly [field: string]: unknown }[];
    readonly imagePullSecrets?: readonly { readonly name: string }[];
    readonly [field: string]: unknown;
  };
}

export interface TestContainer {
  readonly name: string;
  readonly image: string;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly args?: readonly string[];
  readonly [field: string]: unknown;
}

export const compiler = createSchemaCompiler();
export const templates = createTemplateCompiler({ stopAfter: createStopAfter() });
export const tools = createInjectionTools({ meshDomain: 'mesh.internal', revision: '', compiler });

/** A small template for tests of patches. */
export const SMALL_TEMPLATE = `
initContainers:
  - { name: mesh-init, image: init }
containers:
  - { name: mesh-proxy, image: proxy }
volumes:
  - { name: mesh-token }
imagePullSecrets:
  - { name: mesh-pull }
`;

const CONFIG: InjectionConfig = {
  policy: 'enabled',
  alwaysInjectSelector: [],
  neverInjectSelector: [],
  injectedAnnotations: {},
  template: SMALL_TEMPLATE,
  templates: {},
};

export interface Given {
  readonly config?: Partial<InjectionConfig>;
  readonly values?: InjectionValues;
  readonly mesh?: Partial<InjectionSettings['mesh']>;
  readonly request?: Partial<InjectionRequest>;
  readonly revision?: string;
}

export function settingsOf({ config, values = {}, mesh }: Given): InjectionSettings {
  const whole = { ...CONFIG, ...config };
  return {
    config: whole,
    values,
    compiled: new Map(
      [whole.template, ...Object.values(whole.templates)].map((text) => [text, templates.compile(text)]),
    ),
    mesh: { ...createDefaultMeshConfig(), ...mesh },
  };
}

/** The injector with the template of manifests/. */
export function shippedSettings(mesh: Given['mesh'] = {}, values: InjectionValues = {}): InjectionSettings {
  const text = readFileSync(join(projectRoot(), 'manifests/35-injection.yaml'), 'utf8');
  const { data } = load(text) as { readonly data: { readonly config: string; readonly values: string } };
  const config = createInjectionConfigReader(compiler, templates.check)(load(data.config));
  if (config.type === 'invalid') throw new Error(JSON.stringify(config.violations));
  const shipped = load(data.values) as InjectionValues;
  return settingsOf({ config: config.value, values: { ...shipped, ...values }, mesh });
}

export function requestOf(object: unknown, request: Partial<InjectionRequest> = {}): InjectionRequest {
  return { namespace: 'shop', operation: 'CREATE', path: '/inject', object, ...request };
}

export function decide(pod: unknown, given: Given = {}): InjectionDecision {
  const { revision = '' } = given;
  const own = revision === '' ? tools : createInjectionTools({ meshDomain: 'mesh.internal', revision, compiler });
  return inject(requestOf(pod, given.request), settingsOf(given), own);
}

/** The patch of an injected pod. */
export function patchOf(pod: unknown, given: Given = {}): readonly PatchOperation[] {
  return patchIn(decide(pod, given));
}

export function patchIn(decision: InjectionDecision): readonly PatchOperation[] {
  if (decision.type !== 'inject') throw new Error(`skipped: ${decision.reason}`);
  return decision.patch;
}

/** Applies a patch strictly: an operation on a missing value throws. */
export function applyTo<Pod>(pod: Pod, patch: readonly PatchOperation[]): Pod {
  const operations = structuredClone(patch) as Parameters<typeof jsonPatch.applyPatch>[1];
  return jsonPatch.applyPatch(structuredClone(pod), operations, true).newDocument;
}

/** The decision about a pod. */
export function injected(pod: TestPod, given: Given = {}): TestPod {
  return applyTo(pod, patchOf(pod, given));
}

export function injectShipped(pod: TestPod, settings: InjectionSettings, request?: Partial<InjectionRequest>): TestPod {
  return applyTo(pod, patchIn(inject(requestOf(pod, request), settings, tools)));
}

export function containerOf(pod: TestPod, name: string): TestContainer {
  const found = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].find((each) => each.name === name);
  if (found === undefined) throw new Error(`the pod has no container ${name}`);
  return found;
}

export const podOf = (fields: Partial<TestPod['metadata']> = {}, spec: Partial<TestPod['spec']> = {}): TestPod => ({
  metadata: { name: 'web', labels: { app: 'web' }, ...fields },
  spec: { containers: [{ name: 'app', image: 'app' }], ...spec },
});
