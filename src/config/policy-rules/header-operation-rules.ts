import { isHeaderName } from '../networking/header-rules.js';
import type { Violation } from '../violation.js';
import type { RuleSpec } from './rule.js';

/** Fields with operations, by what they change. */
export const HEADER_FIELDS = ['requestHeaderOperations', 'responseHeaderOperations'] as const;

export type HeaderOperation = RuleSpec['requestHeaderOperations'][number];

/** Headers that say how a message is sent, and where to: proxies make them. */
const OF_THE_MESSAGE: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Headers between proxies and policy servers. */
const OF_PROXIES = ['x-mesh-', 'x-envoy-'] as const;

/** Rules of a header operation that its schema cannot express. */
export function* headerViolations(
  path: string,
  field: (typeof HEADER_FIELDS)[number],
  { name, values, operation }: HeaderOperation,
): Iterable<Violation> {
  yield* nameViolations(`${path}.name`, name);
  if (operation === 'REMOVE' && values.length > 0) {
    yield { path: `${path}.values`, value: values, message: 'is set, but REMOVE has no values', remedy: 'remove it' };
  }
  if (operation !== 'REMOVE' && values.length === 0) {
    yield { path: `${path}.values`, message: 'is missing', remedy: `give a value, which ${operation} needs` };
  }
  if (field === 'responseHeaderOperations' && operation === 'REPLACE' && name.toLowerCase() === 'set-cookie') {
    const message = 'would replace all cookies of a response with one header';
    yield { path: `${path}.operation`, value: operation, message, remedy: 'use APPEND for set-cookie' };
  }
}

function* nameViolations(path: string, name: string): Iterable<Violation> {
  const lowerName = name.toLowerCase();
  if (!isHeaderName(name)) {
    yield { path, value: name, message: 'is not the name of a header', remedy: 'use for example x-tier' };
  } else if (OF_THE_MESSAGE.has(lowerName)) {
    const message = 'is a header that proxies set, because it says how or where a message is sent';
    yield { path, value: name, message, remedy: 'use another header, for example x-tier' };
  } else {
    const prefix = OF_PROXIES.find((each) => lowerName.startsWith(each));
    if (prefix === undefined) return;
    const message = `begins with ${prefix}, as the headers that proxies and policy servers send each other`;
    yield { path, value: name, message, remedy: 'use another header, for example x-tier' };
  }
}
