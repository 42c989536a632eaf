import type { Environment } from '../../../bootstrap/environment.js';
import { duration, integer, text } from '../../values/scalar-types.js';
import { dnsServer, optionalListenAddress } from '../../values/text-types.js';
import type { VariableTable } from '../setting.js';

const count = integer({ min: 1 });
const positive = duration({ minNs: 1_000_000n });

/** Variables of the DNS listener. */
export const dnsVariables = {
  dnsAddr: {
    name: 'DNS_ADDR',
    type: optionalListenAddress,
    default: ':15053',
    meaning: 'DNS listen address, over UDP, TCP and TLS; an empty value closes the listener',
    takesEmpty: true,
  },
  dnsServer: {
    name: 'DNS_SERVER',
    type: dnsServer,
    default: '',
    meaning: 'Protocol and DNS server to use; only tcp-tls: is supported',
    whenUnset: "the servers of the system's resolver settings",
  },
  navDnsAnswersPerSecond: {
    name: 'NAV_DNS_ANSWERS_PER_SECOND',
    type: count,
    default: '50000',
    meaning: 'Maximum answers of the DNS listener in a second. Further queries get none',
    addition: true,
  },
  navDnsCacheBytes: {
    name: 'NAV_DNS_CACHE_BYTES',
    type: integer({ min: 0 }),
    default: '16777216',
    meaning: 'Maximum bytes of the cached responses of upstream DNS servers, as estimated; 0 caches none',
    addition: true,
  },
  navDnsClientAnswersPerSecond: {
    name: 'NAV_DNS_CLIENT_ANSWERS_PER_SECOND',
    type: count,
    default: '25000',
    meaning:
      'Maximum answers of the DNS listener to one address in a second. Of the further queries over UDP, every second one is told to use TCP',
    addition: true,
  },
  navDnsMaxConnections: {
    name: 'NAV_DNS_MAX_CONNECTIONS',
    type: count,
    default: '10000',
    meaning: 'Maximum TCP connections of the DNS listener. One address has at most half of them',
    addition: true,
  },
  navDnsMaxQueries: {
    name: 'NAV_DNS_MAX_QUERIES',
    type: count,
    default: '30000',
    meaning:
      'Maximum queries that wait for upstream DNS servers; further ones get SERVFAIL. One address has at most half of them',
    addition: true,
  },
  navDnsServerCaFile: {
    name: 'NAV_DNS_SERVER_CA_FILE',
    type: text,
    default: '',
    meaning: 'PEM file of the roots that verify the server of DNS_SERVER',
    whenUnset: 'the roots of Node.js',
    addition: true,
  },
  navDnsTcpIdleTimeoutMs: {
    name: 'NAV_DNS_TCP_IDLE_TIMEOUT',
    type: positive,
    default: '10s',
    meaning: 'A TCP connection of the DNS listener is closed after this time without a query or an answer',
    addition: true,
  },
  navDnsTimeoutMs: {
    name: 'NAV_DNS_TIMEOUT',
    type: positive,
    default: '5s',
    meaning: 'Maximum time for the answer of upstream DNS servers, with all attempts',
    addition: true,
  },
} as const satisfies Partial<VariableTable<Environment>>;
