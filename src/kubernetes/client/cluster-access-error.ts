export type ClusterAccessErrorCode = 'KUBECONFIG_UNREADABLE' | 'KUBECONFIG_INVALID' | 'NOT_IN_CLUSTER';

/** A cluster can never be reached: its configuration is wrong. */
export class ClusterAccessError extends Error {
  readonly code: ClusterAccessErrorCode;

  constructor(code: ClusterAccessErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ClusterAccessError';
    this.code = code;
  }
}
