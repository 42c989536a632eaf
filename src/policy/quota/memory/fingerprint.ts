/** 64 bits that stand for a text, in two numbers of 32 bits. The object is the same for every text. */
export interface Fingerprint {
  high: number;
  low: number;
}

const COMPRESSION_ROUNDS = 2;
const FINAL_ROUNDS = 4;

/**
 * Makes a keyed hash of texts: HalfSipHash-2-4 with 64 bits of output, over UTF-16 code units, two to a word. Without
 * the key, a caller cannot construct two texts with the same fingerprint. The chance that a text has the fingerprint of
 * one of 65,536 others is 1 in 10^14.
 *
 * @param key 64 secret random bits, in two numbers
 * @returns a function that overwrites its result for another text than that of the call before
 */
export function createFingerprint(key: readonly [number, number]): (text: string) => Fingerprint {
  const fingerprint: Fingerprint = { high: 0, low: 0 };
  const [key0, key1] = key;
  // A charge looks for the answer under a key, and stores it under the same key.
  let last: string | undefined;
  return (text) => {
    if (text === last) return fingerprint;
    last = text;
    let v0 = key0;
    let v1 = key1 ^ 0xee;
    let v2 = 0x6c796765 ^ key0;
    let v3 = 0x74656462 ^ key1;
    const words = Math.ceil(text.length / 2);
    // The words of the text, one with its length, and two steps that finish a half of the result each.
    for (let at = 0; at < words + 3; at++) {
      let word = 0;
      let rounds = COMPRESSION_ROUNDS;
      if (at < words)
        word = text.charCodeAt(2 * at) | ((2 * at + 1 < text.length ? text.charCodeAt(2 * at + 1) : 0) << 16);
      else if (at === words) word = text.length;
      else {
        rounds = FINAL_ROUNDS;
        if (at === words + 1) v2 ^= 0xee;
        else v1 ^= 0xdd;
      }
      v3 ^= word;
      for (; rounds > 0; rounds--) {
        v0 = (v0 + v1) | 0;
        v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
        v0 = (v0 << 16) | (v0 >>> 16);
        v2 = (v2 + v3) | 0;
        v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
        v0 = (v0 + v3) | 0;
        v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
        v2 = (v2 + v1) | 0;
        v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
        v2 = (v2 << 16) | (v2 >>> 16);
      }
      v0 ^= word;
      if (at === words + 1) fingerprint.high = (v1 ^ v3) >>> 0;
    }
    fingerprint.low = (v1 ^ v3) >>> 0;
    return fingerprint;
  };
}
