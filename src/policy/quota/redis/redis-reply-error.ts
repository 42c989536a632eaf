/** What an error reply of Redis asks us to do. */
export type RedisComplaint =
  /** Another node of a cluster holds our keys; an empty host is the one that answered. */
  | { readonly type: 'moved'; readonly host: string; readonly port: number }
  /** The script is not known there. */
  | { readonly type: 'noScript' }
  /** This server cannot be used for now; another one might be behind the same address. */
  | { readonly type: 'unusable' }
  | { readonly type: 'other' };

const UNUSABLE = /^(?:READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS|UNBLOCKED|NOAUTH) /;

/** Reads the text of an error reply. */
export function readComplaint(message: string): RedisComplaint {
  const [, address] = /^MOVED \d+ (\S+)$/.exec(message) ?? [];
  if (address !== undefined) {
    const colon = address.lastIndexOf(':');
    return { type: 'moved', host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
  }
  if (message.startsWith('NOSCRIPT')) return { type: 'noScript' };
  return { type: UNUSABLE.test(message) ? 'unusable' : 'other' };
}
