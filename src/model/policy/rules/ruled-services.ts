import type { MeshObject, ObjectKey } from '../../../config/object.js';
import type { TemplateVariety } from '../../../config/policy-rules/descriptors/template-wire.js';
import type { RuleSpec } from '../../../config/policy-rules/rule.js';
import type { BoundService } from '../bound-services.js';
import { resolveReference } from './resolve-reference.js';
import { resolveTemplate } from './resolve-template.js';
import type { RuleSource } from './rule-source.js';

/** Whether a rule decides about requests to a service, so that proxies have to ask the policy server about them. */
export type IsRuled = (service: Pick<BoundService, 'namespace'>) => boolean;

interface Resolved {
  readonly tables: readonly (ReadonlyMap<ObjectKey, MeshObject> | undefined)[];
  readonly bindingGrants: RuleSource['bindingGrants'];
  readonly isRuled: IsRuled;
}

/** What tells whether a rule decides. */
const READ_KINDS = ['rule', 'instance', 'template'] as const;

/** Finds the ruled services of each snapshot, again only when rules, instances, templates or grants have changed. */
export function createRuledServices(): (source: RuleSource) => IsRuled {
  let last: Resolved | undefined;
  return (source) => {
    const { objects, bindingGrants } = source;
    const tables = READ_KINDS.map((kind) => objects.get(kind));
    const isSame =
      last?.bindingGrants === bindingGrants && tables.every((table, index) => table === last?.tables[index]);
    if (last !== undefined && isSame) return last.isRuled;
    last = { tables, bindingGrants, isRuled: ruledServices(source) };
    return last.isRuled;
  };
}

function ruledServices(source: RuleSource): IsRuled {
  const namespaces = new Set<string>();
  for (const rule of source.objects.get('rule')?.values() ?? []) {
    if (decides(rule, source)) namespaces.add(rule.metadata.namespace);
  }
  const isEveryService = namespaces.has(source.bindingGrants.rootNamespace);
  return ({ namespace }) => isEveryService || namespaces.has(namespace);
}

/** Whether a rule acts before the answer, and not only on reports. Its handlers need not exist yet. */
export function decides(rule: MeshObject, source: RuleSource): boolean {
  const { actions, dryRun, requestHeaderOperations, responseHeaderOperations } = rule.body as RuleSpec;
  if (!dryRun && requestHeaderOperations.length + responseHeaderOperations.length > 0) return true;
  return actions.some(({ instances }) => instances.some((written) => isCheckOrQuota(written, rule, source)));
}

/** Whether a rule reports requests that have ended. */
export function reports(rule: MeshObject, source: RuleSource): boolean {
  return (rule.body as RuleSpec).actions.some(({ instances }) =>
    instances.some((written) => varietyOf(written, rule, source) === 'report'),
  );
}

function isCheckOrQuota(written: string, rule: MeshObject, source: RuleSource): boolean {
  const variety = varietyOf(written, rule, source);
  return variety === 'check' || variety === 'quota';
}

function varietyOf(written: string, rule: MeshObject, source: RuleSource): TemplateVariety | undefined {
  const resolution = resolveReference(source, rule, 'instance', written);
  const template = resolution.type === 'found' ? resolveTemplate(resolution.object, source) : undefined;
  if (template === undefined || 'unresolved' in template) return undefined;
  return template.type === 'own' ? template.wire.variety : template.template.variety;
}
