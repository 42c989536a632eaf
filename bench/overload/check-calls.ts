import { createMessageEncoder } from '../../src/envoy/message-encoder.js';
import { loadProtoRegistry } from '../../src/envoy/proto-registry.js';
import { CLIENT_CONFIG_METADATA, SERVICE_METADATA } from '../../src/policy/wire/call-metadata.js';
import { createConfigEncoder } from '../../src/policy/wire/config-encoder.js';
import { loadPolicyProtos } from '../../src/policy/wire/policy-protos.js';
import { type PreparedCall, prepareCall } from '../load/unary-connection.js';
import type { PolicyWorkload } from '../policy/workload.js';

const PATH = '/envoy.service.auth.v3.Authorization/Check';
const NUMBER = '1234567890123456';

/** The Checks that an Envoy sends for the workload's requests, each with another number of its stream in every call. */
export function prepareChecks({ requests }: PolicyWorkload, service: string): readonly PreparedCall[] {
  const type = loadProtoRegistry().type('envoy.service.auth.v3.CheckRequest');
  const fields = { [CLIENT_CONFIG_METADATA]: clientConfigText(), [SERVICE_METADATA]: service };
  return requests.map(({ method, target, host, headers, connection }) => {
    const http = {
      id: NUMBER,
      method,
      path: target,
      host,
      scheme: 'https',
      protocol: 'HTTP/1.1',
      headers: Object.fromEntries([...headers].filter(([name]) => name !== 'x-mesh-attributes')),
    };
    const message = type.fromObject({
      attributes: {
        source: { address: address('10.0.1.7', 41_362), principal: connection.sourcePrincipal },
        destination: { address: address('10.244.0.6', 8080), principal: connection.destinationPrincipal },
        request: { time: { seconds: 1_795_271_864, nanos: 398_569_000 }, http },
        metadataContext: {},
        tlsSession: { sni: connection.requestedServerName },
      },
    });
    return prepareCall(PATH, type.encode(message).finish() as Buffer, fields, NUMBER);
  });
}

function address(ip: string, port: number): object {
  return { socketAddress: { address: ip, portValue: port } };
}

function clientConfigText(): string {
  return createConfigEncoder(createMessageEncoder(loadPolicyProtos())).httpClientConfigText({
    serviceConfigs: {},
    ignoreForwardedAttributes: false,
    mixerAttributes: { attributes: { 'destination.uid': { stringValue: 'kubernetes://shop-1.shop' } } },
  });
}
