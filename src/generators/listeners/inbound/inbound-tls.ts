import type { MeshConfig } from '../../../config/mesh/mesh-config.js';
import { adsConfigSource } from '../../../envoy/config-source.js';
import type { MessageEncoder } from '../../../envoy/message-encoder.js';
import { buildDownstreamMutualTls } from '../../../envoy/tls-context.js';
import type { TransportSocket } from '../../../generated/envoy/config/core/v3/TransportSocket.js';
import { createMemo } from '../../../model/memo.js';
import { HTTP_SERVER_PROTOCOLS } from '../../security/mesh-protocols.js';
import { clientNames } from '../../security/trusted-names.js';
import type { GeneratorSettings } from '../../settings.js';
import type { InboundKind } from './inbound-kinds.js';

/** The TLS of inbound chains, which differs by what is inside alone: encoded once for all of them. */
export type InboundTls = (mesh: MeshConfig, as: InboundKind['as']) => TransportSocket;

export function createInboundTls(encoder: MessageEncoder, settings: GeneratorSettings): InboundTls {
  const memo = createMemo<TransportSocket>();
  const configSource = adsConfigSource(settings.initialFetchTimeoutMs);
  return (mesh, as) =>
    memo.of([mesh], as, () =>
      buildDownstreamMutualTls(encoder, {
        configSource,
        peerNames: clientNames(mesh, settings),
        applicationProtocols: as === 'http' ? HTTP_SERVER_PROTOCOLS : [],
      }),
    );
}
