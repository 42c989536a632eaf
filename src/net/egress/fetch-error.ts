const MAX_URL_LENGTH = 256;

/** Why a document of another server could not be had. */
export class FetchError extends Error {
  constructor(url: string, reason: string, options?: ErrorOptions) {
    super(`${url.slice(0, MAX_URL_LENGTH)} cannot be fetched: ${reason}`, options);
    this.name = 'FetchError';
  }
}
