/** Headers that are credentials, whichever of them is the API key. In lower case. */
export const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'set-cookie',
  'x-api-key',
]);

/**
 * Query parameters that are, by the default order of API keys (docs/reference/policy-kinds.md#api-keys) and by RFC
 * 6750.
 */
export const CREDENTIAL_PARAMETERS: ReadonlySet<string> = new Set(['access_token', 'api_key', 'key']);
