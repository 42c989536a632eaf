import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import test from 'ava';
import type { ApiClient } from '../../../src/kubernetes/client/api-client.js';
import { watchEvents } from '../../../src/kubernetes/watch/watch-events.js';

test('an event that cannot be read is told of without a piece of it, which may be of a secret', async (t) => {
  const api: ApiClient = {
    getJson: () => Promise.reject(new Error('nothing is listed')),
    open: async () => Readable.from([Buffer.from('{"data":c2VjcmV0}\n')]) as IncomingMessage,
  };
  const options = { resourceVersion: '1', timeoutSeconds: 1, signal: new AbortController().signal, idleMs: 1000 };
  const handlers = { onOpen: () => true, onEvents: () => t.fail('there was no event') };
  const error = await t.throwsAsync(watchEvents(api, '/secrets', options, handlers));
  t.is(error?.message, 'the API server sent a watch event that cannot be read');
  t.false(inspect(error).includes('c2Vjcm'));
});
