import { InjectionError } from './injection-error.js';
import { CLUSTER_ID_VARIABLE, NETWORK_VARIABLE } from './proxy-container.js';

const VARIABLES: ReadonlyMap<string, string> = new Map([
  ['cluster', CLUSTER_ID_VARIABLE],
  ['net', NETWORK_VARIABLE],
]);
const VALUE = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$/;

/**
 * The variables that the URL of a webhook configuration sets: `/inject/cluster/X/net/Y`. Pairs with other names are
 * ignored.
 *
 * @throws InjectionError for a value that cannot name a cluster or a network
 */
export function variablesOfPath(path: string): ReadonlyMap<string, string> {
  const [, , ...steps] = path.split('/');
  const variables = new Map<string, string>();
  for (let index = 0; index + 1 < steps.length; index += 2) {
    const variable = VARIABLES.get(steps[index] ?? '');
    const value = decode(steps[index + 1] ?? '');
    if (variable === undefined) continue;
    if (!VALUE.test(value)) {
      const remedy = 'correct the path in the webhook configuration, /inject/cluster/<name>/net/<name>';
      throw new InjectionError(
        'INVALID_POD',
        `URL ${path.slice(0, 256)}: ${steps[index]} is not a valid name; ${remedy}`,
      );
    }
    variables.set(variable, value);
  }
  return variables;
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return '';
  }
}
