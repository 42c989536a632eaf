/**
 * The application protocols that the http_inspector reports for plaintext HTTP a connection manager takes.
 * Without HTTP/1.0 support, such connections are passed on as bytes.
 */
export function plaintextHttpProtocols(acceptHttp10: boolean): string[] {
  return acceptHttp10 ? ['http/1.0', 'http/1.1', 'h2c'] : ['http/1.1', 'h2c'];
}
