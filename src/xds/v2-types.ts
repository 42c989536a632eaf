import { TypeUrl } from '../envoy/type-urls.js';

const V2_PREFIX = 'type.googleapis.com/envoy.api.v2.';

/** The type that we serve in place of a v2 one; undefined when it is not a v2 type of ours. */
export function v3TypeOf(typeUrl: string): string | undefined {
  if (!typeUrl.startsWith(V2_PREFIX)) return undefined;
  const name = typeUrl.slice(V2_PREFIX.length);
  return Object.values(TypeUrl).find((v3) => v3.endsWith(`.${name}`));
}
