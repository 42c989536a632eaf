import { generateKeyPairSync, sign } from 'node:crypto';

/** A certificate for one IPv4 address that is its own authority, as PEM. */
export interface SelfSignedCertificate {
  readonly certificate: string;
  readonly key: string;
}

const SEQUENCE = 0x30;
const SET = 0x31;
const ECDSA_WITH_SHA256 = der(SEQUENCE, oid('2a8648ce3d040302'));
const DAY_MS = 86_400_000;

/** Made anew for each test: no private key is kept in the repository. Valid for a day before and after now. */
export function createSelfSignedCertificate(address = '127.0.0.1'): SelfSignedCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, oid('550403'), der(0x0c, Buffer.from('test')))));
  const validity = der(SEQUENCE, utcTime(Date.now() - DAY_MS), utcTime(Date.now() + DAY_MS));
  const alternativeName = der(SEQUENCE, der(0x87, Buffer.from(address.split('.').map(Number))));
  const extensions = der(
    SEQUENCE,
    der(SEQUENCE, oid('551d11'), der(0x04, alternativeName)),
    der(SEQUENCE, oid('551d13'), der(0x01, Buffer.of(0xff)), der(0x04, der(SEQUENCE, der(0x01, Buffer.of(0xff))))),
  );
  const body = der(
    SEQUENCE,
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    ECDSA_WITH_SHA256,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = der(0x03, Buffer.of(0), sign('sha256', body, privateKey));
  return {
    certificate: pem(der(SEQUENCE, body, ECDSA_WITH_SHA256, signature)),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** One value of ASN.1 in its only form (DER): tag, length, content. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, '');
  return der(0x17, Buffer.from(`${digits.slice(2, 14)}Z`));
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
