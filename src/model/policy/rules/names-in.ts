import type { MeshObject } from '../../../config/object.js';
import type { AdapterSpec } from '../../../config/policy-rules/adapter.js';
import type { HandlerSpec } from '../../../config/policy-rules/handler.js';
import type { InstanceSpec } from '../../../config/policy-rules/instance.js';
import type { RuleSpec } from '../../../config/policy-rules/rule.js';

/** A name in an object of the policy runtime, as it is written, with the kind that it means and its place below `spec`. */
export type WrittenName = readonly [kind: string, written: string, field: string];

/** The objects that an object of the policy runtime names. */
export function namesIn({ kind, body }: MeshObject): readonly WrittenName[] {
  switch (kind) {
    case 'rule':
      return (body as RuleSpec).actions.flatMap(({ handler, instances }, index): readonly WrittenName[] => [
        ['handler', handler, `actions[${index}].handler`],
        ...instances.map((instance, at): WrittenName => ['instance', instance, `actions[${index}].instances[${at}]`]),
      ]);
    case 'handler':
      return named('adapter', (body as HandlerSpec).adapter);
    case 'instance':
      return named('template', (body as InstanceSpec).template);
    case 'adapter':
      return (body as AdapterSpec).templates.map((template, at) => ['template', template, `templates[${at}]`] as const);
    default:
      return [];
  }
}

function named(kind: string, written: string | undefined): readonly WrittenName[] {
  return written === undefined ? [] : [[kind, written, kind]];
}
