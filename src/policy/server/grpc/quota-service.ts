import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import { rpcCodeNumber } from '../../../base/rpc-code.js';
import type { GrpcService } from '../../../net/grpc-service.js';
import { passThrough, rawStreamingMethod } from '../../../net/raw-method.js';
import type { Logger } from '../../../telemetry/logger.js';
import { PolicyTransportError } from '../../client/policy-transport.js';
import { CallerRefusedError } from '../callers/caller.js';
import { anonymous, type CallerReader } from '../callers/caller-reader.js';
import { EnvoyMessageError } from '../envoy-codec.js';
import type { OpenShareStream, ShareStream } from '../shares/share-service.js';

const SERVICE = 'envoy.service.rate_limit_quota.v3.RateLimitQuotaService';

/** Streams of one connection: a proxy needs one, and one more while the former ends. */
const MAX_STREAMS = 8;
const TOO_MANY_STREAMS = `the connection has ${MAX_STREAMS} streams of fast quotas already: send the reports of a proxy on one stream`;

/** `envoy.service.rate_limit_quota.v3.RateLimitQuotaService`: the shares of proxies that count fast quotas by themselves. */
export function createRateLimitQuotaService(
  openStream: OpenShareStream,
  logger: Logger,
  callerOf: CallerReader = anonymous,
): GrpcService {
  const ends = new Set<() => void>();
  /** Streams by connection. */
  const streams = new Map<string, number>();

  const stream = (call: ServerDuplexStream<Buffer, Buffer>): void => {
    const peer = call.getPeer();
    const others = streams.get(peer) ?? 0;
    if (others >= MAX_STREAMS) {
      call.emit('error', { code: status.RESOURCE_EXHAUSTED, details: TOO_MANY_STREAMS });
      return;
    }
    let shares: ShareStream;
    try {
      shares = openStream(callerOf(call), (bytes) => call.write(bytes));
    } catch (error) {
      call.emit('error', grpcError(error));
      return;
    }
    streams.set(peer, others + 1);
    call.on('drain', shares.resume);
    const close = (): void => {
      if (!ends.delete(end)) return;
      shares.close();
      const rest = (streams.get(peer) ?? 1) - 1;
      if (rest > 0) streams.set(peer, rest);
      else streams.delete(peer);
    };
    call.on('cancelled', close);
    call.on('close', close);
    const end = (): void => {
      close();
      call.end();
    };
    ends.add(end);
    const takeAll = async (): Promise<void> => {
      // The stream must outlive the loop, so that the caller gets the error.
      for await (const bytes of call.iterator({ destroyOnReturn: false })) await shares.take(bytes as Buffer);
    };
    takeAll().then(end, (error: unknown) => {
      close();
      if (error instanceof EnvoyMessageError) call.emit('error', grpcError(error));
      else {
        logger.debug({ err: error, peer }, 'stream of fast quotas ended');
        call.end();
      }
    });
  };
  return {
    name: SERVICE,
    addTo: (server) => {
      const method = rawStreamingMethod(`/${SERVICE}/StreamRateLimitQuotas`, passThrough);
      server.addService({ StreamRateLimitQuotas: method }, { StreamRateLimitQuotas: stream });
    },
    endStreams: () => {
      for (const end of [...ends]) end();
    },
  };
}

function grpcError(error: unknown): { readonly code: status; readonly details: string } {
  if (error instanceof CallerRefusedError) return { code: rpcCodeNumber(error.code), details: error.message };
  if (error instanceof EnvoyMessageError) return { code: status.INVALID_ARGUMENT, details: error.message };
  if (error instanceof PolicyTransportError) return { code: rpcCodeNumber(error.code), details: error.message };
  return { code: status.INTERNAL, details: 'internal error' };
}
