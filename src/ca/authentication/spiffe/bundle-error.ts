/** SPIFFE_BUNDLE_ENDPOINTS cannot be used; the process does not start with it (BEHAVIOUR 4). */
export class SpiffeBundleError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(`SPIFFE_BUNDLE_ENDPOINTS: ${message}`, options);
    this.name = 'SpiffeBundleError';
  }
}
