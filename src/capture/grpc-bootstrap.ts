/** Files of a workload's certificate. The library reads them again every ten minutes, and verifies peers with the roots. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly privateKey: string;
  readonly roots: string;
}

/** The workload of a gRPC library, and the control plane that configures it. */
export interface GrpcBootstrapOptions {
  /** `host:port` of the control plane. */
  readonly discoveryAddress: string;
  /** Certificates of the control plane are verified with the roots of this file; empty: plaintext. */
  readonly serverRoots: string;
  /** Undefined for a workload without mutual TLS. */
  readonly certificate: CertificateFiles | undefined;
  readonly address: string;
  readonly pod: string;
  readonly namespace: string;
  /** Empty: not told. So are the cluster and the network. */
  readonly serviceAccount: string;
  readonly cluster: string;
  readonly network: string;
  /** DNS suffix of the cluster. */
  readonly domain: string;
  readonly labels: Readonly<Record<string, string>>;
  /** `region/zone/subzone`; empty if it is unknown. */
  readonly locality: string;
}

/** Name of the certificate provider. */
const PROVIDER = 'default';
const REFRESH_INTERVAL = '600s';

/** Makes the bootstrap file of a gRPC library that speaks xDS (GRPC_XDS_BOOTSTRAP; docs/proxyless-grpc.md). */
export function grpcBootstrap(options: GrpcBootstrapOptions): object {
  const { address, pod, namespace, domain, labels, certificate } = options;
  const [region = '', zone = '', ...subZone] = options.locality.split('/');
  const told = {
    SERVICE_ACCOUNT: options.serviceAccount,
    CLUSTER_ID: options.cluster,
    NETWORK: options.network,
    CERTIFICATE_PROVIDER: certificate === undefined ? '' : PROVIDER,
  };
  return {
    xds_servers: [
      {
        server_uri: options.discoveryAddress,
        channel_creds: [channelCredentials(options)],
        server_features: ['xds_v3'],
      },
    ],
    node: {
      id: `sidecar~${address}~${pod}.${namespace}~${namespace}.svc.${domain}`,
      metadata: {
        GENERATOR: 'grpc',
        NAMESPACE: namespace,
        INSTANCE_IPS: address,
        LABELS: labels,
        ...Object.fromEntries(Object.entries(told).filter(([, text]) => text !== '')),
      },
      // @grpc/grpc-js-xds rejects a node without this field.
      locality: options.locality === '' ? {} : { region, zone, sub_zone: subZone.join('/') },
    },
    server_listener_resource_name_template: 'grpc/lds/inbound/%s',
    ...(certificate === undefined
      ? {}
      : {
          certificate_providers: {
            [PROVIDER]: { plugin_name: 'file_watcher', config: watched(certificate) },
          },
        }),
  };
}

/** The library shows its certificate to the secured port: it has no other credentials (gRFC A65). */
function channelCredentials({ serverRoots, certificate }: GrpcBootstrapOptions): object {
  if (serverRoots === '') return { type: 'insecure' };
  const own = certificate === undefined ? {} : watched(certificate);
  return { type: 'tls', config: { ...own, ca_certificate_file: serverRoots, refresh_interval: REFRESH_INTERVAL } };
}

function watched({ certificate, privateKey, roots }: CertificateFiles): object {
  return {
    certificate_file: certificate,
    private_key_file: privateKey,
    ca_certificate_file: roots,
    refresh_interval: REFRESH_INTERVAL,
  };
}
