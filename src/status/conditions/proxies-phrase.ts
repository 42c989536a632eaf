import type { Progress } from './object-facts.js';

/** `status.proxies`: how far an object has come, short enough for a column of `kubectl get`. */
export function proxiesPhrase(progress: Progress | undefined): string {
  if (progress === undefined) return 'not tracked';
  const { proxies, ackedProxies, rejections } = progress;
  const rejecting = new Set(rejections.map(({ proxy }) => proxy)).size;
  const rejected = rejecting === 0 ? '' : `, ${rejecting} rejected`;
  return `${ackedProxies}/${proxies} up to date${rejected}`;
}
