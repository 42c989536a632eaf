import type { Static } from 'typebox';
import * as Type from 'typebox';
import { validateDuration } from '../duration-rules.js';
import type { Immutable } from '../schema/immutable.js';
import type { Violation } from '../violation.js';
import { localityLbSettingSchema, validateLocalityLbSetting } from './locality-lb-setting.js';

const MAX_NAME = 256;
/** A ring has at least so many entries in the memory of every client. */
const MAX_RING_SIZE = 65_536;
export const DEFAULT_RING_SIZE = 1024;

const httpCookieSchema = Type.Object(
  {
    name: Type.String({ description: 'Name of the cookie.', minLength: 1, maxLength: MAX_NAME }),
    path: Type.Optional(Type.String({ description: 'Path of the cookie.', maxLength: 1024 })),
    ttl: Type.String({ description: 'Lifetime of the cookie; 0s makes it a session cookie.', maxLength: 64 }),
  },
  { additionalProperties: false, description: 'A cookie. The proxy sets it where a request has none.' },
);

const consistentHashSchema = Type.Object(
  {
    httpHeaderName: Type.Optional(
      Type.String({ description: 'Hashes this header of requests.', minLength: 1, maxLength: MAX_NAME }),
    ),
    httpCookie: Type.Optional(httpCookieSchema),
    useSourceIp: Type.Optional(Type.Boolean({ description: 'Hashes the address of the caller.' })),
    httpQueryParameterName: Type.Optional(
      Type.String({ description: 'Hashes this query parameter of requests.', minLength: 1, maxLength: MAX_NAME }),
    ),
    minimumRingSize: Type.Integer({
      description: `Entries of the hash ring; more spread the load more evenly. 0: ${DEFAULT_RING_SIZE}.`,
      minimum: 0,
      maximum: MAX_RING_SIZE,
      default: DEFAULT_RING_SIZE,
    }),
  },
  {
    additionalProperties: false,
    description:
      'Equal keys go to the same endpoint. Exactly one of httpHeaderName, httpCookie, useSourceIp and httpQueryParameterName is set.',
  },
);

export const loadBalancerSchema = Type.Object(
  {
    simple: Type.Optional(
      Type.Enum(['ROUND_ROBIN', 'LEAST_CONN', 'RANDOM', 'PASSTHROUGH'], {
        description:
          'How requests spread over endpoints. PASSTHROUGH keeps the address that the caller connected to. Default: LEAST_CONN.',
      }),
    ),
    consistentHash: Type.Optional(consistentHashSchema),
    localityLbSetting: Type.Optional(localityLbSettingSchema),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    description: 'How clients choose an endpoint. Not both of simple and consistentHash.',
  },
);

export type LoadBalancerSpec = Immutable<Static<typeof loadBalancerSchema>>;
export type ConsistentHashSpec = NonNullable<LoadBalancerSpec['consistentHash']>;

const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const HEADER = /^:?[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const COOKIE_PATH = /^[\x20-\x3a\x3c-\x7e]*$/;
const PRINTABLE = /^[\x21-\x7e]+$/;

/** The rules that the schema cannot express (docs/reference/validation-rules.md#destinationrule). */
export function validateLoadBalancer(
  { simple, consistentHash, localityLbSetting }: LoadBalancerSpec,
  path: string,
): readonly Violation[] {
  const violations: Violation[] = [];
  if (simple !== undefined && consistentHash !== undefined) {
    violations.push({ path, message: 'sets simple and consistentHash together', remedy: 'keep one of them' });
  }
  if (consistentHash !== undefined) violations.push(...validateHash(consistentHash, `${path}.consistentHash`));
  if (localityLbSetting !== undefined) {
    violations.push(...validateLocalityLbSetting(localityLbSetting, `${path}.localityLbSetting`));
  }
  return violations;
}

function validateHash(hash: ConsistentHashSpec, path: string): readonly Violation[] {
  const { httpHeaderName, httpCookie, useSourceIp, httpQueryParameterName } = hash;
  const keys = { httpHeaderName, httpCookie, useSourceIp: useSourceIp || undefined, httpQueryParameterName };
  const set = Object.entries(keys).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const violations: Violation[] = [];
  if (set.length !== 1) {
    const message = set.length === 0 ? 'says nothing to hash' : `sets ${set.join(' and ')} together`;
    violations.push({ path, message, remedy: `set exactly one of ${Object.keys(keys).join(', ')}` });
  }
  if (httpHeaderName !== undefined && !HEADER.test(httpHeaderName)) {
    violations.push(notAName(`${path}.httpHeaderName`, httpHeaderName, 'a header'));
  }
  if (httpQueryParameterName !== undefined && !PRINTABLE.test(httpQueryParameterName)) {
    violations.push(notAName(`${path}.httpQueryParameterName`, httpQueryParameterName, 'a query parameter'));
  }
  if (httpCookie !== undefined) {
    const { name, path: cookiePath, ttl } = httpCookie;
    if (!TOKEN.test(name)) violations.push(notAName(`${path}.httpCookie.name`, name, 'a cookie'));
    if (cookiePath !== undefined && !COOKIE_PATH.test(cookiePath)) {
      violations.push({
        path: `${path}.httpCookie.path`,
        value: cookiePath,
        message: 'is not a path of a cookie',
        remedy: 'use printable ASCII characters without ";"',
      });
    }
    violations.push(...validateDuration(`${path}.httpCookie.ttl`, ttl, { zero: 'allowed', longest: LONGEST_COOKIE }));
  }
  return violations;
}

const LONGEST_COOKIE = {
  milliseconds: 10 * 365 * 86_400_000,
  message: 'is longer than 87600h',
  remedy: 'use a shorter lifetime',
};

function notAName(path: string, value: string, what: string): Violation {
  return { path, value, message: `is not the name of ${what}`, remedy: 'use letters, digits and hyphens' };
}
