import type { Static } from 'typebox';
import * as Type from 'typebox';
import { DNS_LABEL_PATTERN } from '../policy/mesh-service.js';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';

/** Limits of the policy server's configuration. */
export const POLICY_SERVER_LIMITS = {
  /** Characters of a name, as in a QuotaSpec. */
  nameLength: 253,
  /** Characters of a value, a path or an address. */
  textLength: 4096,
  quotas: 1000,
  dimensions: 8,
  overrides: 10_000,
  /** Keys in the configuration itself; a key file may have more. */
  keys: 10_000,
  /** The largest whole number that is exact in a double, the number type of Redis scripts. */
  maxAmount: Number.MAX_SAFE_INTEGER,
  /** 366 days. */
  validDurationMs: 366 * 86_400_000,
  /** The maximum time that the client waits for a Check (docs/reference/policy-client.md#retries). */
  storageTimeoutMs: 5000,
} as const;

const maxAmount = { minimum: 0, maximum: POLICY_SERVER_LIMITS.maxAmount };

const overrideSchema = Type.Object({
  dimensions: stringMap(Type.String({ maxLength: POLICY_SERVER_LIMITS.textLength }), {
    description:
      'Dimension values to which the override applies; numbers, booleans and IP addresses are written as texts. If several overrides apply, the one with the most dimensions is used, then the first.',
    maxProperties: POLICY_SERVER_LIMITS.dimensions,
  }),
  maxAmount: Type.Optional(Type.Integer({ description: "Units per window; default: the quota's.", ...maxAmount })),
  validDuration: Type.Optional(Type.String({ description: "Length of the window; default: the quota's." })),
});

const keysSchema = Type.Object(
  {
    dimension: Type.Optional(
      Type.String({
        description: 'The dimension that holds the key; optional if the quota has only one dimension.',
        minLength: 1,
        maxLength: POLICY_SERVER_LIMITS.nameLength,
      }),
    ),
    values: Type.Array(Type.String({ minLength: 1, maxLength: POLICY_SERVER_LIMITS.textLength }), {
      description: 'Keys, in plain text, or as sha256: followed by the hexadecimal SHA-256 of the UTF-8 text.',
      default: [],
      maxItems: POLICY_SERVER_LIMITS.keys,
    }),
    file: Type.Optional(
      Type.String({
        description:
          'File with more keys in the same form, one per line, at most 16 MiB; lines that begin with # are comments. The file is checked every 10 s.',
        minLength: 1,
        maxLength: POLICY_SERVER_LIMITS.textLength,
      }),
    ),
  },
  {
    description:
      'The valid keys. A request with another key, or without a key, gets 403 before it is counted. Without this field every key gets a counter.',
  },
);

const quotaSchema = Type.Object({
  name: Type.String({
    description: 'Name of the quota, as QuotaSpecs use it.',
    minLength: 1,
    maxLength: POLICY_SERVER_LIMITS.nameLength,
  }),
  maxAmount: Type.Integer({ description: 'Units per window; 0 rejects all requests.', ...maxAmount }),
  validDuration: Type.String({ description: 'Length of the window, 1ms to 8784h (366 days), for example 1m.' }),
  window: Type.Enum(['fixed', 'rolling'], {
    description:
      'rolling: at most maxAmount in any window of that length; a unit is free again at most a sixtieth of the window late. fixed: at most maxAmount in each of consecutive windows, counted from 1970-01-01T00:00:00Z.',
    default: 'rolling',
  }),
  dimensions: Type.Array(Type.String({ minLength: 1, maxLength: POLICY_SERVER_LIMITS.nameLength }), {
    description:
      'Attributes; each combination of their values has its own counter. Examples: request.api_key, source.uid, or request.headers[x-user] for an entry of a map. Without dimensions, all requests are counted together.',
    default: [],
    maxItems: POLICY_SERVER_LIMITS.dimensions,
  }),
  keys: Type.Optional(keysSchema),
  overrides: Type.Array(overrideSchema, {
    description: 'Different limits for certain values of the dimensions.',
    default: [],
    maxItems: POLICY_SERVER_LIMITS.overrides,
  }),
});

/** Defaults of the fields of one storage type. The schema has none for them, because the other type must not have them. */
export const MEMORY_DEFAULTS = { maxCounters: 100_000 } as const;
export const REDIS_DEFAULTS = { keyPrefix: 'navigator:quota', timeout: '500ms' } as const;

