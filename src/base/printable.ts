/** Without control characters, which could change what a terminal shows. Texts come from objects, proxies and servers. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '·');
}
