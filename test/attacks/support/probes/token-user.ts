import { credentials } from '@grpc/grpc-js';
import { TypeUrl } from '../../../../src/envoy/type-urls.js';
import { connectClient } from '../../../xds/grpc-client.js';
import type { AttackedServer } from '../attacked-server.js';
import type { ProbeUser } from '../probe.js';
import { VICTIM } from '../tenants.js';

const ADS = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';
/** Created in advance, so that the probe measures only the server. */
const STOCK = 10;

/** An injected sidecar that starts: it shows a token that no API server was asked about before. */
export async function createTokenUser({ api, target }: AttackedServer): Promise<ProbeUser> {
  const { namespace, serviceAccount } = VICTIM;
  const makeToken = async (): Promise<string> => {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${serviceAccount}/token`;
    const { body } = await api.client.send('POST', path, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { audiences: ['mesh-ca'] },
    });
    return (body as { status: { token: string } }).status.token;
  };
  const stock = [...(await Promise.all(Array.from({ length: STOCK }, makeToken)))].map((token) =>
    Promise.resolve(token),
  );
  return {
    name: 'new ADS client with a token',
    act: async () => {
      const token = await (stock.shift() ?? makeToken());
      stock.push(makeToken());
      const client = connectClient(target.ports.secureGrpc, ADS, {
        channel: credentials.createSsl(Buffer.from(target.root)),
        metadata: { authorization: `Bearer ${token}` },
        serverName: target.serverName,
      });
      try {
        const node = `sidecar~127.0.0.1~${serviceAccount}-0.${namespace}~${namespace}.svc.cluster.local`;
        client.send({ node, typeUrl: TypeUrl.cluster });
        await client.response(0);
      } finally {
        client.close();
      }
    },
    close: () => undefined,
  };
}
