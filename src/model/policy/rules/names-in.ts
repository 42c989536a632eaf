import type { MeshObject } from '../../../config/object.js';
import type { AdapterSpec } from '../../../config/policy-rules/adapter.js';
import type { HandlerSpec } from '../../../config/policy-rules/handler.js';
import type { InstanceSpec } from '../../../config/policy-rules/instance.js';
import type { RuleSpec } from '../../../config/policy-rules/rule.js';

/** The objects that an object of the policy runtime names, as it writes them. */
export function namesIn({ kind, body }: MeshObject): readonly (readonly [kind: string, written: string])[] {
  switch (kind) {
    case 'rule':
      return (body as RuleSpec).actions.flatMap(({ handler, instances }) => [
        ['handler', handler] as const,
        ...instances.map((instance) => ['instance', instance] as const),
      ]);
    case 'handler':
      return named('adapter', (body as HandlerSpec).adapter);
    case 'instance':
      return named('template', (body as InstanceSpec).template);
    case 'adapter':
      return (body as AdapterSpec).templates.map((template) => ['template', template] as const);
    default:
      return [];
  }
}

function named(kind: string, written: string | undefined): readonly (readonly [string, string])[] {
  return written === undefined ? [] : [[kind, written]];
}
