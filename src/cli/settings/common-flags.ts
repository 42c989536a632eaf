import type { CommonFlags } from '../../bootstrap/options.js';
import { logScopes, paths, scopeLevels } from '../values/list-types.js';
import { bool, duration, integer, text, uint16 } from '../values/scalar-types.js';
import { introspectionHost } from '../values/text-types.js';
import { grpcLimitFlags } from './grpc-limit-flags.js';
import type { FlagTable } from './setting.js';

const positiveDuration = duration({ minNs: 1_000_000n });
const count = integer({ min: 0 });

/** The flags that every command accepts, and the limits of gRPC. */
export const commonFlags: FlagTable<CommonFlags> = {
  ...grpcLimitFlags,
  drainTimeMs: {
    name: 'drainTime',
    type: duration({ minNs: 0n }),
    default: '5s',
    meaning:
      'After SIGTERM the server is not ready, but continues to serve until its policy server has received no new call for this time. Load balancers move proxies to other servers meanwhile. 0s stops at once, as SIGINT does. Outside a cluster, 0s unless the flag is set',
    addition: true,
  },
  drainTimeoutMs: {
    name: 'drainTimeout',
    type: duration({ minNs: 0n }),
    default: '25s',
    meaning:
      'After SIGTERM, the maximum time of draining. Open calls then get up to 10s more to end, so terminationGracePeriodSeconds of the pod must be at least 15 seconds longer than this time',
    addition: true,
  },
  introspectAddress: {
    name: 'introspect_address',
    type: introspectionHost,
    default: 'localhost',
    meaning: 'IP address for the introspection facility; * means all addresses',
  },
  introspectPort: {
    name: 'introspect_port',
    type: uint16,
    default: '9876',
    meaning: 'IP port for the introspection facility',
  },
  keepaliveIntervalMs: {
    name: 'keepaliveInterval',
    type: positiveDuration,
    default: '30s',
    meaning: 'Idle time on a connection after which the peer is pinged',
  },
  keepaliveMaxServerConnectionAgeMs: {
    name: 'keepaliveMaxServerConnectionAge',
    type: positiveDuration,
    default: '2562047h47m16.854775807s',
    meaning: 'Maximum age of a server connection; after it, the connection is closed gracefully',
  },
  keepaliveTimeoutMs: {
    name: 'keepaliveTimeout',
    type: positiveDuration,
    default: '10s',
    meaning: 'Maximum time without activity after a keepalive ping; after it, the connection is closed',
  },
  logAsJson: {
    name: 'log_as_json',
    type: bool,
    default: 'false',
    meaning: 'Write the log as JSON instead of plain console format',
  },
  logCaller: {
    name: 'log_caller',
    type: logScopes,
    default: '',
    meaning: 'Comma-separated log scopes whose lines include the caller; all means every scope',
  },
  logOutputLevel: {
    name: 'log_output_level',
    type: scopeLevels,
    default: 'default:info',
    meaning: 'Comma-separated <scope>:<level> minimum output levels',
  },
  logRotate: {
    name: 'log_rotate',
    type: text,
    default: '',
    meaning: 'Path of the optional rotating log file',
  },
  logRotateMaxAgeDays: {
    name: 'log_rotate_max_age',
    type: count,
    default: '30',
    meaning: 'Maximum age in days of a log file before rotation; 0 means no limit',
  },
  logRotateMaxBackups: {
    name: 'log_rotate_max_backups',
    type: count,
    default: '1000',
    meaning: 'Maximum number of log backups kept; 0 means no limit',
  },
  logRotateMaxSizeMegabytes: {
    name: 'log_rotate_max_size',
    type: integer({ min: 1 }),
    default: '104857600',
    meaning: 'Maximum size of a log file, in megabytes, before rotation',
  },
  logStacktraceLevel: {
    name: 'log_stacktrace_level',
    type: scopeLevels,
    default: 'default:none',
    meaning: 'Comma-separated <scope>:<level> minimum levels at which stack traces are captured',
  },
  logTarget: {
    name: 'log_target',
    type: paths,
    default: 'stdout',
    meaning: 'Target of the log: stdout, stderr or a file path; may be repeated',
  },
};
