import { isRecord } from '../../base/record.js';
import { type JsonMapping, type NamedItem, own } from './pod.js';

/**
 * The value of a container's variable as its process will see it; undefined without the variable, or if it has a
 * `valueFrom`. The counterpart of withVariable.
 */
export function variableOf(container: JsonMapping, name: string): string | undefined {
  const value = variablesOf(container).find((variable) => own(variable, 'name') === name);
  const text = value === undefined ? undefined : own(value, 'value');
  return typeof text === 'string' ? text.replaceAll('$$', '$') : undefined;
}

/**
 * The container with the variable, which replaces one of that name. The value is escaped, so Kubernetes expands nothing
 * in it.
 */
export function withVariable(container: NamedItem, name: string, value: string): NamedItem {
  const variable = { name, value: value.replaceAll('$', '$$$$') };
  const present = variablesOf(container);
  const isPresent = present.some((each) => own(each, 'name') === name);
  const env = isPresent
    ? present.map((each) => (own(each, 'name') === name ? variable : each))
    : [...present, variable];
  return { ...container, env };
}

function variablesOf(container: JsonMapping): readonly JsonMapping[] {
  const env = own(container, 'env');
  return Array.isArray(env) ? env.filter(isRecord) : [];
}
