import * as Type from 'typebox';
import { isRecord } from '../../base/record.js';
import type { SchemaCompiler } from '../schema/schema-reader.js';
import { stringMap } from '../schema/string-map.js';
import type { SettingsReader } from '../settings-reader.js';
import { withDefaults } from '../settings-reader.js';
import type { Violation } from '../violation.js';
import { type LabelSelector, labelSelectorSchema, validateLabelSelector } from './label-selector.js';

/** The file `config` of the injector (docs/reference/webhooks.md#injector-configuration). */
export interface InjectionConfig {
  /** `enabled` or `disabled`. */
  readonly policy: string;
  readonly alwaysInjectSelector: readonly LabelSelector[];
  readonly neverInjectSelector: readonly LabelSelector[];
  /** Annotations that every injected pod gets. */
  readonly injectedAnnotations: Readonly<Record<string, string>>;
  /** The Liquid template of pods that choose none; see src/webhooks/injection/README.md. */
  readonly template: string;
  /** Further templates by the name with which an annotation of a pod chooses one. */
  readonly templates: Readonly<Record<string, string>>;
}

/** The file `values`, which the template reads as `Values`. */
export type InjectionValues = Readonly<Record<string, unknown>>;

export const injectionConfigSchema = Type.Object({
  policy: Type.String({
    description: 'Whether pods without a label or annotation of their own are injected: enabled or disabled.',
    default: 'enabled',
  }),
  alwaysInjectSelector: Type.Array(labelSelectorSchema, { description: 'Pods to inject.', default: [] }),
  neverInjectSelector: Type.Array(labelSelectorSchema, { description: 'Pods not to inject.', default: [] }),
  injectedAnnotations: stringMap(Type.String(), {
    description: 'Annotations that every injected pod gets.',
    default: {},
  }),
  template: Type.String({
    description: 'The injected containers, volumes and other pod fields, as a Liquid template of YAML.',
    minLength: 1,
  }),
  templates: stringMap(Type.String({ minLength: 1 }), {
    description: 'Further templates by name. The annotation inject.<mesh domain>/templates of a pod chooses one.',
    default: {},
  }),
});

/** Makes the reader of the injector's config file. @param checkTemplate finds a mistake in the template's text */
export function createInjectionConfigReader(
  compiler: SchemaCompiler,
  checkTemplate: (template: string) => Violation | undefined,
): SettingsReader<InjectionConfig> {
  const reader = compiler.compile(injectionConfigSchema, 'reported');
  return (content) => {
    const result = reader.read(content ?? {});
    if (result.type === 'invalid') return { type: 'invalid', violations: result.violations };
    const { value, unknownFields } = result;
    const violations = [
      ...validatePolicy(value),
      ...validateSelectors(value),
      ...validateTemplates(value, checkTemplate),
    ];
    if (violations.length > 0) return { type: 'invalid', violations };
    return { type: 'valid', value, warnings: unknownFields };
  };
}

const EMPTY_TEMPLATE = '{}';

/**
 * Makes the reader of a config file that overrides another one. Every field is optional, the template too.
 *
 * @param read reads a complete config file
 */
export function createInjectionOverridesReader(
  read: SettingsReader<InjectionConfig>,
): SettingsReader<Partial<InjectionConfig>> {
  const readWhole = withDefaults(read, { template: EMPTY_TEMPLATE });
  return (content) => {
    const result = readWhole(content);
    if (result.type === 'invalid') return result;
    const given = isRecord(content) ? content : {};
    const fields = Object.entries(result.value).filter(([field]) => (given[field] ?? undefined) !== undefined);
    return { ...result, value: Object.fromEntries(fields) };
  };
}

/** Reads the values file: any mapping. */
export const readInjectionValues: SettingsReader<InjectionValues> = (content) => {
  const value = content ?? {};
  if (typeof value === 'object' && !Array.isArray(value)) {
    return { type: 'valid', value: value as InjectionValues, warnings: [] };
  }
  const remedy = 'write fields as "name: value"';
  return { type: 'invalid', violations: [{ path: '', value, message: 'is not a mapping', remedy }] };
};

function* validateSelectors(config: InjectionConfig): Generator<Violation> {
  for (const field of ['alwaysInjectSelector', 'neverInjectSelector'] as const) {
    for (const [index, selector] of config[field].entries()) {
      yield* validateLabelSelector(`${field}[${index}]`, selector);
    }
  }
}

function* validateTemplates(
  { template, templates }: InjectionConfig,
  check: (template: string) => Violation | undefined,
): Generator<Violation> {
  const texts = [
    ['template', template],
    ...Object.entries(templates).map(([name, text]) => [`templates.${name}`, text]),
  ];
  for (const [path = '', text = ''] of texts) {
    const violation = check(text);
    if (violation !== undefined) yield { ...violation, path };
  }
}

/** Rejects other words, because they would disable injection for every pod. */
function validatePolicy({ policy }: InjectionConfig): readonly Violation[] {
  if (policy === 'enabled' || policy === 'disabled') return [];
  const message = 'is neither enabled nor disabled';
  return [{ path: 'policy', value: policy, message, remedy: 'use enabled or disabled' }];
}
