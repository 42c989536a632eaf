import { type ChannelOptions, Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { rpcCodeOf } from '../../base/rpc-code.js';
import { passThrough, rawMethod } from '../../net/raw-method.js';
import {
  type CallOptions,
  type CheckRequest,
  type CheckResponse,
  type PolicyTransport,
  PolicyTransportError,
} from '../client/policy-transport.js';
import { createPolicyCodec, type PolicyCodec } from '../wire/policy-codec.js';
import { loadPolicyProtos } from '../wire/policy-protos.js';

export interface GrpcPolicyTransportOptions {
  /** To be shared by several transports; otherwise each makes its own, which takes some 20 ms. */
  readonly codec?: PolicyCodec;
  /**
   * Metadata of every call, such as `x-mesh-attributes` with the attributes for the proxy in front of the policy server
   * (docs/reference/policy-client.md#transportconfig, `attributesForMixerProxy`).
   */
  readonly metadata?: Readonly<Record<string, string>>;
  /** With it the connection is TLS, and the server's certificate is checked; without it plaintext. */
  readonly tls?: {
    /** PEM certificates to trust instead of the system's. */
    readonly rootCertificates?: Buffer;
  };
}

/** Calls to a remote policy server. */
export interface GrpcPolicyTransport extends PolicyTransport {
  check(request: CheckRequest, options: CallOptions): Promise<CheckResponse>;
  /** Closes the connection; calls that wait for an answer still get it, later ones fail. */
  close(): void;
}

const CHANNEL_OPTIONS: ChannelOptions = {
  // Each transport has connections, and waiting times between them, of its own.
  'grpc.use_local_subchannel_pool': 1,
  // The policy client retries, and counts what it does.
  'grpc.enable_retries': 0,
  // A server that comes back is to be found soon: requests wait, or pass unchecked, until then.
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
  // A connection that lost its other end shows within 15 s, whether there are calls or not.
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5000,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.enable_channelz': 0,
};

/**
 * Calls `mesh.policy.v1.Policy` of a server (docs/reference/policy-client.md#wire-protocol). Connects at the first
 * call, and again whenever the connection is lost; while there is none, calls fail at once, so that whoever retries
 * decides how long to wait.
 *
 * Calls reject with PolicyTransportError: `timeout` when the deadline has passed, `send` when the server could not be
 * reached, `other` for what the server itself answered, and for calls that were given up.
 *
 * @param address `host:port`, or another target of gRPC such as `dns:///policy.example.com:15016`
 */
export function createGrpcPolicyTransport(
  address: string,
  options: GrpcPolicyTransportOptions = {},
): GrpcPolicyTransport {
  const { codec = createPolicyCodec(loadPolicyProtos()), tls } = options;
  const channel = tls === undefined ? credentials.createInsecure() : credentials.createSsl(tls.rootCertificates);
  const client = new Client(address, channel, CHANNEL_OPTIONS);
  let isClosed = false;
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(options.metadata ?? {})) metadata.set(name, value);

  const call = (path: string, request: Buffer, { timeoutMs, signal }: CallOptions): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      if (isClosed) throw new PolicyTransportError('send', `The connection to ${address} has been closed`);
      if (signal.aborted) throw givenUp(address);
      const cancel = (): void => running.cancel();
      const running = client.makeUnaryRequest(
        path,
        passThrough,
        passThrough,
        request,
        metadata.clone(),
        // In the time of the gRPC library, which is the system's.
        { deadline: Date.now() + timeoutMs },
        (error, answer) => {
          signal.removeEventListener('abort', cancel);
          if (answer !== undefined) resolve(answer);
          else reject(signal.aborted ? givenUp(address) : transportError(error, address));
        },
      );
      signal.addEventListener('abort', cancel);
    });

  const decodeAnswer = (answer: Buffer): CheckResponse => {
    try {
      return codec.decodeCheckResponse(answer);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new PolicyTransportError('other', `The answer of ${address} means nothing: ${reason}`, { cause });
    }
  };

  return {
    check: async (request, callOptions) => {
      const answer = await call(POLICY_METHODS.Check.path, codec.encodeCheckRequest(request), callOptions);
      return decodeAnswer(answer);
    },
    report: async (request, callOptions) => {
      await call(POLICY_METHODS.Report.path, codec.encodeReportRequest(request), callOptions);
    },
    close: () => {
      isClosed = true;
      client.close();
    },
  };
}

function givenUp(address: string): PolicyTransportError {
  return new PolicyTransportError('other', `The call to ${address} was given up`, { code: 'CANCELLED' });
}

/** A deadline counts as UNAVAILABLE, whether the client's own timer or the gRPC library noticed it first. */
function transportError(error: ServiceError | null, address: string): PolicyTransportError {
  const { code = status.UNKNOWN, details = '' } = error ?? {};
  const message = `The policy server ${address} did not answer: ${details}`;
  switch (code) {
    case status.DEADLINE_EXCEEDED:
      return new PolicyTransportError('timeout', message, { cause: error });
    case status.UNAVAILABLE:
    // Nobody here cancelled: a server that ends in a hurry resets its streams.
    case status.CANCELLED:
      return new PolicyTransportError('send', message, { cause: error });
    default:
      return new PolicyTransportError('other', message, { cause: error, code: rpcCodeOf(code) });
  }
}

/**
 * The service `mesh.policy.v1.Policy`, in bytes: what is in them is read where an error can still be answered with what
 * is wrong, which the gRPC library's own decoding cannot.
 */
export const POLICY_METHODS = {
  Check: rawMethod('/mesh.policy.v1.Policy/Check'),
  Report: rawMethod('/mesh.policy.v1.Policy/Report'),
} as const;
