import { isDnsLabel, isFqdn, isObjectName } from '../primitives.js';
import { validateLabels } from '../read-metadata.js';
import { repeatedValues } from '../repeated-values.js';
import type { Violation } from '../violation.js';
import type { TcpMatchSpec } from './virtual-service-match.js';

/** The fields about the caller that all conditions have. */
export function* validateCaller(
  path: string,
  {
    sourceLabels = {},
    sourceNamespace,
    gateways = [],
  }: Pick<TcpMatchSpec, 'sourceLabels' | 'sourceNamespace' | 'gateways'>,
): Iterable<Violation> {
  yield* validateLabels(sourceLabels, `${path}.sourceLabels`);
  if (sourceNamespace !== undefined && sourceNamespace !== '' && !isDnsLabel(sourceNamespace)) {
    yield {
      path: `${path}.sourceNamespace`,
      value: sourceNamespace,
      message: 'is not a namespace',
      remedy: 'use at most 63 letters, digits and hyphens',
    };
  }
  yield* validateGatewayNames(`${path}.gateways`, gateways);
}

/** @param path of the list */
export function* validateGatewayNames(path: string, gateways: readonly string[]): Iterable<Violation> {
  for (const [index, name] of gateways.entries()) {
    if (isGatewayName(name)) continue;
    yield {
      path: `${path}[${index}]`,
      value: name,
      message: 'is not the name of a gateway',
      remedy: 'use <namespace>/<name>, or mesh for sidecars',
    };
  }
  for (const { index } of repeatedValues(gateways)) {
    yield { path: `${path}[${index}]`, value: gateways[index], message: 'is listed twice', remedy: 'list it once' };
  }
}

function isGatewayName(name: string): boolean {
  const parts = name.split('/');
  if (parts.length === 1) return isFqdn(name);
  const [namespace = '', gateway = ''] = parts;
  return parts.length === 2 && (namespace === '.' || isDnsLabel(namespace)) && isObjectName(gateway);
}
