import type { RedisAddress } from './policy-server-config.js';

const DEFAULT_PORT = 6379;

/** Parses `redis://[[user]:password@]host[:port][/database]`, or `rediss://` for TLS; undefined for any other text. */
export function parseRedisAddress(text: string): RedisAddress | undefined {
  const url = parseUrl(text);
  if (url === undefined || !['redis:', 'rediss:'].includes(url.protocol)) return undefined;
  const [, database = '0'] = /^\/(\d{1,4})$/.exec(url.pathname) ?? [];
  if (!['', '/', `/${database}`].includes(url.pathname)) return undefined;
  if (url.hostname === '' || url.port === '0' || url.search !== '' || url.hash !== '') return undefined;
  const username = decode(url.username);
  const password = decode(url.password);
  if (username === undefined || password === undefined) return undefined;
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    database: Number(database),
    isTls: url.protocol === 'rediss:',
    ...(username !== '' && { username }),
    ...(password !== '' && { password: () => password }),
  };
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** Undefined if an escape is not UTF-8. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
