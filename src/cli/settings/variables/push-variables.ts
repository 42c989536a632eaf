import type { Environment } from '../../../bootstrap/options.js';
import { bool, duration, integer, positiveFloat } from '../../values/scalar-types.js';
import type { VariableTable } from '../setting.js';

const UINT32_MAX = 2 ** 32 - 1;
const notNegative = duration({ minNs: 0n });

/** Variables of pushing, of the xDS server and of status (SPEC 4.6). */
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
      'Delay added to config and registry events for debouncing; a push happens if no change arrives within it, otherwise the delay goes on until NAV_DEBOUNCE_MAX',
  },
  navDebounceMaxMs: {
    name: 'NAV_DEBOUNCE_MAX',
    type: notNegative,
    default: '10s',
    meaning: 'Maximum wait for events while debouncing; a push is triggered after this time of uninterrupted events',
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
    meaning: 'If distribution tracking is enabled, old versions of distributed config are kept for this duration',
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
      'Includes EDS pushes in push debouncing (fewer, possibly delayed pushes); endpoints of a service wait for changes of that service alone',
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
    meaning: 'Limit on concurrent pushes to authenticated proxies, and the same again to plaintext ones',
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
