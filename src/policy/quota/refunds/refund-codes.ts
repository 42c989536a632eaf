/** Response codes, each three digits, or a digit and `xx`; spaces between them. */
export type RefundCodes = string;

/** Whether one of the codes is that of a response. */
export function isRefundedCode(codes: RefundCodes, responseCode: number): boolean {
  if (codes === '') return false;
  const code = String(responseCode);
  const all = codes.split(' ');
  return all.includes(code) || (code.length === 3 && all.includes(`${code[0]}xx`));
}

/** The codes of several charges, each once. */
export function joinCodes(all: readonly RefundCodes[]): RefundCodes {
  return [...new Set(all.flatMap((codes) => codes.split(' ')))].filter((code) => code !== '').join(' ');
}
