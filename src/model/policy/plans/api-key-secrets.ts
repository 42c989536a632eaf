/** The keys in the entries of a Secret, as hashes. Nothing of the mesh keeps a key itself. */
export type ApiKeySecret =
  /** By entry. */
  | { readonly type: 'keys'; readonly entries: ReadonlyMap<string, readonly string[]> }
  /** Not read yet. */
  | { readonly type: 'loading' }
  /** Neither text has any content of the Secret. The remedy is missing where that of MESH0292 is enough. */
  | { readonly type: 'unusable'; readonly reason: string; readonly remedy?: string };

/** By `<namespace>/<name>`. The same object while no key changes; a Secret with unchanged keys keeps its object. */
export type ApiKeySecrets = ReadonlyMap<string, ApiKeySecret>;

export const NO_API_KEY_SECRETS: ApiKeySecrets = new Map();

const LOADING: ApiKeySecret = { type: 'loading' };

/** The name of a Secret in `ApiKeySecrets`. */
export function apiKeySecretName(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

/** A Secret that is asked for the first time is loading. */
export function apiKeySecretOf(secrets: ApiKeySecrets, namespace: string, name: string): ApiKeySecret {
  return secrets.get(apiKeySecretName(namespace, name)) ?? LOADING;
}
