import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { der, oid, pem, Tag } from './der.js';

/** A certificate and its key, PEM. */
export interface TestCertificate {
  readonly certificate: string;
  readonly key: string;
}

export interface TestCertificateRequest {
  readonly uris?: readonly string[];
  readonly dnsNames?: readonly string[];
  /** A day ago unless given. */
  readonly notBefore?: Date;
  /** In a day unless given. */
  readonly notAfter?: Date;
  /** `client` and `server` unless given. */
  readonly usages?: readonly ('client' | 'server')[];
}

/** Issues any certificate for tests, including untrustworthy ones. */
export interface TestAuthority extends TestCertificate {
  issue(request: TestCertificateRequest): TestCertificate;
  /** An authority whose certificate this one signs. */
  intermediate(name: string): TestAuthority;
}

interface Keys {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** Who signs: its name, and its key. */
interface Signer {
  readonly name: string;
  readonly privateKey: KeyObject;
}

interface Subject {
  readonly name: string;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
  readonly notBefore?: Date | undefined;
  readonly notAfter?: Date | undefined;
}

const DAY_MS = 86_400_000;
const ECDSA_WITH_SHA256 = der(Tag.sequence, oid('2a8648ce3d040302'));
const COMMON_NAME = oid('550403');
const BASIC_CONSTRAINTS = oid('551d13');
const SUBJECT_ALT_NAME = oid('551d11');
const EXTENDED_KEY_USAGE = oid('551d25');
const USAGES = { client: oid('2b06010505070302'), server: oid('2b06010505070301') } as const;

/** A separate root, EC P-256. @param name its common name */
export function createTestAuthority(name: string): TestAuthority {
  const keys = createKeys();
  return authorityOf(name, keys, { name, privateKey: keys.privateKey });
}

function authorityOf(name: string, keys: Keys, issuer: Signer): TestAuthority {
  const self: Signer = { name, privateKey: keys.privateKey };
  return {
    certificate: encode(issuer, { name, publicKey: keys.publicKey, extensions: [certificateAuthority()] }),
    key: toPem(keys.privateKey),
    issue: ({ uris = [], dnsNames = [], usages = ['client', 'server'], notBefore, notAfter }) => {
      const { publicKey, privateKey } = createKeys();
      const extensions = [subjectAltNames(uris, dnsNames), extendedKeyUsage(usages)];
      const certificate = encode(self, { name: 'leaf', publicKey, extensions, notBefore, notAfter });
      return { certificate, key: toPem(privateKey) };
    },
    intermediate: (child) => authorityOf(child, createKeys(), self),
  };
}

function encode(issuer: Signer, subject: Subject): string {
  const now = Date.now();
  const validity = der(
    Tag.sequence,
    utcTime(subject.notBefore ?? new Date(now - DAY_MS)),
    utcTime(subject.notAfter ?? new Date(now + DAY_MS)),
  );
  const body = der(
    Tag.sequence,
    der(0xa0, der(Tag.integer, Buffer.from([2]))),
    der(Tag.integer, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ECDSA_WITH_SHA256,
    commonName(issuer.name),
    validity,
    commonName(subject.name),
    subject.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(Tag.sequence, ...subject.extensions)),
  );
  const signature = der(Tag.bitString, Buffer.from([0]), sign('sha256', body, issuer.privateKey));
  return pem('CERTIFICATE', der(Tag.sequence, body, ECDSA_WITH_SHA256, signature));
}

function certificateAuthority(): Buffer {
  const critical = der(Tag.boolean, Buffer.from([0xff]));
  return extension(BASIC_CONSTRAINTS, critical, der(Tag.sequence, der(Tag.boolean, Buffer.from([0xff]))));
}

function subjectAltNames(uris: readonly string[], dnsNames: readonly string[]): Buffer {
  const names = [
    ...uris.map((uri) => der(0x86, Buffer.from(uri))),
    ...dnsNames.map((name) => der(0x82, Buffer.from(name))),
    ...(uris.length + dnsNames.length === 0 ? [der(0x87, Buffer.from([127, 0, 0, 1]))] : []),
  ];
  return extension(SUBJECT_ALT_NAME, Buffer.alloc(0), der(Tag.sequence, ...names));
}

function extendedKeyUsage(usages: readonly ('client' | 'server')[]): Buffer {
  return extension(EXTENDED_KEY_USAGE, Buffer.alloc(0), der(Tag.sequence, ...usages.map((usage) => USAGES[usage])));
}

function extension(id: Buffer, critical: Buffer, value: Buffer): Buffer {
  return der(Tag.sequence, id, critical, der(Tag.octetString, value));
}

function commonName(name: string): Buffer {
  const attribute = der(Tag.sequence, COMMON_NAME, der(Tag.utf8String, Buffer.from(name)));
  return der(Tag.sequence, der(Tag.set, attribute));
}

function utcTime(date: Date): Buffer {
  const digits = date.toISOString().replace(/\D/g, '').slice(2, 14);
  return der(Tag.utcTime, Buffer.from(`${digits}Z`));
}

function createKeys(): Keys {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function toPem(privateKey: KeyObject): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
