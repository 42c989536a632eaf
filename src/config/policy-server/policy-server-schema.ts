import type { Static } from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';
import { Type } from '../schema/type.js';

/** Bounds of the policy server's configuration. */
export const POLICY_SERVER_LIMITS = {
  /** Characters of a name, as in a QuotaSpec. */
  nameLength: 253,
  /** Characters of a value, a path or an address. */
  textLength: 4096,
  quotas: 1000,
  dimensions: 8,
  overrides: 10_000,
  /** Keys in the configuration itself; a file may have more. */
  keys: 10_000,
  /** The largest whole number that is exact in a double, which is what a Redis script calculates in. */
  maxAmount: Number.MAX_SAFE_INTEGER,
  /** 366 days. */
  validDurationMs: 366 * 86_400_000,
  /** The client waits no longer for a Check (BEHAVIOUR 6, "Retry"). */
  storageTimeoutMs: 5000,
} as const;

const maxAmount = { minimum: 0, maximum: POLICY_SERVER_LIMITS.maxAmount };

const overrideSchema = Type.Object({
  dimensions: stringMap(Type.String({ maxLength: POLICY_SERVER_LIMITS.textLength }), {
    description:
      'Values by dimension, for which the override holds; numbers, booleans and IP addresses as texts. Of several that hold, the one that names most dimensions is used; of equal ones, the first.',
    maxProperties: POLICY_SERVER_LIMITS.dimensions,
  }),
  maxAmount: Type.Optional(Type.Integer({ description: "Units per window; the quota's when left out.", ...maxAmount })),
  validDuration: Type.Optional(Type.String({ description: "Length of the window; the quota's when left out." })),
});

const keysSchema = Type.Object(
  {
    dimension: Type.Optional(
      Type.String({
        description: 'The dimension that holds the key; may be left out where the quota has one dimension.',
        minLength: 1,
        maxLength: POLICY_SERVER_LIMITS.nameLength,
      }),
    ),
    values: Type.Array(Type.String({ minLength: 1, maxLength: POLICY_SERVER_LIMITS.textLength }), {
      description: 'Keys, each by itself or as sha256: and the SHA-256 of its UTF-8 text in hexadecimal.',
      default: [],
      maxItems: POLICY_SERVER_LIMITS.keys,
    }),
    file: Type.Optional(
      Type.String({
        description:
          'File with further keys in the same form, one a line, at most 16 MiB; lines that begin with # are comments. It is looked at every 10 s.',
        minLength: 1,
        maxLength: POLICY_SERVER_LIMITS.textLength,
      }),
    ),
  },
  {
    description:
      'The keys that there are. A request with another key, or none, is refused with 403 before anything is counted; without this field every key gets a counter.',
  },
);

const quotaSchema = Type.Object({
  name: Type.String({
    description: 'Name of the quota, as QuotaSpecs charge it.',
    minLength: 1,
    maxLength: POLICY_SERVER_LIMITS.nameLength,
  }),
  maxAmount: Type.Integer({ description: 'Units that may be charged per window; 0 refuses all.', ...maxAmount }),
  validDuration: Type.String({ description: 'Length of the window, 1ms to 8784h (366 days), for example 1m.' }),
  window: Type.Enum(['fixed', 'rolling'], {
    description:
      'rolling: at most maxAmount in any window of that length; units come back a sixtieth of it late at most. fixed: at most maxAmount in each of the windows that follow one another, counted from 1970-01-01T00:00:00Z.',
    default: 'rolling',
  }),
  dimensions: Type.Array(Type.String({ minLength: 1, maxLength: POLICY_SERVER_LIMITS.nameLength }), {
    description:
      'Attributes whose values are counted apart, for example request.api_key, source.uid, or request.headers[x-user] for an entry of a map. Without any, all requests are counted together.',
    default: [],
    maxItems: POLICY_SERVER_LIMITS.dimensions,
  }),
  keys: Type.Optional(keysSchema),
  overrides: Type.Array(overrideSchema, {
    description: 'Other limits for some values of the dimensions.',
    default: [],
    maxItems: POLICY_SERVER_LIMITS.overrides,
  }),
});

/** Defaults of the fields that only one type of storage has: they must be absent from the other. */
export const MEMORY_DEFAULTS = { maxCounters: 100_000 } as const;
export const REDIS_DEFAULTS = { keyPrefix: 'navigator:quota', timeout: '500ms' } as const;

