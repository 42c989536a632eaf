import type { Environment } from '../../../bootstrap/environment.js';
import { bool, duration, integer, positiveFloat } from '../../values/scalar-types.js';
import type { VariableTable } from '../setting.js';

const UINT32_MAX = 2 ** 32 - 1;
const notNegative = duration({ minNs: 0n });

/** Variables of pushing, of the xDS server and of status. */
export const pushVariables = {
  meshGprcMaxRecvMsgSizeBytes: {
    name: 'MESH_GPRC_MAXRECVMSGSIZE',
    type: integer({ min: 1 }),
    default: '4194304',
    meaning: 'Maximum receive buffer size of a gRPC stream, bytes',
  },
  meshGprcMaxStreams: {
    name: 'MESH_GPRC_MAXSTREAMS',
    type: integer({ min: 1, max: UINT32_MAX }),
    default: '100000',
    meaning: 'Maximum concurrent gRPC streams',
  },
  navDebounceAfterMs: {
    name: 'NAV_DEBOUNCE_AFTER',
    type: notNegative,
    default: '100ms',
    meaning:
      'Delay after a change of configuration or registry. A push starts when no further change arrives in this time, at the latest after NAV_DEBOUNCE_MAX',
  },
  navDebounceMaxMs: {
    name: 'NAV_DEBOUNCE_MAX',
    type: notNegative,
    default: '10s',
    meaning: 'Maximum delay of a push while changes continue to arrive',
  },
  navDebugAdszConfig: {
    name: 'NAV_DEBUG_ADSZ_CONFIG',
    type: bool,
    default: 'false',
    meaning: 'Keeps the last listeners, clusters and routes of each connection for /debug/adsz and /debug/cdsz',
  },
  navDistributionHistoryRetentionMs: {
    name: 'NAV_DISTRIBUTION_HISTORY_RETENTION',
    type: notNegative,
    default: '1m0s',
    meaning: 'Time for which old versions of distributed configuration are kept, if distribution tracking is enabled',
  },
  navEnableConfigDistributionTracking: {
    name: 'NAV_ENABLE_CONFIG_DISTRIBUTION_TRACKING',
    type: bool,
    default: 'true',
    meaning:
      'Assigns meaningful nonces to each proxy configuration message and allows the debug interface to show which proxy has which config',
  },
  navEnableEdsDebounce: {
    name: 'NAV_ENABLE_EDS_DEBOUNCE',
    type: bool,
    default: 'true',
    meaning:
      'Includes endpoint updates in push debouncing: fewer pushes, but possibly later. Endpoints of a service wait only for changes of that service',
  },
  navEnableStatus: {
    name: 'NAV_ENABLE_STATUS',
    type: bool,
    default: 'false',
    meaning: 'Updates the Status field of all mesh resources with reconciliation status',
  },
  navPushThrottle: {
    name: 'NAV_PUSH_THROTTLE',
    type: integer({ min: 1 }),
    default: '100',
    meaning: 'Maximum concurrent pushes to authenticated proxies, and the same number to plaintext proxies',
  },
  navStatusBurst: {
    name: 'NAV_STATUS_BURST',
    type: integer({ min: 1 }),
    default: '500',
    meaning: 'Burst rate of status updates, when status is enabled',
  },
  navStatusQps: {
    name: 'NAV_STATUS_QPS',
    type: positiveFloat,
    default: '100',
    meaning: 'QPS of status updates, when status is enabled',
  },
} as const satisfies Partial<VariableTable<Environment>>;
