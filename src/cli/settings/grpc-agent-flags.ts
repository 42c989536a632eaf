import type { GrpcAgentFlags } from '../../bootstrap/options.js';
import { text } from '../values/scalar-types.js';
import { listenAddress, remoteAddress, requiredText } from '../values/text-types.js';
import type { FlagTable } from './setting.js';

/** The flags of the `grpc-agent` command. Flags that `navigator-policy serve` has too have the same names. */
export const grpcAgentFlags: FlagTable<GrpcAgentFlags> = {
  discoveryAddress: {
    name: 'discoveryAddress',
    type: remoteAddress,
    default: 'meshd.mesh-system.svc:15012',
    meaning: 'host:port of the secured listener of the control plane, which signs the certificates',
  },
  discoveryRootCertFile: {
    name: 'discoveryRootCert',
    type: requiredText,
    default: './var/run/secrets/mesh/root-cert.pem',
    meaning:
      'PEM file with the root certificates of the mesh, which verify the control plane and are written for the library; read again when it changes',
  },
  discoveryServerName: {
    name: 'discoveryServerName',
    type: text,
    default: '',
    meaning: 'Required name in the certificate of the control plane; if not set, the host of --discoveryAddress',
  },
  discoveryTokenFile: {
    name: 'discoveryTokenFile',
    type: requiredText,
    default: './var/run/secrets/tokens/mesh-token',
    meaning: 'File with the token of the service account whose identity the certificate gets',
  },
  output: {
    name: 'output',
    shorthand: 'o',
    type: requiredText,
    default: '/etc/mesh/grpc/certificates',
    meaning: 'Folder of cert.pem, key.pem and roots.pem. It is a link, which the command makes and replaces',
  },
  xdsSocket: {
    name: 'xdsSocket',
    type: text,
    default: '',
    meaning:
      'Path of a Unix socket for gRPC libraries, which the command makes. It passes their connections on to --discoveryAddress over TLS, with the certificate. Empty: no socket',
  },
  readyAddr: {
    name: 'readyAddr',
    type: listenAddress,
    default: ':15021',
    meaning: 'HTTP address of /healthz/ready, which answers 200 while the written certificate is valid',
  },
};
