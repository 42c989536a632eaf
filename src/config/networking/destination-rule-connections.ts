import type { Static } from 'typebox';
import * as Type from 'typebox';
import { type DurationRules, validateDuration } from '../duration-rules.js';
import type { Immutable } from '../schema/immutable.js';
import type { Violation } from '../violation.js';

const INT32_MAX = 2_147_483_647;
/** The kernel refuses longer times and more probes, and Envoy then fails to connect. */
const MAX_KEEPALIVE_SECONDS = 32_767;
const MAX_KEEPALIVE_PROBES = 127;

const duration = (description: string) => Type.Optional(Type.String({ description, maxLength: 64 }));
const limit = (description: string) =>
  Type.Optional(Type.Integer({ description: `${description} 0: no limit.`, minimum: 0, maximum: INT32_MAX }));

const tcpSchema = Type.Object(
  {
    maxConnections: limit('Most connections of one proxy to the host.'),
    connectTimeout: duration('Longest time to connect; default: connectTimeout of the mesh config.'),
    tcpKeepalive: Type.Optional(
      Type.Object(
        {
          probes: Type.Optional(
            Type.Integer({
              description: 'Unanswered probes after which a connection is closed; 0: default of the operating system.',
              minimum: 0,
              maximum: MAX_KEEPALIVE_PROBES,
            }),
          ),
          time: duration('Time without traffic before the first probe; whole seconds, at least 1s.'),
          interval: duration('Time between probes; whole seconds, at least 1s.'),
        },
        {
          additionalProperties: false,
          description: 'TCP keepalive. Absent fields have the defaults of the operating system.',
        },
      ),
    ),
  },
  { additionalProperties: false, description: 'Limits of connections.', minProperties: 1 },
);

const httpSchema = Type.Object(
  {
    http1MaxPendingRequests: limit('Most requests that wait for a connection.'),
    http2MaxRequests: limit('Most requests at the same time.'),
    maxRequestsPerConnection: limit('Requests after which a connection is closed; 1 turns keep-alive off.'),
    maxRetries: limit('Most retries at the same time.'),
    idleTimeout: duration('Time without requests after which a connection is closed; default: 1h.'),
    h2UpgradePolicy: Type.Optional(
      Type.Enum(['DEFAULT', 'DO_NOT_UPGRADE', 'UPGRADE'], {
        description:
          'Whether HTTP/1.1 requests travel as HTTP/2. DEFAULT: as h2UpgradePolicy of the mesh config. Only for HTTP ports.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Limits of requests.', minProperties: 1 },
);

export const connectionPoolSchema = Type.Object(
  { tcp: Type.Optional(tcpSchema), http: Type.Optional(httpSchema) },
  { additionalProperties: false, description: 'Limits of one proxy for the host.', minProperties: 1 },
);

const errors = (description: string) => Type.Optional(Type.Integer({ description, minimum: 0, maximum: INT32_MAX }));
const percent = (description: string) => Type.Optional(Type.Integer({ description, minimum: 0, maximum: 100 }));

export const outlierDetectionSchema = Type.Object(
  {
    consecutiveErrors: errors('Deprecated: use consecutiveGatewayErrors, which has precedence. 0: not set.'),
    consecutiveGatewayErrors: errors(
      'Answers 502, 503 and 504 in a row that eject an endpoint; of TCP ports, failed connections. 0 (default): off.',
    ),
    consecutive5xxErrors: errors('Answers 5xx in a row that eject an endpoint; 0: off. Default: 5.'),
    interval: duration('Time between two checks; default: 10s.'),
    baseEjectionTime: duration('Time of the first ejection; each further one takes longer. Default: 30s.'),
    maxEjectionPercent: percent('Share of the endpoints that may be ejected at a time; 0: default, 10.'),
    minHealthPercent: percent('Below this share of healthy endpoints requests go to all endpoints. 0 (default): off.'),
  },
  { additionalProperties: false, description: 'Ejects endpoints for a while when they fail.' },
);

export type ConnectionPoolSpec = Immutable<Static<typeof connectionPoolSchema>>;
export type OutlierDetectionSpec = Immutable<Static<typeof outlierDetectionSchema>>;

const LONGEST: NonNullable<DurationRules['longest']> = {
  milliseconds: 365 * 86_400_000,
  message: 'is longer than 8760h',
  remedy: 'use a shorter time',
};

const LONGEST_KEEPALIVE: NonNullable<DurationRules['longest']> = {
  milliseconds: MAX_KEEPALIVE_SECONDS * 1000,
  message: `is longer than ${MAX_KEEPALIVE_SECONDS}s, the most that the operating system takes`,
  remedy: 'use a shorter time',
};

/** The rules that the schema cannot express (docs/reference/validation-rules.md#destinationrule). */
export function validateConnectionPool({ tcp, http }: ConnectionPoolSpec, path: string): readonly Violation[] {
  const keepalive = `${path}.tcp.tcpKeepalive`;
  return [
    ...validateDuration(`${path}.tcp.connectTimeout`, tcp?.connectTimeout, { longest: LONGEST }),
    ...validateDuration(`${keepalive}.time`, tcp?.tcpKeepalive?.time, { longest: LONGEST_KEEPALIVE }),
    ...validateDuration(`${keepalive}.interval`, tcp?.tcpKeepalive?.interval, { longest: LONGEST_KEEPALIVE }),
    ...validateDuration(`${path}.http.idleTimeout`, http?.idleTimeout, { longest: LONGEST }),
  ];
}

export function validateOutlierDetection(
  { interval, baseEjectionTime }: OutlierDetectionSpec,
  path: string,
): readonly Violation[] {
  return [
    ...validateDuration(`${path}.interval`, interval, { longest: LONGEST }),
    ...validateDuration(`${path}.baseEjectionTime`, baseEjectionTime, { longest: LONGEST }),
  ];
}
