import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import type { FetchDocument } from '../../../../src/net/egress/guarded-fetch.js';
import { FetchError } from '../../../../src/net/egress/guarded-fetch.js';

export const ISSUER = 'https://issuer.test';
export const AUDIENCE = 'mesh-ca';

/** An OpenID issuer whose documents a test can change. */
export interface TestIssuer {
  readonly fetchDocument: FetchDocument;
  /** URLs that were fetched. */
  readonly fetched: string[];
  /** Documents by URL; one that is missing cannot be had. */
  readonly documents: Map<string, string>;
  /** Signs with a new key from now on; only that one is published. */
  rotate(kid: string, alg?: string): Promise<void>;
  /** A good token; claims are replaced, or left out where undefined. */
  token(claims?: JWTPayload, header?: { alg?: string; kid?: string }): Promise<string>;
}

/** @param nowSeconds when tokens are issued */
export async function createTestIssuer(nowSeconds: number): Promise<TestIssuer> {
  const fetched: string[] = [];
  const documents = new Map<string, string>([
    [`${ISSUER}/.well-known/openid-configuration`, JSON.stringify({ issuer: ISSUER, jwks_uri: `${ISSUER}/keys` })],
  ]);
  let key: Parameters<SignJWT['sign']>[0];
  let current = { kid: '', alg: '' };
  const rotate = async (kid: string, alg = 'RS256'): Promise<void> => {
    const pair = await generateKeyPair(alg, { extractable: true });
    key = pair.privateKey;
    current = { kid, alg };
    const published = { ...(await exportJWK(pair.publicKey)), kid, alg, use: 'sig' };
    documents.set(`${ISSUER}/keys`, JSON.stringify({ keys: [published] }));
  };
  await rotate('one');
  return {
    fetched,
    documents,
    fetchDocument: async (url) => {
      fetched.push(url);
      const document = documents.get(url);
      if (document === undefined) throw new FetchError(url, 'the server answered 404');
      return document;
    },
    rotate,
    token: async (claims = {}, header = {}) =>
      await new SignJWT({
        iss: ISSUER,
        aud: AUDIENCE,
        sub: 'system:serviceaccount:shop:cart',
        iat: nowSeconds,
        exp: nowSeconds + 3600,
        ...claims,
      })
        .setProtectedHeader({ ...current, ...header })
        .sign(key),
  };
}