const storageSchema = Type.Object(
  {
    type: Type.Enum(['memory', 'redis'], {
      description: 'memory counts in this process, redis in a Redis that servers share.',
      default: 'memory',
    }),
    maxCounters: Type.Optional(
      Type.Integer({
        description:
          'memory: most counters of one quota, one for each combination of dimension values (100000 unless given). A further combination evicts the counter that was used least recently, first among those that were used once; the evicted one begins again with its full amount.',
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
        description: 'redis: file that holds the password, instead of one in the address; read at every connect.',
        minLength: 1,
        maxLength: POLICY_SERVER_LIMITS.textLength,
      }),
    ),
    caFile: Type.Optional(
      Type.String({
        description: "redis: file of PEM certificates to trust with rediss:// instead of the system's.",
        minLength: 1,
        maxLength: POLICY_SERVER_LIMITS.textLength,
      }),
    ),
    keyPrefix: Type.Optional(
      Type.String({
        description: `redis: what all keys begin with (${REDIS_DEFAULTS.keyPrefix} unless given): letters, digits and . _ : / -`,
        pattern: '^[A-Za-z0-9._:/-]{1,100}$',
      }),
    ),
    timeout: Type.Optional(
      Type.String({ description: `redis: longest wait for it, up to 5s (${REDIS_DEFAULTS.timeout} unless given).` }),
    ),
  },
  { description: 'Where quotas are counted.', default: {} },
);

const transportSwitches = Type.Object(
  {
    disableCheckCache: Type.Boolean({ description: 'Whether answers to Check are not cached.', default: false }),
    disableQuotaCache: Type.Boolean({
      description:
        'Whether quotas are not prefetched. Prefetching asks less often, and lets more through at the limit.',
      default: false,
    }),
    disableReportBatch: Type.Boolean({ description: 'Whether each report is sent on its own.', default: false }),
  },
  { description: 'How that server is called.', default: {} },
);

const backendSchema = Type.Object(
  {
    address: Type.String({ description: 'host:port of the server.' }),
    tls: Type.Optional(
      Type.Object(
        {
          caFile: Type.Optional(
            Type.String({
              description: "File of PEM certificates to trust instead of the system's.",
              minLength: 1,
              maxLength: POLICY_SERVER_LIMITS.textLength,
            }),
          ),
        },
        { description: 'TLS to the server; plaintext when left out.' },
      ),
    ),
    transport: transportSwitches,
  },
  { description: 'A remote server of mesh.policy.v1 that decides, counts and takes reports instead of this one.' },
);

export const OVERLOAD_DEFAULTS = { shed: true, shedAfter: '500ms', maxPendingChecks: 10_000 } as const;

const overloadSchema = Type.Object(
  {
    shed: Type.Boolean({
      description:
        'Whether Checks beyond what the server can decide are answered at once by their fail policy, instead of waiting. Nothing is charged for them.',
      default: OVERLOAD_DEFAULTS.shed,
    }),
    shedAfter: Type.String({
      description:
        'How long the server must have been busy with Checks, without a pause, before it sheds any; 1ms to 1m.',
      default: OVERLOAD_DEFAULTS.shedAfter,
    }),
    maxPendingChecks: Type.Integer({
      description:
        'Checks that may wait for the storage or the backend; further ones are answered by their fail policy.',
      default: OVERLOAD_DEFAULTS.maxPendingChecks,
      minimum: 1,
      maximum: 1_000_000,
    }),
  },
  { description: 'What becomes of Checks beyond what this server can decide.', default: {} },
);

/** The policy server's configuration file (DESIGN 6). Durations are texts in Go's syntax. */
export const policyServerSchema = Type.Object({
  quotas: Type.Array(quotaSchema, {
    description: 'The limits. A quota that is charged but not named here is granted.',
    default: [],
    maxItems: POLICY_SERVER_LIMITS.quotas,
  }),
  storage: storageSchema,
  reports: Type.Object(
    { log: Type.Boolean({ description: 'Whether each report is a JSON line in the log.', default: false }) },
    { description: 'What becomes of reports, beside metrics.', default: {} },
  ),
  callers: Type.Object(
    {
      outboundChecks: Type.Boolean({
        description:
          "Whether proxies with certificates may have what their workloads send charged to the quotas of other workloads' services. Not needed for the server in the discovery process, which goes by enableClientSidePolicyCheck of the mesh config.",
        default: false,
      }),
    },
    { description: 'What callers that are known by their certificates may ask.', default: {} },
  ),
  overload: overloadSchema,
  backend: Type.Optional(backendSchema),
});

export type PolicyServerFile = Immutable<Static<typeof policyServerSchema>>;
export type QuotaFile = PolicyServerFile['quotas'][number];
export type StorageFile = PolicyServerFile['storage'];
