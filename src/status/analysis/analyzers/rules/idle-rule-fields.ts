import { keyOf, type MeshObject } from '../../../../config/object.js';
import { camelCase } from '../../../../config/policy-rules/catalogue/canonical-fields.js';
import { COMPILED_ADAPTERS } from '../../../../config/policy-rules/catalogue/compiled-adapters.js';
import { COMPILED_TEMPLATES } from '../../../../config/policy-rules/catalogue/compiled-templates.js';
import type { HandlerSpec } from '../../../../config/policy-rules/handler.js';
import { HEADER_FIELDS } from '../../../../config/policy-rules/header-operation-rules.js';
import type { InstanceSpec } from '../../../../config/policy-rules/instance.js';
import type { RuleSpec } from '../../../../config/policy-rules/rule.js';
import { createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';

interface IdleField {
  /** Below `spec`. */
  readonly path: string;
  /** A sentence without its subject. */
  readonly reason: string;
}

/** Fields of public files that are accepted and have no effect. */
export const idleRuleFields: ObjectAnalyzer = {
  kinds: ['rule', 'handler', 'instance', 'adapter', 'template'],
  find: (object) =>
    idleFields(object).map(({ path, reason }) =>
      createMessage('idleRuleField', { object: keyOf(object), field: `spec.${path}` }, `${path} ${reason}`),
    ),
};

function idleFields({ kind, body, metadata }: MeshObject): readonly IdleField[] {
  if (kind === 'rule') return ofRule(body as RuleSpec);
  const { name } = body as { readonly name?: string };
  const reason = `is not used: the name of the ${kind} is ${metadata.name}`;
  const named: readonly IdleField[] =
    name === undefined || name === '' || name === metadata.name ? [] : [{ path: 'name', reason }];
  if (kind === 'handler') return [...named, ...ofHandler(body as HandlerSpec)];
  return kind === 'instance' ? [...named, ...ofInstance(body as InstanceSpec)] : named;
}

function ofRule(spec: RuleSpec): readonly IdleField[] {
  const { requestHeaderOperations, responseHeaderOperations, actions } = spec;
  const values = [...requestHeaderOperations, ...responseHeaderOperations].flatMap((operation) => operation.values);
  return [
    ...(spec.dryRun ? HEADER_FIELDS.filter((field) => spec[field].length > 0) : []).map((path) => ({
      path,
      reason: 'has no effect while dryRun is true',
    })),
    ...responseHeaderOperations.flatMap(({ operation, name }, index) =>
      operation === 'REMOVE'
        ? [{ path: `responseHeaderOperations[${index}]`, reason: `${CANNOT_REMOVE} ${name} in a VirtualService` }]
        : [],
    ),
    ...actions.flatMap(({ name }, index) =>
      name === undefined || values.some((text) => text.includes(`${name}.output.`))
        ? []
        : [{ path: `actions[${index}].name`, reason: 'is not used: no header operation reads the output' }],
    ),
  ];
}

const CANNOT_REMOVE =
  'has no effect: rules add and replace headers of responses, and cannot remove those of the service; use headers.response.remove:';

function ofHandler({ compiledAdapter, params }: HandlerSpec): readonly IdleField[] {
  const adapter = COMPILED_ADAPTERS.get(compiledAdapter ?? '');
  if (adapter === undefined) return [];
  const found = (adapter.idle?.(params) ?? []).map(({ path, reason }) => ({ path: `params.${path}`, reason }));
  const { name, withoutEffect } = adapter;
  if (withoutEffect === undefined) return found;
  return [...found, { path: 'compiledAdapter', reason: `${name} does nothing: ${withoutEffect}` }];
}

function ofInstance({ compiledTemplate, params, attributeBindings }: InstanceSpec): readonly IdleField[] {
  const template = COMPILED_TEMPLATES.get(compiledTemplate ?? '');
  if (template?.idle !== undefined) {
    return [{ path: 'compiledTemplate', reason: `${template.name} does nothing: ${template.idle}` }];
  }
  const idle = template?.idleFields ?? {};
  const found = Object.keys(params).flatMap((written) => {
    const reason = idle[camelCase(written)];
    return reason === undefined ? [] : [{ path: `params.${written}`, reason }];
  });
  if (Object.keys(attributeBindings).length === 0) return found;
  return [...found, { path: 'attributeBindings', reason: 'has no effect: adapters of your own add no attributes' }];
}
