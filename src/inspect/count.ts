/** `1 proxy`, `2 proxies`. */
export function count(amount: number, noun: string): string {
  const plural = noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${amount} ${amount === 1 ? noun : plural}`;
}
