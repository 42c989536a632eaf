import type { Environment } from '../../../bootstrap/environment.js';
import { duration, integer, text } from '../../values/scalar-types.js';
import type { VariableTable } from '../setting.js';

const positive = duration({ minNs: 1_000_000n });

/** Variables of the HTTP listeners: --httpAddr, --monitoringAddr and --httpsAddr. */
export const httpVariables = {
  navHttpMaxConnections: {
    name: 'NAV_HTTP_MAX_CONNECTIONS',
    type: integer({ min: 1 }),
    default: '1024',
    meaning:
      'Maximum connections of each HTTP and HTTPS listener. Beyond it, a connection is closed, first one without a request',
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
    meaning: 'Maximum time until a client of an HTTP or HTTPS listener has sent the headers of its request',
    addition: true,
  },
  navHttpIdleTimeoutMs: {
    name: 'NAV_HTTP_IDLE_TIMEOUT',
    type: positive,
    default: '1m0s',
    meaning: 'A request of an HTTP or HTTPS listener is aborted after this time without a byte in either direction',
    addition: true,
  },
  navMetricsMinIntervalMs: {
    name: 'NAV_METRICS_MIN_INTERVAL',
    type: duration({ minNs: 0n }),
    default: '1s',
    meaning: 'Time for which /metrics returns the same text to all scrapes; 0 renders it for each scrape',
    addition: true,
  },
  navWebhookBodyBytes: {
    name: 'NAV_WEBHOOK_BODY_BYTES',
    type: integer({ min: 4 << 20 }),
    default: '67108864',
    meaning: 'Maximum bytes of the bodies of all admission reviews together, from the first byte to the answer',
    addition: true,
  },
  navWebhookClientCaFile: {
    name: 'NAV_WEBHOOK_CLIENT_CA_FILE',
    type: text,
    default: '',
    meaning:
      'PEM file with the authorities of client certificates; admission reviews of callers with such a certificate have a queue of their own',
    whenUnset: 'the authorities in the ConfigMap kube-system/extension-apiserver-authentication',
    addition: true,
  },
  navWebhookParsedBytes: {
    name: 'NAV_WEBHOOK_PARSED_BYTES',
    type: integer({ min: 4 << 20 }),
    default: '201326592',
    meaning:
      'Maximum estimated memory of all large admission reviews together after parsing, in bytes. Half is reserved for callers with a client certificate. One review of another caller gets at most a quarter',
    addition: true,
  },
  navWebhookQueueTimeoutMs: {
    name: 'NAV_WEBHOOK_QUEUE_TIMEOUT',
    type: positive,
    default: '2s',
    meaning: 'Maximum time that an admission review waits in the queue; after it, the answer is 503',
    addition: true,
  },
} as const satisfies Partial<VariableTable<Environment>>;
