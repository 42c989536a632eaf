export type ClusterAccessErrorCode = 'KUBECONFIG_UNREADABLE' | 'KUBECONFIG_INVALID' | 'NOT_IN_CLUSTER';

/** Why a cluster can never be reached: a mistake of whoever configured it. */
export class ClusterAccessError extends Error {
  readonly code: ClusterAccessErrorCode;

  constructor(code: ClusterAccessErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ClusterAccessError';
    this.code = code;
  }
}
