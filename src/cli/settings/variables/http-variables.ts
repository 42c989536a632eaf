import type { Environment } from '../../../bootstrap/options.js';
import { duration, integer } from '../../values/scalar-types.js';
import type { VariableTable } from '../setting.js';

const positive = duration({ minNs: 1_000_000n });

/** Variables of the HTTP listeners: --httpAddr, --monitoringAddr and --httpsAddr. */
export const httpVariables = {
  navHttpMaxConnections: {
    name: 'NAV_HTTP_MAX_CONNECTIONS',
    type: integer({ min: 1 }),
    default: '1024',
    meaning:
      'Maximum connections of each HTTP and HTTPS listener; beyond it a connection is closed, those without a request first',
    addition: true,
  },
  navHttpMaxConnectionsPerPeer: {
    name: 'NAV_HTTP_MAX_CONNECTIONS_PER_PEER',
    type: integer({ min: 1 }),
    default: '512',
    meaning: 'Maximum connections of each HTTP and HTTPS listener from one address',
    addition: true,
  },
  navHttpHeadersTimeoutMs: {
    name: 'NAV_HTTP_HEADERS_TIMEOUT',
    type: positive,
    default: '5s',
    meaning: 'Time in which a client of an HTTP or HTTPS listener must have sent the headers of its request',
    addition: true,
  },
  navHttpIdleTimeoutMs: {
    name: 'NAV_HTTP_IDLE_TIMEOUT',
    type: positive,
    default: '1m0s',
    meaning: 'Time without a byte in either direction after which a request of an HTTP or HTTPS listener is cut off',
    addition: true,
  },
  navMetricsMinIntervalMs: {
    name: 'NAV_METRICS_MIN_INTERVAL',
    type: duration({ minNs: 0n }),
    default: '1s',
    meaning: 'Time for which all scrapes get the same text of /metrics; 0 writes a new one for each',
    addition: true,
  },
} as const satisfies Partial<VariableTable<Environment>>;