const storageSchema = Type.Object(
  {
    type: Type.Enum(['memory', 'redis'], {
      description: 'memory counts in this process; redis counts in a Redis that several servers can share.',
      default: 'memory',
    }),
    maxCounters: Type.Optional(
      Type.Integer({
        description:
          'memory: maximum counters of one quota, one for each combination of dimension values (default 100000). Beyond it, a new combination evicts the least recently used counter, counters that were used only once first. An evicted counter starts again with its full amount.',
        minimum: 1,
        maximum: 10_000_000,
      }),
    ),
    address: Type.Optional(
      Type.String({
        description: 'redis: redis://[[user]:password@]host[:port][/database], or rediss:// for TLS.',
        maxLength: POLICY_SERVER_LIMITS.textLength,
      }),
    ),
    passwordFile: Type.Optional(
      Type.String({
        description: 'redis: file with the password, instead of a password in the address; read at each connect.',
        minLength: 1,
        maxLength: POLICY_SERVER_LIMITS.textLength,
      }),
    ),
    caFile: Type.Optional(
      Type.String({
        description: "redis: PEM file with certificates to trust for rediss:// instead of the system's.",
        minLength: 1,
        maxLength: POLICY_SERVER_LIMITS.textLength,
      }),
    ),
    keyPrefix: Type.Optional(
      Type.String({
        description: `redis: prefix of all keys (default ${REDIS_DEFAULTS.keyPrefix}): letters, digits and . _ : / -`,
        pattern: '^[A-Za-z0-9._:/-]{1,100}$',
      }),
    ),
    timeout: Type.Optional(
      Type.String({ description: `redis: maximum wait for an answer, up to 5s (default ${REDIS_DEFAULTS.timeout}).` }),
    ),
  },
  { description: 'Where quotas are counted.', default: {} },
);

const transportSwitches = Type.Object(
  {
    disableCheckCache: Type.Boolean({ description: 'If true, answers to Check are not cached.', default: false }),
    disableQuotaCache: Type.Boolean({
      description:
        'If true, quotas are not prefetched. Prefetching saves calls, but admits more requests at the limit.',
      default: false,
    }),
    disableReportBatch: Type.Boolean({ description: 'If true, each report is sent separately.', default: false }),
  },
  { description: 'Caches and batches of calls to the server.', default: {} },
);

const backendSchema = Type.Object(
  {
    address: Type.String({ description: 'host:port of the server.' }),
    tls: Type.Optional(
      Type.Object(
        {
          caFile: Type.Optional(
            Type.String({
              description: "PEM file with certificates to trust instead of the system's.",
              minLength: 1,
              maxLength: POLICY_SERVER_LIMITS.textLength,
            }),
          ),
        },
        { description: 'TLS to the server. Without this field the connection is plaintext.' },
      ),
    ),
    transport: transportSwitches,
  },
  { description: 'A remote mesh.policy.v1 server that decides, counts and takes reports instead of this server.' },
);

export const OVERLOAD_DEFAULTS = { shed: true, shedAfter: '500ms', maxPendingChecks: 10_000 } as const;

const overloadSchema = Type.Object(
  {
    shed: Type.Boolean({
      description:
        'If true, Checks beyond the capacity of the server are answered at once by their fail policy. No quota is charged for them. If false, they wait.',
      default: OVERLOAD_DEFAULTS.shed,
    }),
    shedAfter: Type.String({
      description:
        'The server sheds Checks after it has been busy with Checks for this time without a pause; 1ms to 1m.',
      default: OVERLOAD_DEFAULTS.shedAfter,
    }),
    maxPendingChecks: Type.Integer({
      description:
        'Checks that may wait for the storage or the backend; further Checks are answered by their fail policy.',
      default: OVERLOAD_DEFAULTS.maxPendingChecks,
      minimum: 1,
      maximum: 1_000_000,
    }),
  },
  { description: 'Handling of Checks beyond the capacity of this server.', default: {} },
);

/** The namespace of manifests/gateway. */
export const CALLERS_DEFAULTS = { outboundChecks: false, gatewayNamespaces: ['mesh-ingress'] } as const;

/**
 * The policy server's configuration file (docs/configuration.md#the-policy-servers-file). Durations are texts in Go's
 * syntax.
 */
export const policyServerSchema = Type.Object({
  quotas: Type.Array(quotaSchema, {
    description: 'The limits. A quota without an entry here is always granted.',
    default: [],
    maxItems: POLICY_SERVER_LIMITS.quotas,
  }),
  storage: storageSchema,
  reports: Type.Object(
    { log: Type.Boolean({ description: 'If true, each report is logged as a JSON line.', default: false }) },
    { description: 'Handling of reports, in addition to metrics.', default: {} },
  ),
  callers: Type.Object(
    {
      outboundChecks: Type.Boolean({
        description:
          "If true, proxies with certificates may charge outbound requests to the quotas of other workloads' services. The server in the discovery process ignores it, and uses enableClientSidePolicyCheck of the mesh config.",
        default: false,
      }),
      gatewayNamespaces: Type.Array(Type.String({ pattern: DNS_LABEL_PATTERN, maxLength: 63 }), {
        description:
          "Namespaces whose gateways with certificates charge the requests that they route to services of other namespaces. Gateways may always charge the services of their own namespace. The services' own proxies do not charge the same requests again. Without effect with a backend.",
        default: [...CALLERS_DEFAULTS.gatewayNamespaces],
        maxItems: 1000,
      }),
    },
    { description: 'Rights of callers that authenticate with a certificate.', default: {} },
  ),
  overload: overloadSchema,
  backend: Type.Optional(backendSchema),
});

export type PolicyServerFile = Immutable<Static<typeof policyServerSchema>>;
export type QuotaFile = PolicyServerFile['quotas'][number];
export type StorageFile = PolicyServerFile['storage'];
