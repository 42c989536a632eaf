import { type GrpcLimitName, type GrpcLimits, TURN_MS } from './grpc-limits.js';

interface LimitText {
  readonly setting: keyof GrpcLimits | '';
  readonly describe: (value: number, address: string) => string;
}

const TEXTS: Readonly<Record<GrpcLimitName, LimitText>> = {
  incomplete_bytes: {
    setting: 'grpcMaxIncompleteBytes',
    describe: (value) => `incomplete messages of all peers take more than ${value} bytes; send each message at once`,
  },
  incomplete_bytes_per_address: {
    setting: 'grpcMaxIncompleteBytesPerAddress',
    describe: (value, address) =>
      `incomplete messages from ${address} take more than ${value} bytes; send each message at once`,
  },
  incomplete_bytes_per_connection: {
    setting: 'grpcMaxIncompleteBytesPerConnection',
    describe: (value) =>
      `incomplete messages of the connection take more than ${value} bytes; send each message at once`,
  },
  delayed_messages: {
    setting: 'grpcMaxIncompleteBytesPerAddress',
    describe: (value, address) =>
      `messages and connections from ${address} wait, because its incomplete messages take nearly ${value} bytes`,
  },
  turn_timeout: {
    setting: 'grpcMaxIncompleteBytesPerAddress',
    describe: (value, address) =>
      `other messages from ${address} wait for room (${value} bytes), and this one did not go on within ${TURN_MS / 1000} s of its turn; send each message at once`,
  },
  message_timeout: {
    setting: 'grpcMessageTimeoutMs',
    describe: (value) => `the message was not complete within ${value / 1000} s; send each message at once`,
  },
  message_size: {
    setting: '',
    describe: (value) => `the message is longer than ${value} bytes, the limit of this method; send a shorter one`,
  },
  header_bytes: {
    setting: 'grpcMaxHeaderBytes',
    describe: (value) => `the metadata of the call has more than ${value} bytes; send less`,
  },
  compressed_message: {
    setting: '',
    describe: () =>
      'compressed messages are not supported; send messages without compression (grpc-encoding: identity)',
  },
  control_frames: {
    setting: 'grpcMaxControlFrames',
    describe: (value) => `more than ${value} PING and SETTINGS frames within a second; send fewer`,
  },
  control_bytes: {
    setting: 'grpcMaxControlBytes',
    describe: (value) => `more than ${value} bytes within a second belong to no stream; send fewer frames`,
  },
  abandoned_streams: {
    setting: 'grpcMaxAbandonedStreams',
    describe: (value) => `more than ${value} streams within 10 s ended without a message; open fewer`,
  },
  unproven_connections: {
    setting: 'grpcMaxUnprovenConnections',
    describe: (value) => `more than ${value} connections wait for a first message; send a message soon`,
  },
  unproven_connections_per_address: {
    setting: 'grpcMaxUnprovenConnectionsPerAddress',
    describe: (value, address) => `more than ${value} connections from ${address} wait for a first message`,
  },
  unproven_timeout: {
    setting: 'grpcUnprovenTimeoutMs',
    describe: (value) => `no complete message came within ${value / 1000} s of the connection`,
  },
  http_connections: {
    setting: '',
    describe: (value) => `more than ${value} connections for HTTP/1.1 are open; close those that are idle`,
  },
  http_connections_per_address: {
    setting: '',
    describe: (value, address) => `more than ${value} connections for HTTP/1.1 from ${address} are open; use fewer`,
  },
  early_requests: {
    setting: '',
    describe: () => 'more was sent than one request without a body; wait for each response, and send no body',
  },
  unread_responses: {
    setting: '',
    describe: (value) => `more than ${value} bytes of responses wait to be read; read each response`,
  },
};

/** The flag of a limit, such as `--grpcMaxHeaderBytes`; empty if there is none. */
export function settingOf(limit: GrpcLimitName): string {
  const { setting } = TEXTS[limit];
  return setting === '' ? '' : `--${setting.replace(/Ms$/, '')}`;
}

/** The error text for the peer: the limit, the remedy, the setting. */
export function describeLimit(limit: GrpcLimitName, value: number, address: string): string {
  const setting = settingOf(limit);
  return `${TEXTS[limit].describe(value, address)}${setting === '' ? '' : ` (limit: ${setting})`}`;
}
