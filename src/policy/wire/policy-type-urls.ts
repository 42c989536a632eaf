/** Type URLs of our own messages, of which the client configurations are xDS resources as well. */
export const POLICY_TYPE_URLS = {
  attributes: 'type.googleapis.com/mesh.policy.v1.Attributes',
  httpClientConfig: 'type.googleapis.com/mesh.policy.v1.HttpClientConfig',
  tcpClientConfig: 'type.googleapis.com/mesh.policy.v1.TcpClientConfig',
  serviceConfig: 'type.googleapis.com/mesh.policy.v1.ServiceConfig',
} as const;
