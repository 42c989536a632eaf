/** Tags of ASN.1 (X.690) that certificates use. */
export const Tag = {
  boolean: 1,
  integer: 2,
  bitString: 3,
  octetString: 4,
  oid: 6,
  utf8String: 12,
  utcTime: 23,
  generalizedTime: 24,
  sequence: 48,
  set: 49,
} as const;

/** A value with its tag and length. */
export function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

/** @param hex its encoded content, such as `550403` for 2.5.4.3 */
export function oid(hex: string): Buffer {
  return der(Tag.oid, Buffer.from(hex, 'hex'));
}

/** @param label such as `CERTIFICATE` */
export function pem(label: string, content: Buffer): string {
  const lines = content.toString('base64').replace(/.{1,64}/g, '$&\n');
  return `-----BEGIN ${label}-----\n${lines}-----END ${label}-----\n`;
}
