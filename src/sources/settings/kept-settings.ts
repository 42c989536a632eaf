import type { Clock } from '../../base/clock.js';
import { errorText } from '../../base/error-text.js';
import { isRecord } from '../../base/record.js';
import { type ApiAnswer, refusalText, type SendRequest } from '../../kubernetes/client/api-sender.js';
import { pause } from '../../kubernetes/watch/pause.js';
import type { Logger } from '../../telemetry/logger.js';

export interface KeptSettingsOptions {
  readonly namespace: string;
  /** Name of the ConfigMap. It is created when there is a content to keep. */
  readonly name: string;
  /** Opens the connection to the API server. */
  readonly open: () => Promise<{ readonly send: SendRequest }>;
  /** Scope `source`. */
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Keeps the last usable content of each setting in a ConfigMap of the cluster, for the next start. */
export interface KeptSettings {
  /** Settles with the content of a key; undefined when there is none, or when it cannot be read within 30 s. */
  recall(key: string): Promise<string | undefined>;
  /**
   * Writes a key in the background and retries until it is written; undefined removes the key. Of several contents of a
   * key only the newest is written.
   */
  keep(key: string, text: string | undefined): void;
  stop(): void;
}

const RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;
const RECALL_MS = 30_000;
/** A ConfigMap has room for 1 MiB, of all keys together. */
const MAX_BYTES = 512 * 1024;

export function createKeptSettings(options: KeptSettingsOptions): KeptSettings {
  const { namespace, name, open, logger, clock } = options;
  const folder = `/api/v1/namespaces/${encodeURIComponent(namespace)}/configmaps`;
  const path = `${folder}/${encodeURIComponent(name)}`;
  const place = { configMap: `${namespace}/${name}` };
  const stopped = new AbortController();
  const wanted = new Map<string, string | undefined>();
  /** The known content of the ConfigMap; undefined before it has been read. */
  let stored: Map<string, string> | undefined;
  let isWriting = false;
  let lastTrouble = '';

  const read = async (): Promise<Map<string, string>> => {
    const { send } = await open();
    const answer = await send({ method: 'GET', path });
    if (answer.status === 404) return new Map();
    if (answer.status >= 300) throw refusalOf(answer, 'get');
    return dataOf(answer.body);
  };

  const write = async (): Promise<void> => {
    stored ??= await read();
    const changes = [...wanted].filter(([key, text]) => stored?.get(key) !== text);
    if (changes.length > 0) await send(changes);
    for (const [key, text] of changes) {
      if (text === undefined) stored.delete(key);
      else stored.set(key, text);
    }
    for (const [key, text] of [...wanted]) if (stored.get(key) === text) wanted.delete(key);
  };

  const send = async (changes: readonly (readonly [string, string | undefined])[]): Promise<void> => {
    const { send: request } = await open();
    const data = Object.fromEntries(changes.map(([key, text]) => [key, text ?? null]));
    const contentType = 'application/merge-patch+json';
    const patched = await request({ method: 'PATCH', path, contentType, body: { data } });
    if (patched.status !== 404) return check(patched, 'patch');
    const present = Object.fromEntries(changes.filter(([, text]) => text !== undefined));
    const labels = { 'app.kubernetes.io/part-of': 'navigator' };
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, labels }, data: present };
    check(await request({ method: 'POST', path: folder, body }), 'create');
  };

  const writeAll = async (): Promise<void> => {
    let retryMs = RETRY_MS;
    while (wanted.size > 0 && !stopped.signal.aborted) {
      try {
        await write();
        if (lastTrouble !== '') logger.info(place, 'settings in force are kept again for the next start');
        lastTrouble = '';
        retryMs = RETRY_MS;
      } catch (err) {
        // There is no content to keep. If the ConfigMap may not be read, none has been kept before either.
        if (isFinal(err) && [...wanted.values()].every((text) => text === undefined)) return wanted.clear();
        tell(err);
        await pause(clock, retryMs, stopped.signal);
        retryMs = Math.min(MAX_RETRY_MS, retryMs * 2);
      }
    }
  };

  const tell = (err: unknown): void => {
    const trouble = errorText(err);
    if (trouble === lastTrouble || stopped.signal.aborted) return;
    lastTrouble = trouble;
    logger.warn({ ...place, err }, 'settings in force cannot be kept for the next start');
  };

  return {
    recall: async (key) => {
      const untilMs = clock.monotonicMs() + RECALL_MS;
      for (;;) {
        try {
          stored = await read();
          return stored.get(key);
        } catch (err) {
          if (isFinal(err) || stopped.signal.aborted || clock.monotonicMs() >= untilMs) {
            logger.warn({ ...place, key, err }, 'the last settings that could be used cannot be read');
            return undefined;
          }
          await pause(clock, RETRY_MS, stopped.signal);
        }
      }
    },
    keep: (key, text) => {
      const isTooLong = text !== undefined && Buffer.byteLength(text) > MAX_BYTES;
      if (isTooLong) logger.warn({ ...place, key, maxBytes: MAX_BYTES }, 'settings are too long to be kept');
      wanted.set(key, isTooLong ? undefined : text);
      if (isWriting) return;
      isWriting = true;
      void writeAll().finally(() => {
        isWriting = false;
      });
    },
    stop: () => stopped.abort(),
  };
}

/** The API server refuses to show or to store the ConfigMap. */
class KeptSettingsError extends Error {
  /** Whether an early retry is useless. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean) {
    super(message);
    this.name = 'KeptSettingsError';
    this.isFinal = isFinal;
  }
}

const isFinal = (err: unknown): boolean => err instanceof KeptSettingsError && err.isFinal;

function refusalOf(answer: ApiAnswer, verb: string): KeptSettingsError {
  const remedy = answer.status === 403 ? `; let the service account ${verb} it` : '';
  return new KeptSettingsError(`${refusalText(answer)}${remedy}`, [401, 403].includes(answer.status));
}

function check(answer: ApiAnswer, verb: string): void {
  if (answer.status >= 300) throw refusalOf(answer, verb);
}

function dataOf(object: unknown): Map<string, string> {
  const data = isRecord(object) && isRecord(object['data']) ? object['data'] : {};
  return new Map(Object.entries(data).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
