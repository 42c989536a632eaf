import { type ChannelOptions, Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { errorText } from '../../base/error-text.js';
import { rpcCodeOf } from '../../base/rpc-code.js';
import { OWN_CONNECTION } from '../../net/own-connection.js';
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
    /** Whether the certificate may be for any name (BYPASS_OOP_MTLS_SAN_VERIFICATION). Default false. */
    readonly takesAnyName?: boolean;
  };
}

/** Calls to a remote policy server. */
export interface GrpcPolicyTransport extends PolicyTransport {
  check(request: CheckRequest, options: CallOptions): Promise<CheckResponse>;
  /** Closes the connection. Running calls still get their answer, later ones fail. */
  close(): void;
}

const CHANNEL_OPTIONS: ChannelOptions = {
  // Each transport has its own connections and waits.
  ...OWN_CONNECTION,
  // The policy client retries and counts retries.
  'grpc.enable_retries': 0,
  // Short waits, because requests wait, or pass unchecked, until the server is found again.
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
  // Keepalive detects a dead connection within 15 s, with and without calls.
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5000,
  'grpc.keepalive_permit_without_calls': 1,
};

/**
 * Calls `mesh.policy.v1.Policy` of a server (docs/reference/policy-client.md#wire-protocol). Connects at the first call
 * and after a lost connection. Without a connection, calls fail at once, and the caller decides how long to wait.
 *
 * Calls reject with PolicyTransportError: `timeout` after the deadline, `send` when the server cannot be reached,
 * `other` for error answers of the server and for cancelled calls.
 *
 * @param address `host:port`, or another target of gRPC such as `dns:///policy.example.com:15016`
 */
export function createGrpcPolicyTransport(
  address: string,
  options: GrpcPolicyTransportOptions = {},
): GrpcPolicyTransport {
  const { codec = createPolicyCodec(loadPolicyProtos()), tls } = options;
  const channel = tls === undefined ? credentials.createInsecure() : secureChannel(tls);
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
      const reason = errorText(cause);
      throw new PolicyTransportError('other', `The answer of ${address} is invalid: ${reason}`, { cause });
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

function secureChannel({ rootCertificates, takesAnyName }: NonNullable<GrpcPolicyTransportOptions['tls']>) {
  const options = takesAnyName === true ? { checkServerIdentity: () => undefined } : {};
  return credentials.createSsl(rootCertificates, null, null, options);
}

function givenUp(address: string): PolicyTransportError {
  return new PolicyTransportError('other', `The call to ${address} was cancelled`, { code: 'CANCELLED' });
}

/** A deadline has the code UNAVAILABLE, whether the timer of the client or the gRPC library noticed it. */
function transportError(error: ServiceError | null, address: string): PolicyTransportError {
  const { code = status.UNKNOWN, details = '' } = error ?? {};
  const message = `The policy server ${address} did not answer: ${details}`;
  switch (code) {
    case status.DEADLINE_EXCEEDED:
      return new PolicyTransportError('timeout', message, { cause: error });
    case status.UNAVAILABLE:
    // This side did not cancel: a server that stops quickly resets its streams.
    case status.CANCELLED:
      return new PolicyTransportError('send', message, { cause: error });
    default:
      return new PolicyTransportError('other', message, { cause: error, code: rpcCodeOf(code) });
  }
}

/**
 * The service `mesh.policy.v1.Policy` with messages as bytes. The decoder of the gRPC library could not answer an
 * invalid message with its problem.
 */
export const POLICY_METHODS = {
  Check: rawMethod('/mesh.policy.v1.Policy/Check'),
  Report: rawMethod('/mesh.policy.v1.Policy/Report'),
} as const;
