import type { Metadata } from '@grpc/grpc-js';

const RELAY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'];

/** Whether the headers of a call say that a proxy stands between: the peer is then not the caller. */
export function isRelayed(metadata: Pick<Metadata, 'get'>): boolean {
  return RELAY_HEADERS.some((name) => metadata.get(name).length > 0);
}
