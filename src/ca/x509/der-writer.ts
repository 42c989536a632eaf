/** Tags in certificates and requests (X.690 8.1.2). */
export const DER_TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** One element: tag, length, content. */
export function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const length = content.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([Buffer.from([tag]), lengthOctets(length), ...content]);
}

export function sequence(...items: readonly Uint8Array[]): Buffer {
  return der(DER_TAG.sequence, ...items);
}

/** A positive integer of any size, as big-endian octets. */
export function unsignedInteger(octets: Uint8Array): Buffer {
  const first = octets.findIndex((octet) => octet !== 0);
  const digits = first === -1 ? Buffer.from([0]) : octets.subarray(first);
  const isNegative = (digits[0] ?? 0) >= 0x80;
  return der(DER_TAG.integer, isNegative ? Buffer.concat([Buffer.from([0]), digits]) : digits);
}

/** An object identifier in dotted form, with arcs below 2^28. */
export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const octets = [first * 40 + second, ...rest].flatMap((arc) => {
    const digits = [arc & 0x7f];
    for (let high = arc >>> 7; high > 0; high >>>= 7) digits.unshift((high & 0x7f) | 0x80);
    return digits;
  });
  return der(DER_TAG.oid, Buffer.from(octets));
}

/** @param unusedBits unused bits of the last octet; 0 for whole octets */
export function bitString(octets: Uint8Array, unusedBits = 0): Buffer {
  return der(DER_TAG.bitString, Buffer.from([unusedBits]), octets);
}

export function octetString(octets: Uint8Array): Buffer {
  return der(DER_TAG.octetString, octets);
}

export const DER_TRUE: Buffer = der(DER_TAG.boolean, Buffer.from([0xff]));

/** A time in whole seconds. Years from 2050 have another form (RFC 5280 4.1.2.5). */
export function time(date: Date): Buffer {
  const digits = `${date.toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)}Z`;
  return date.getUTCFullYear() < 2050
    ? der(DER_TAG.utcTime, Buffer.from(digits.slice(2), 'latin1'))
    : der(DER_TAG.generalizedTime, Buffer.from(digits, 'latin1'));
}

function lengthOctets(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const octets: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  return Buffer.from([0x80 | octets.length, ...octets]);
}
