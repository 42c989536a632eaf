/**
 * SPIFFE_BUNDLE_ENDPOINTS is invalid or its bundles cannot be fetched; the process does not start
 * (docs/reference/certificate-authority.md#bundle-endpoints).
 */
export class SpiffeBundleError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(`SPIFFE_BUNDLE_ENDPOINTS: ${message}`, options);
    this.name = 'SpiffeBundleError';
  }
}

const MAX_ENDPOINTS = 256;
const TRUST_DOMAIN = /^[A-Za-z0-9._@-]{1,255}$/;

/**
 * Reads `<trust domain>|<URL>||<trust domain>|<URL>…` (docs/reference/certificate-authority.md#bundle-endpoints). A URL
 * without a scheme becomes an https URL.
 *
 * @returns URLs by trust domain, in the form of SPIFFE ids
 * @throws SpiffeBundleError
 */
export function parseBundleEndpoints(text: string): ReadonlyMap<string, string> {
  const endpoints = new Map<string, string>();
  if (text.trim() === '') return endpoints;
  const items = text.split('||');
  if (items.length > MAX_ENDPOINTS) {
    throw new SpiffeBundleError(`it names ${items.length} endpoints, at most ${MAX_ENDPOINTS} are allowed`);
  }
  for (const item of items) {
    const parts = item.split('|').map((part) => part.trim());
    const [name, endpoint] = parts;
    if (parts.length !== 2 || name === undefined || endpoint === undefined || endpoint === '') {
      throw new SpiffeBundleError(`${show(item)} is not <trust domain>|<endpoint>; join several with ||`);
    }
    if (!TRUST_DOMAIN.test(name)) throw new SpiffeBundleError(`${show(name)} is not a trust domain`);
    const trustDomain = name.replaceAll('@', '.');
    if (endpoints.has(trustDomain)) {
      throw new SpiffeBundleError(`trust domain ${trustDomain} has more than one endpoint; give it one`);
    }
    endpoints.set(trustDomain, urlOf(endpoint));
  }
  return endpoints;
}

function urlOf(endpoint: string): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(endpoint) ? endpoint : `https://${endpoint}`;
  if (!URL.canParse(url)) throw new SpiffeBundleError(`${show(endpoint)} is not a URL`);
  if (new URL(url).protocol !== 'https:') {
    throw new SpiffeBundleError(
      `${show(endpoint)} is not an https URL; without https the origin of the roots is not proven`,
    );
  }
  return url;
}

function show(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
