import { keyOf, type MeshObject } from '../../../../config/object.js';
import type { QuotaSpec } from '../../../../config/policy/quota-spec.js';
import { COMPILED_TEMPLATES } from '../../../../config/policy-rules/catalogue/compiled-templates.js';
import type { InstanceSpec } from '../../../../config/policy-rules/instance.js';
import { referenceForms } from '../../../../config/policy-rules/object-reference.js';
import { createMemo } from '../../../../model/memo.js';
import { resolveHandler } from '../../../../model/policy/rules/resolve-handler.js';
import { resolveReference } from '../../../../model/policy/rules/resolve-reference.js';
import { type AnalysisMessage, createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import type { TrafficIndex } from '../../traffic/traffic-index.js';
import { isNamed } from './unused-rule-objects.js';

const memo = createMemo<ReadonlySet<string>>();
const NO_SPECS = new Map();
const MAX_MESSAGES = 20;

/** Quotas of rules that no QuotaSpec charges, and dimensions that parameters name and instances do not have. */
export const unmetQuotas: ObjectAnalyzer = {
  kinds: ['instance', 'handler'],
  find: (object, index) => (object.kind === 'instance' ? uncharged(object, index) : unknownDimensions(object, index)),
};

function uncharged(object: MeshObject, index: TrafficIndex): readonly AnalysisMessage[] {
  const { compiledTemplate = '' } = object.body as InstanceSpec;
  if (COMPILED_TEMPLATES.get(compiledTemplate)?.variety !== 'quota' || !isNamed(object, index)) return [];
  const { namespace, name } = object.metadata;
  const charged = chargedQuotas(index.objects);
  if (referenceForms('instance', namespace, name).some((form) => charged.has(form))) return [];
  const text = `no QuotaSpec charges quota ${name}, so the rules that name this instance count no request`;
  return [createMessage('unchargedQuota', { object: keyOf(object) }, text)];
}

/** Names of the quotas that QuotaSpecs charge. */
function chargedQuotas(objects: TrafficIndex['objects']): ReadonlySet<string> {
  const specs = objects.get('QuotaSpec') ?? NO_SPECS;
  return memo.of([specs], '', () => {
    const quotas = Array.from(specs.values(), ({ body }: MeshObject) => body as QuotaSpec)
      .flatMap(({ rules }) => rules)
      .flatMap((rule) => rule.quotas);
    return new Set(quotas.flatMap(({ quota }) => quota ?? []));
  });
}

function unknownDimensions(object: MeshObject, index: TrafficIndex): readonly AnalysisMessage[] {
  const handler = resolveHandler(object, index);
  if ('unresolved' in handler || handler.adapter.type !== 'compiled') return [];
  const names = handler.adapter.adapter.instanceNames?.(handler.spec.params) ?? [];
  return names
    .flatMap(({ reference, dimensions = [] }) => {
      const resolution = resolveReference(index, object, 'instance', reference);
      if (resolution.type !== 'found' || dimensions.length === 0) return [];
      const { params } = resolution.object.body as InstanceSpec;
      const known = Object.keys((params['dimensions'] as object | undefined) ?? {});
      return dimensions
        .filter(({ name }) => !known.includes(name))
        .map(({ path, name, effect }) => ({
          path,
          text: `${resolution.key} has no dimension ${name}${known.length > 0 ? `, but ${known.join(', ')}` : ''}, so ${effect}`,
        }));
    })
    .slice(0, MAX_MESSAGES)
    .map(({ path, text }) =>
      createMessage('unknownDimension', { object: keyOf(object), field: `spec.params.${path}` }, text),
    );
}
