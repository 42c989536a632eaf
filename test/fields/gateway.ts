import type { KindFields } from './kind-fields.js';

const HTTP = 'a plaintext server takes the hosts that virtual services bind to it, and answers 404 to others';
const ADDRESS = 'a server listens at its address and target port';
const SIMPLE = 'SIMPLE presents the certificate of the secret, and drops forged client certificates';
const CLIENTS = 'MUTUAL accepts clients that the root certificates, names and hashes allow';
const FILES = 'files beside the router have certificate, key and roots';
const HANDSHAKE = 'protocol versions and cipher suites are those of the server';

export const GATEWAY: KindFields = {
  kind: 'Gateway',
  file: 'e2e/gateway.test.ts',
  fields: {
    'Gateway.servers': HTTP,
    'Gateway.selector': {
      test: 'a Gateway selects the routers that have all its labels, and without a selector all routers',
      file: 'model/gateways/gateway-index.test.ts',
    },
    'Server.port': ADDRESS,
    'Server.bind': ADDRESS,
    'Server.hosts': 'a host with a namespace takes virtual services of that namespace only',
    'Server.tls': SIMPLE,
    'Server.defaultEndpoint': 'what no virtual service routes goes to the default endpoint',
    'Server.name': { test: 'two servers of one name', file: 'config/networking/gateway.test.ts' },
    'Port.number': HTTP,
    'Port.protocol': 'bytes reach the destination of the TCP route, a subset of a service',
    'Port.name': { test: 'two servers of one name', file: 'config/networking/gateway.test.ts' },
    'Port.targetPort': ADDRESS,
    'ServerTLSSettings.httpsRedirect': 'httpsRedirect answers 301 with the https URL',
    'ServerTLSSettings.mode': SIMPLE,
    'ServerTLSSettings.serverCertificate': FILES,
    'ServerTLSSettings.privateKey': FILES,
    'ServerTLSSettings.caCertificates': FILES,
    'ServerTLSSettings.credentialName': SIMPLE,
    'ServerTLSSettings.subjectAltNames': CLIENTS,
    'ServerTLSSettings.verifyCertificateSpki': CLIENTS,
    'ServerTLSSettings.verifyCertificateHash': CLIENTS,
    'ServerTLSSettings.minProtocolVersion': HANDSHAKE,
    'ServerTLSSettings.maxProtocolVersion': HANDSHAKE,
    'ServerTLSSettings.cipherSuites': HANDSHAKE,
    'ServerTLSSettings.TLSmode.PASSTHROUGH': 'PASSTHROUGH forwards encrypted bytes by server name',
    'ServerTLSSettings.TLSmode.SIMPLE': SIMPLE,
    'ServerTLSSettings.TLSmode.MUTUAL': CLIENTS,
    'ServerTLSSettings.TLSmode.AUTO_PASSTHROUGH':
      'AUTO_PASSTHROUGH forwards mutual TLS of the mesh to the service of its server name, and to no other cluster',
    'ServerTLSSettings.TLSmode.MESH_MUTUAL':
      'MESH_MUTUAL uses the certificate of the mesh and accepts only those of the mesh',
    'TLSProtocol.TLS_AUTO': FILES,
    'TLSProtocol.TLSV1_0': HANDSHAKE,
    'TLSProtocol.TLSV1_1': FILES,
    'TLSProtocol.TLSV1_2': HANDSHAKE,
    'TLSProtocol.TLSV1_3': HANDSHAKE,
  },
};
